package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteKeyBadInputTest extends BadInput {

    private static final int TYPE_OFFSET = 8;

    private UcpMemory memory;
    private MemoryDescriptor descriptor;

    @BeforeEach
    void allocate() {
        memory = pair.context.allocate(100);
        descriptor = memory.descriptor();
    }

    @AfterEach
    void release() {
        if (memory != null) {
            memory.close();
        }
    }

    private MemoryDescriptor with(byte[] key) {
        return new MemoryDescriptor(descriptor.address(), descriptor.length(), key);
    }

    private void assertRefused(byte[] key, String word) {
        MemoryDescriptor bad = with(key);
        assertThatThrownBy(() -> pair.toServer.unpack(bad)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(word);
    }

    @Test
    void refusesKeyThatWasCutOff() {
        byte[] key = descriptor.key();
        assertThat(key).hasSizeGreaterThan(TYPE_OFFSET + 2);
        for (int length = 1; length <= TYPE_OFFSET + 2; length++) {
            assertRefused(Arrays.copyOf(key, length), "key of " + length + " bytes");
        }
        byte[] everyDomain = key.clone();
        Arrays.fill(everyDomain, 0, TYPE_OFFSET, (byte) 0xff);
        assertRefused(everyDomain, "ends before");
    }

    /** The type is an index into UCX's tables, which it does not check. */
    @Test
    void refusesKeyOfUnknownMemoryType() {
        for (int type : new int[] {UcxMemoryType.known(), 100, 255}) {
            byte[] key = descriptor.key().clone();
            key[TYPE_OFFSET] = (byte) type;
            assertRefused(key, "memory type " + type);
        }
    }

    /** UCX asserts in its posix transport that there is a length. */
    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, (1L << 47) + 1})
    void refusesKeyToMemoryWithoutLength(long length) {
        int posixBytes = 24;
        ByteBuffer key = ByteBuffer.wrap(descriptor.key().clone()).order(ByteOrder.nativeOrder());
        int changed = 0;
        int at = TYPE_OFFSET + 1;
        // Bytes that newer versions add behind the parts are no part.
        for (int part = 0; part < Long.bitCount(key.getLong(0)); part++) {
            int bytes = Byte.toUnsignedInt(key.get(at));
            if (bytes >= posixBytes) {
                key.putLong(at + 1 + 2 * Long.BYTES, length);
                changed++;
            }
            at += 1 + bytes;
        }
        assertThat(changed).as("parts of posix").isEqualTo(1);
        assertRefused(key.array(), "its memory has " + length + " bytes");
        MemoryDescriptor window = new MemoryDescriptor(descriptor.address() + 99, 1, key.array());
        assertThatThrownBy(() -> pair.toServer.unpack(window)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void knowsTheTypesOfEachVersion() {
        assertThat(UcxMemoryType.count(new UcxVersion(1, 13, 1))).isEqualTo(5);
        assertThat(UcxMemoryType.count(new UcxVersion(1, 16, 0))).isEqualTo(6);
        assertThat(UcxMemoryType.count(new UcxVersion(1, 18, 1))).isEqualTo(9);
        assertThat(UcxMemoryType.count(new UcxVersion(1, 21, 0))).isEqualTo(10);
    }

    @Test
    void takesKeyThatIsWhole() {
        try (UcpRemoteKey key = pair.toServer.unpack(with(descriptor.key().clone()))) {
            pair.run(done -> pair.toServer.put(Pair.pattern(100), null, key, 0, done));
            pair.run(pair.toServer::flush);
        }
        assertThat(memory.segment().mismatch(Pair.pattern(100))).isEqualTo(-1);
    }
}
