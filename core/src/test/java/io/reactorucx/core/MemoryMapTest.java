package io.reactorucx.core;

import static io.reactorucx.core.MemoryMapFlag.ALLOCATE;
import static io.reactorucx.core.MemoryMapFlag.FIXED;
import static io.reactorucx.core.MemoryMapFlag.LOCK;
import static io.reactorucx.core.MemoryMapFlag.NONBLOCK;
import static io.reactorucx.core.MemoryMapFlag.SYMMETRIC_RKEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.memory.AddressReservation;
import io.reactorucx.core.internal.memory.AddressSpace;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every combination of {@code ucp_mem_map}, those that UCX refuses and those with which it would end the process. */
@ExtendWith(NoLeaks.class)
class MemoryMapTest {

    private static final long PAGE = 4096;
    private static final int BYTES = 10_000;

    private UcpContext context;

    private void createContext(String allocation) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        context = UcpContext.create(UcpConfig.builder().name("map").feature(UcpFeature.RMA).transports("posix", "sysv",
                "tcp")
                .setting("ALLOC_PRIO", allocation).build());
    }

    @AfterEach
    void closeContext() {
        if (context != null) {
            assertThat(context.openRegistrations()).isZero();
            assertThat(context.registeredBytes()).isZero();
            context.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"md:sysv,md:posix,mmap", "md:*", "md:posix"})
    void refusesWhatPosixWouldFillItsFileSystemWith(String order) {
        createContext(order);
        long tooMuch = 1L << 50;
        assertThatThrownBy(() -> context.allocate(tooMuch)).isInstanceOfSatisfying(UcxException.class, e -> {
            assertThat(e.status()).isEqualTo(UcxStatus.NO_MEMORY);
            assertThat(e).hasMessageContaining(tooMuch + " bytes, posix has room for");
        });
        assertThatThrownBy(() -> context.memoryInfo(tooMuch)).isInstanceOf(UcxException.class)
                .hasMessageContaining("posix has room for");
    }

    /** An address far from those that the system chooses, so that no other thread maps memory there meanwhile. */
    private static long freeAddress() {
        long address = 0x2000_0000_0000L;
        AddressReservation taken = AddressReservation.tryReserve(address, BYTES);
        assumeTrue(taken != null, "something is mapped at the address that this test uses");
        taken.release();
        return address;
    }

    private static void assertUsable(UcpMemory memory, long bytes) {
        MemorySegment segment = memory.segment();
        assertThat(segment.byteSize()).isEqualTo(bytes);
        assertThat(segment.mismatch(Arena.ofAuto().allocate(bytes))).as("zeroed").isEqualTo(-1);
        segment.fill((byte) 7);
        assertThat(segment.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
        UcpMemoryAttributes attributes = memory.attributes();
        assertThat(attributes.address()).isEqualTo(segment.address());
        assertThat(attributes.length()).isGreaterThanOrEqualTo(bytes);
        assertThat(attributes.memoryType()).isEqualTo(UcxMemoryType.HOST);
    }

    @ParameterizedTest
    @CsvSource({"md:posix", "md:sysv", "mmap", "heap", "thp", "md:sysv,md:posix,huge,thp,md:*,mmap,heap"})
    void allocatesByEveryMethod(String method) {
        createContext(method + (method.equals("thp") ? ",mmap" : ""));
        for (MemoryMapFlag[] flags : new MemoryMapFlag[][] {{}, {NONBLOCK}}) {
            try (UcpMemory memory = context.map(UcpMemoryParameters.allocate(BYTES, flags))) {
                assertUsable(memory, BYTES);
                assertThat(memory.descriptor().length()).isEqualTo(BYTES);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"md:posix", "md:sysv", "mmap"})
    void allocatesExactlyAtAddress(String method) {
        createContext(method);
        long address = freeAddress();
        for (int round = 0; round < 3; round++) {
            try (UcpMemory memory = context.map(UcpMemoryParameters.allocateAt(address, BYTES, FIXED, NONBLOCK))) {
                assertThat(memory.segment().address()).isEqualTo(address);
                assertUsable(memory, BYTES);
                assertThat(AddressSpace.covers(address + 3 * PAGE, PAGE, "---p"))
                        .as("address space left behind the memory").isFalse();
            }
            assertThat(AddressSpace.covers(address, PAGE, "")).as("something left at the address").isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"md:posix", "md:sysv", "mmap", "heap"})
    void takesAddressAsHint(String method) {
        createContext(method);
        long address = freeAddress();
        try (UcpMemory memory = context.map(UcpMemoryParameters.allocateAt(address, BYTES))) {
            assertUsable(memory, BYTES);
        }
        assertThat(AddressSpace.covers(address, PAGE, "---p")).as("a reservation left at the address").isFalse();
    }

    /**
     * UCX passes the address to {@code shmat} with {@code SHM_REMAP}, or to {@code mmap} with {@code MAP_FIXED}, which
     * replace what is mapped there.
     */
    @ParameterizedTest
    @ValueSource(strings = {"md:posix", "md:sysv", "mmap"})
    void neverReplacesWhatIsMappedAlready(String method) {
        createContext(method);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(4 * PAGE, PAGE).fill((byte) 0x5a);
            assertThatThrownBy(() -> context.map(UcpMemoryParameters.allocateAt(own.address(), BYTES, FIXED)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("address 0x")
                    .hasMessageContaining("nothing is in");
            try (UcpMemory memory = context.map(UcpMemoryParameters.allocateAt(own.address(), BYTES))) {
                assertUsable(memory, BYTES);
                assertThat(memory.segment().address()).isNotEqualTo(own.address());
            }
            assertThat(own.mismatch(Arena.ofAuto().allocate(4 * PAGE).fill((byte) 0x5a))).isEqualTo(-1);
        }
    }

    @Test
    void givesAddressSpaceBackWhenItCannotAllocate() {
        createContext("heap");
        long address = freeAddress();
        assertThatThrownBy(() -> context.map(UcpMemoryParameters.allocateAt(address, BYTES, FIXED)))
                .isInstanceOf(UcxException.class)
                .hasMessageContaining("ucp_mem_map of " + BYTES);
        assertThat(UcpCompat.reserve(address, PAGE)).isTrue();
        UcpCompat.unmap(MemorySegment.ofAddress(address), PAGE);
    }

    @Test
    void registersMemoryOfTheCallerWithFlags() {
        createContext("mmap");
        MemorySegment own = Arena.ofAuto().allocate(BYTES);
        for (UcpMemoryParameters parameters : List.of(UcpMemoryParameters.register(own),
                UcpMemoryParameters.register(own, NONBLOCK), UcpMemoryParameters.register(own).of(UcxMemoryType.HOST),
                UcpMemoryParameters.register(own).protectedFor(MemoryProtection.LOCAL_READ,
                        MemoryProtection.REMOTE_READ),
                UcpMemoryParameters.register(own).protectedFor(MemoryProtection.LOCAL_WRITE,
                        MemoryProtection.REMOTE_WRITE))) {
            try (UcpMemory memory = context.map(parameters)) {
                assertThat(memory.segment()).isEqualTo(own);
                assertThat(memory.attributes())
                        .isEqualTo(new UcpMemoryAttributes(own.address(), BYTES, UcxMemoryType.HOST));
            }
        }
    }

    private static void assertRefused(UcpMemoryParametersMaker maker, String... words) {
        assertThatThrownBy(maker::make).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(words);
    }

    /** Makes parameters that have to be refused. */
    private interface UcpMemoryParametersMaker {
        UcpMemoryParameters make();
    }

    private static UcpMemoryParameters parameters(MemorySegment segment, long length, long address,
            MemoryMapFlag... flags) {
        return new UcpMemoryParameters(segment, length, address, Set.of(flags), null, Set.of());
    }

    @Test
    void refusesEveryCombinationThatMeansNothing() {
        MemorySegment own = Arena.ofAuto().allocate(BYTES);
        assertRefused(() -> parameters(null, BYTES, 0), "segment", "ALLOCATE");
        assertRefused(() -> parameters(null, BYTES, 0, NONBLOCK), "segment", "ALLOCATE");
        assertRefused(() -> parameters(null, BYTES, 0, FIXED), "FIXED", "ALLOCATE");
        assertRefused(() -> parameters(null, BYTES, PAGE, FIXED), "FIXED", "ALLOCATE");
        assertRefused(() -> parameters(own, BYTES, 0, FIXED), "FIXED", "ALLOCATE");
        assertRefused(() -> parameters(null, BYTES, 0, ALLOCATE, FIXED), "FIXED needs an address");
        assertRefused(() -> parameters(own, BYTES, 0, ALLOCATE), "segment of the caller has no use");
        assertRefused(() -> parameters(own, BYTES, PAGE), "address 0x1000", "ALLOCATE");
        assertRefused(() -> parameters(null, BYTES, PAGE), "segment", "ALLOCATE");
        assertRefused(() -> parameters(null, BYTES, PAGE + 1, ALLOCATE, FIXED), "address 0x1001", "multiple of");
        assertRefused(() -> parameters(null, BYTES, PAGE + 1, ALLOCATE), "address 0x1001", "multiple of");
        assertRefused(() -> parameters(null, BYTES, -PAGE, ALLOCATE), "address", "positive");
        assertRefused(() -> parameters(null, BYTES, 0, ALLOCATE, NONBLOCK, LOCK), "NONBLOCK and LOCK");
        assertRefused(() -> parameters(null, 0, 0, ALLOCATE), "bytes 0");
        assertRefused(() -> parameters(null, -1, 0, ALLOCATE), "bytes -1");
        assertThatThrownBy(() -> UcpMemoryParameters.register(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("segment");
        assertThatThrownBy(() -> UcpMemoryParameters.allocate(1).of(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("type");
    }

    @ParameterizedTest
    @CsvSource({"9223372036854771712, 1", "140737488351232, 1", "4096, 9223372036854775807",
        "4096, 1152921504606846976"})
    void refusesAddressesThatNoProcessHas(long address, long bytes) {
        createContext("mmap");
        assertThatThrownBy(() -> context.map(UcpMemoryParameters.allocateAt(address, bytes, FIXED)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("address 0x" + Long.toHexString(address));
    }

    @ParameterizedTest
    @EnumSource(value = UcxMemoryType.class, names = "HOST", mode = EnumSource.Mode.EXCLUDE)
    void refusesMemoryTypeThatIsNoHostMemoryOrThatUcxHasNoTransportFor(UcxMemoryType type) {
        createContext("mmap");
        assumeTrue(!context.attributes().memoryTypes().contains(type), "this machine has transports for " + type);
        assertThatThrownBy(() -> context.map(UcpMemoryParameters.allocate(BYTES).of(type)))
                .isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("memory type " + type);
        assertThatThrownBy(() -> context.map(UcpMemoryParameters.register(Arena.ofAuto().allocate(8)).of(type)))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("memory type " + type);
    }

    @Test
    void refusesFlagsThatTheLibraryWouldIgnore() {
        createContext("mmap");
        for (MemoryMapFlag flag : List.of(LOCK, SYMMETRIC_RKEY)) {
            UcpCapability capability = flag == LOCK ? UcpCapability.MEMORY_LOCK : UcpCapability.MEMORY_SYMMETRIC_KEY;
            if (context.support(capability).isSupported()) {
                context.map(UcpMemoryParameters.allocate(BYTES, flag)).close();
            } else {
                assertThatThrownBy(() -> context.map(UcpMemoryParameters.allocate(BYTES, flag)))
                        .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining(flag.name())
                        .hasMessageContaining("UCX 1.");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryAdvice.class)
    void takesAdvice(MemoryAdvice advice) {
        createContext("mmap");
        try (UcpMemory memory = context.map(UcpMemoryParameters.allocate(BYTES, NONBLOCK))) {
            memory.advise(0, BYTES, advice);
            memory.advise(BYTES - 1, 1, advice);
            assertUsable(memory, BYTES);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, -1", "-1, 1", "0, 10001", "10000, 1", "9223372036854775807, 1", "1, 9223372036854775807"})
    void refusesAdviceOutOfBounds(long offset, long length) {
        createContext("mmap");
        try (UcpMemory memory = context.allocate(BYTES)) {
            assertThatThrownBy(() -> memory.advise(offset, length, MemoryAdvice.WILLNEED))
                    .isInstanceOfAny(IndexOutOfBoundsException.class, IllegalArgumentException.class)
                    .hasMessageMatching("(range|length).*");
            assertThatThrownBy(() -> memory.advise(0, 1, null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("advice");
        }
    }

    @Test
    void refusesUseAfterClose() {
        createContext("mmap");
        UcpMemory memory = context.allocate(BYTES);
        memory.close();
        for (Runnable use : List.<Runnable>of(memory::attributes, memory::descriptor,
                () -> memory.advise(0, 1, MemoryAdvice.NORMAL))) {
            assertThatThrownBy(use::run).isInstanceOf(UcxClosedException.class).hasMessageContaining(BYTES + " bytes");
        }
    }

    @Test
    void refusesExportAndImportWhereTheyAreMissing() {
        createContext("mmap");
        assertThat(context.support(UcpCapability.EXPORTED_MEMORY).isSupported()).isFalse();
        try (UcpMemory memory = context.allocate(BYTES)) {
            assertThatThrownBy(memory::export).isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("ucp_memh_pack");
        }
        assertThatThrownBy(() -> context.importMemory(new byte[100])).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("exported memory");
        assertThatThrownBy(() -> context.importMemory(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("exported");
    }

    @Test
    void seesWhatIsMapped() {
        List<String> maps = List.of("1000-3000 rw-p 0 0 0", "3000-4000 rw-s 0 0 0 /dev/shm/x", "5000-6000 r--p 0 0 0",
                "junk", "ffffffffff600000-ffffffffff601000 --xp 0 0 0 [vsyscall]");
        assertThat(AddressSpace.covers(maps, 0x1000, 0x3000, "rw")).isTrue();
        assertThat(AddressSpace.covers(maps, 0x1fff, 0x1002, "rw")).isTrue();
        assertThat(AddressSpace.covers(maps, 0x1000, 0x3001, "rw")).isFalse();
        assertThat(AddressSpace.covers(maps, 0xfff, 2, "rw")).isFalse();
        assertThat(AddressSpace.covers(maps, 0x5000, 1, "rw")).isFalse();
        assertThat(AddressSpace.covers(maps, 0x5000, 0x1000, "r")).isTrue();
        assertThat(AddressSpace.covers(maps, 0xffffffffff600000L, 0x1000, "--xp")).isTrue();
        assertThat(AddressSpace.covers(List.of(), 0x1000, 1, "rw")).isFalse();
        assertThat(AddressSpace.isSharedMapping(maps, 0x3000, 0x1000)).isTrue();
        assertThat(AddressSpace.isSharedMapping(maps, 0x3fff, 1)).isTrue();
        assertThat(AddressSpace.isSharedMapping(maps, 0x2fff, 1)).isFalse();
        assertThat(AddressSpace.isSharedMapping(maps, 0x2fff, 2)).isFalse();
        assertThat(AddressSpace.isSharedMapping(maps, 0x3000, 0x1001)).isFalse();
        assertThat(AddressSpace.isSharedMapping(maps, 0x5000, 1)).isFalse();
        List<String> neighbours = List.of("1000-2000 rw-s 0 0 0 /dev/shm/x", "2000-3000 rw-s 0 0 0 /dev/shm/y");
        assertThat(AddressSpace.isSharedMapping(neighbours, 0x1000, 0x1001)).isFalse();
        assertThat(EnumSet.allOf(MemoryProtection.class).stream().mapToInt(MemoryProtection::bit).sum())
                .isEqualTo(0x303);
    }

    @Test
    void viewsKeepTheirCompanionAndEndWithTheMemory() {
        createContext("md:*");
        UcpMemory memory = context.allocate(BYTES);
        memory.segment().set(ValueLayout.JAVA_BYTE, 77, (byte) 7);
        Object companion = new Object();
        WeakReference<Object> watched = new WeakReference<>(companion);
        ByteBuffer part = memory.view(70, 20, companion).asSlice(5, 5).asByteBuffer();
        companion = null;
        WeakReference<Object> control = new WeakReference<>(new Object());
        awaitCollection(control);
        assertThat(watched.get()).isNotNull();
        assertThat(part.get(2)).isEqualTo((byte) 7);
        Reference.reachabilityFence(part);
        part = null;
        awaitCollection(watched);

        MemorySegment last = memory.view(BYTES - 8, 8, "companion");
        assertThat(memory.view(BYTES, 0, "companion").byteSize()).isZero();
        for (long[] range : new long[][] {{-1, 1}, {0, -1}, {1, BYTES}, {BYTES + 1, 0}, {Long.MAX_VALUE, 1}}) {
            assertThatThrownBy(() -> memory.view(range[0], range[1], "companion"))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("view");
        }
        assertThatThrownBy(() -> memory.view(0, 1, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("companion");
        memory.close();
        assertThatThrownBy(() -> last.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> memory.view(0, 1, "companion")).isInstanceOf(UcxClosedException.class);
    }

    private static void awaitCollection(WeakReference<Object> reference) {
        await().atMost(TestTime.seconds(20)).untilAsserted(() -> {
            System.gc();
            assertThat(reference.get()).isNull();
        });
    }
}
