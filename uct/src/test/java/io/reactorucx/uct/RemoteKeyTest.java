package io.reactorucx.uct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.uct.internal.SharedMappings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys to shared memory: the memory that they reach, and the refusal of wrong keys, on which UCX would end the process.
 */
@Tag("slow")
class RemoteKeyTest extends Domains {

    private static final UctAllocationRequest REQUEST = UctAllocationRequest.of(10_000)
            .withFlags(UctMemoryFlag.accessRma());

    /** Reads and writes memory of its parent, which names the domain and the key. */
    static final class Peer {
        public static void main(String[] args) {
            UctPackedKey packed = UctPackedKey.fromBytes(HexFormat.of().parseHex(args[1]));
            try (UctMemoryDomain domain = UctComponent.named(args[0]).open(args[0]);
                    UctRemoteKey key = domain.unpack(packed)) {
                MemorySegment memory = key.pointer();
                System.out.println("read " + memory.byteSize() + " " + memory.getString(100));
                memory.setString(200, "written by the peer");
                key.pointer(memory.byteSize() - 1, 1).set(ValueLayout.JAVA_BYTE, 0, (byte) 42);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void reachesMemoryOfAnotherProcess(String name) {
        try (UctMemoryDomain domain = open(name); UctAllocatedMemory memory = domain.allocate(REQUEST)) {
            memory.segment().setString(100, "written by the owner");
            String key = HexFormat.of().formatHex(memory.packKey().toBytes());
            ChildJvm.Result peer = ChildJvm.of(Peer.class).arguments(name, key).run();
            assertThat(peer.output()).contains("read " + memory.bytes() + " written by the owner");
            assertThat(peer.exitCode()).isZero();
            assertThat(memory.segment().getString(200)).isEqualTo("written by the peer");
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, memory.bytes() - 1)).isEqualTo((byte) 42);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void pointsToMemoryWithinBounds(String name) {
        try (UctMemoryDomain domain = open(name); UctAllocatedMemory memory = domain.allocate(REQUEST);
                UctRemoteKey key = domain.unpack(memory.packKey())) {
            assertThat(key.packed()).isEqualTo(memory.packKey()).hasSameHashCodeAs(memory.packKey()).isNotEqualTo(name);
            MemorySegment pointer = key.pointer();
            assertThat(pointer.address()).as("another mapping").isNotEqualTo(memory.address());
            assertThat(key.value()).isEqualTo(pointer.address() - memory.address());
            assertThat(key.handle()).isNotZero();
            assertThat(key.type()).isZero();
            memory.segment().set(ValueLayout.JAVA_INT, 4096, 77);
            assertThat(key.pointer(4096, 4).get(ValueLayout.JAVA_INT, 0)).isEqualTo(77);
            long end = memory.bytes();
            assertThat(key.pointer(end - 1, 1).byteSize()).isEqualTo(1);
            assertThatThrownBy(() -> key.pointer(end, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> key.pointer(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> key.pointer(1, end)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> key.pointer(Long.MAX_VALUE, Long.MAX_VALUE))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> key.pointer(0, 0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("length 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void endsPointersWithClose(String name) {
        try (UctMemoryDomain domain = open(name); UctAllocatedMemory memory = domain.allocate(REQUEST)) {
            UctRemoteKey key = domain.unpack(memory.packKey());
            MemorySegment pointer = key.pointer();
            key.close();
            key.close();
            assertThat(key.isClosed()).isTrue();
            assertThatThrownBy(() -> pointer.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(key::pointer).isInstanceOf(UcxClosedException.class).hasMessageContaining(name);
        }
    }

    @Test
    void survivesOwnerWithPointer() {
        try (UctMemoryDomain domain = open("posix")) {
            UctAllocatedMemory memory = domain.allocate(REQUEST);
            try (UctRemoteKey key = domain.unpack(memory.packKey())) {
                memory.segment().setString(0, "still there");
                memory.close();
                assertThat(key.pointer().getString(0)).isEqualTo("still there");
            }
        }
    }

    @Test
    void packsFolderOfItsFile(@TempDir Path folder) {
        UctMdConfig config = UctComponent.named("posix").config().with("DIR", folder.toString())
                .with("USE_PROC_LINK", "n");
        try (UctMemoryDomain owner = config.component().open("posix", config); UctMemoryDomain peer = open("posix");
                UctAllocatedMemory memory = owner.allocate(REQUEST)) {
            assertThat(owner.attributes().packedKeyBytes()).isEqualTo(24 + folder.toString().length() + 1);
            assertThat(memory.packKey().key()).contains((byte) '/');
            memory.segment().setString(0, "in a file");
            try (UctRemoteKey key = peer.unpack(memory.packKey())) {
                assertThat(key.pointer().getString(0)).isEqualTo("in a file");
            }
        }
    }

    /** Uses memory whose file is shorter than its key says, which a peer may cause at any time. */
    static final class Victim {
        public static void main(String[] args) {
            UctPackedKey packed = UctPackedKey.fromBytes(HexFormat.of().parseHex(args[0]));
            try (UctMemoryDomain domain = UctComponent.named("posix").open("posix");
                    UctRemoteKey key = domain.unpack(packed)) {
                MemorySegment memory = key.pointer();
                assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_INT, memory.byteSize() - 4))
                        .isInstanceOf(InternalError.class);
                assertThatThrownBy(() -> memory.fill((byte) 1)).isInstanceOf(InternalError.class);
                assertThatThrownBy(() -> memory.toArray(ValueLayout.JAVA_BYTE)).isInstanceOf(InternalError.class);
                System.out.println("survived, begins with " + memory.get(ValueLayout.JAVA_BYTE, 0));
            }
        }
    }

    @Test
    void survivesOwnerThatTakesItsMemoryAway(@TempDir Path folder) throws IOException {
        UctMdConfig config = UctComponent.named("posix").config().with("DIR", folder.toString())
                .with("USE_PROC_LINK", "n");
        try (UctMemoryDomain owner = config.component().open("posix", config);
                UctAllocatedMemory memory = owner.allocate(UctAllocationRequest.of(1 << 20));
                Stream<Path> files = Files.list(folder)) {
            memory.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
            try (FileChannel file = FileChannel.open(files.findFirst().orElseThrow(), StandardOpenOption.WRITE)) {
                file.truncate(4096);
            }
            ChildJvm.Result victim = ChildJvm.of(Victim.class)
                    .arguments(HexFormat.of().formatHex(memory.packKey().toBytes())).run();
            assertThat(victim.output()).contains("survived, begins with ");
            assertThat(victim.exitCode()).isZero();
        }
    }

    private static UctPackedKey with(UctPackedKey packed, byte[] key) {
        return new UctPackedKey(packed.componentName(), packed.address(), packed.length(), key);
    }

    @ParameterizedTest
    @MethodSource("names")
    void refusesKeyOfAnotherComponent(String name) {
        try (UctMemoryDomain domain = open(name)) {
            UctPackedKey other = new UctPackedKey("ib", 4096, 1, new byte[100]);
            assertThatThrownBy(() -> domain.unpack(other)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ib")
                    .hasMessageContaining(name);
            assertThatThrownBy(() -> domain.unpack(null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("key");
        }
    }

    @ParameterizedTest
    @CsvSource({"posix, 24", "sysv, 12"})
    void refusesKeyThatIsTooShort(String name, int bytes) {
        try (UctMemoryDomain domain = open(name)) {
            for (int size = 0; size < bytes; size++) {
                UctPackedKey packed = new UctPackedKey(name, 4096, 1, new byte[size]);
                assertThatThrownBy(() -> domain.unpack(packed)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("key of " + packed.key().length + " bytes")
                        .hasMessageContaining("at least " + bytes);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void refusesKeyWithLengthOnWhichUcxAborts(long length) {
        try (UctMemoryDomain domain = open("posix"); UctAllocatedMemory memory = domain.allocate(REQUEST)) {
            byte[] key = memory.packKey().key();
            ByteBuffer.wrap(key).order(ByteOrder.nativeOrder()).putLong(16, length);
            assertThatThrownBy(() -> domain.unpack(with(memory.packKey(), key)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a length of " + length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv", "tcp", "self", "cma"})
    void survivesKeysOfGarbage(String name) {
        Random random = new Random(4711);
        try (UctMemoryDomain domain = open(name)) {
            for (int i = 0; i < 200; i++) {
                byte[] bytes = new byte[24 + random.nextInt(100)];
                random.nextBytes(bytes);
                if (i % 2 == 0) {
                    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(16, 1 + random.nextInt(1 << 20));
                }
                UctPackedKey packed = new UctPackedKey(name, 1 + random.nextLong(1L << 46), 1 + random.nextInt(1 << 20),
                        bytes);
                try (UctRemoteKey key = domain.unpack(packed)) {
                    assertThatThrownBy(key::pointer).isInstanceOf(UcxException.class);
                } catch (UcxException | IllegalArgumentException expected) {
                    assertThat(expected).hasMessageContaining(expected instanceof UcxException ? "uct_rkey_unpack"
                            : "key");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void refusesPointerWhereKeyDoesNotLead(String name) {
        try (UctMemoryDomain domain = open(name); UctAllocatedMemory memory = domain.allocate(REQUEST)) {
            UctPackedKey packed = memory.packKey();
            for (UctPackedKey lie : List.of(new UctPackedKey(name, packed.address() + (1L << 40), packed.length(),
                    packed.key()),
                    new UctPackedKey(name, packed.address(), packed.length() + (1L << 30), packed.key()),
                    new UctPackedKey(name, 1, 1, packed.key()))) {
                try (UctRemoteKey key = domain.unpack(lie)) {
                    assertThatThrownBy(key::pointer).isInstanceOf(UcxException.class)
                            .hasMessageContaining("the key maps less");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void refusesPointerToAnotherMapping(String name) {
        try (UctMemoryDomain domain = open(name); UctAllocatedMemory memory = domain.allocate(REQUEST);
                UctAllocatedMemory other = domain.allocate(REQUEST)) {
            UctPackedKey packed = memory.packKey();
            long distance;
            try (UctRemoteKey key = domain.unpack(packed)) {
                distance = key.value();
            }
            UctPackedKey lie = new UctPackedKey(name, other.address() - distance, 1, packed.key());
            try (UctRemoteKey key = domain.unpack(lie)) {
                assumeTrue(key.value() == distance, "the key is mapped at another address this time");
                assertThatThrownBy(key::pointer).isInstanceOf(UcxException.class)
                        .hasMessageContaining("the key maps less");
            }
        }
    }

    @Test
    void pointsToMemoryOfItsOwnProcessAsLongAsThatLives() {
        try (UctMemoryDomain domain = open("self")) {
            assumeTrue(domain.isSupported(UctMdOperation.REMOTE_POINTER),
                    "this version's domain self gives no pointers");
            MemorySegment pointer;
            try (UcxArena owner = UcxArena.ofShared();
                    UctRegisteredMemory memory = domain.register(owner.allocate(4096), UctMemoryFlag.accessAll());
                    UctRemoteKey key = domain.unpack(memory.packKey())) {
                pointer = key.pointer(8, 16);
                assertThat(pointer.address()).isEqualTo(memory.segment().address() + 8);
                pointer.set(ValueLayout.JAVA_BYTE, 0, (byte) 3);
                assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 8)).isEqualTo((byte) 3);
            }
            assertThatThrownBy(() -> pointer.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void refusesPartsThatAreNoKey() {
        byte[] none = {};
        assertThatThrownBy(() -> new UctPackedKey(null, 1, 1, none)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new UctPackedKey("x", 1, 1, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("key");
        for (String bad : List.of("", "seventeen letters", "ü")) {
            assertThatThrownBy(() -> new UctPackedKey(bad, 1, 1, none)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("componentName " + bad);
        }
        assertThatThrownBy(() -> new UctPackedKey("x", 1, 0, none)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length 0");
        assertThatThrownBy(() -> new UctPackedKey("x", 0, 1, none)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("address 0");
        assertThatThrownBy(() -> new UctPackedKey("x", -1, 2, none)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no room");
        assertThatThrownBy(() -> new UctPackedKey("x", 1, 1, new byte[4097]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4096");
    }

    @Test
    void readsItsOwnBytesOnly() {
        byte[] bytes = new UctPackedKey("posix", 0x1000, 5, "key".getBytes(StandardCharsets.US_ASCII)).toBytes();
        assertThat(UctPackedKey.fromBytes(bytes).toBytes()).isEqualTo(bytes);
        assertThat(UctPackedKey.fromBytes(bytes)).hasToString("5 bytes of posix at 0x1000, key 6b6579");
        for (int size = 0; size < bytes.length; size++) {
            byte[] part = Arrays.copyOf(bytes, size);
            assertThatThrownBy(() -> UctPackedKey.fromBytes(part)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes: ");
        }
        assertThatThrownBy(() -> UctPackedKey.fromBytes(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 bytes follow");
        bytes[0]++;
        assertThatThrownBy(() -> UctPackedKey.fromBytes(bytes)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no packed key");
        assertThatThrownBy(() -> UctPackedKey.fromBytes(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("bytes");
    }

    @Test
    void findsSharedMappings() {
        List<String> maps = List.of("00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/x",
                "7f2c00000000-7f2c00010000 rw-s 00000000 00:01 5 /dev/shm/y (deleted)",
                "7f2d00000000-7f2d00010000 rw-p 00000000 00:00 0",
                "7f2e00000000-7f2e00010000 r--s 00000000 00:01 5 /dev/shm/z", "junk", "");
        assertThat(SharedMappings.contain(maps, 0x7f2c00000000L, 0x10000)).isTrue();
        assertThat(SharedMappings.contain(maps, 0x7f2c0000ffffL, 1)).isTrue();
        assertThat(SharedMappings.contain(maps, 0x7f2c0000ffffL, 2)).isFalse();
        assertThat(SharedMappings.contain(maps, 0x7f2bffffffffL, 2)).isFalse();
        assertThat(SharedMappings.contain(maps, 0x7f2c00000001L, -1)).isFalse();
        assertThat(SharedMappings.contain(maps, 0x7f2d00000000L, 1)).isFalse();
        assertThat(SharedMappings.contain(maps, 0x7f2e00000000L, 1)).isFalse();
        assertThat(SharedMappings.contain(maps, 0x400000, 1)).isFalse();
        assertThat(SharedMappings.contain(maps, 0, 1)).isFalse();
    }
}
