package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryDescriptorTest {

    private static final int LENGTH_OFFSET = 13;
    private static final byte[] KEY = {1, 2, 3, 4, 5};
    private final MemoryDescriptor descriptor = new MemoryDescriptor(0x7f00_1234_5678L, 4096, KEY);

    @Test
    void survivesBytes() {
        MemoryDescriptor read = MemoryDescriptor.fromBytes(descriptor.toBytes());
        assertThat(read).isEqualTo(descriptor).hasSameHashCodeAs(descriptor);
        assertThat(read.address()).isEqualTo(0x7f00_1234_5678L);
        assertThat(read.length()).isEqualTo(4096);
        assertThat(read.key()).isEqualTo(KEY);
        assertThat(read).hasToString("4096 bytes at 0x7f0012345678, key 0102030405");
        assertThat(read).isNotEqualTo(new MemoryDescriptor(1, 4096, KEY))
                .isNotEqualTo(new MemoryDescriptor(0x7f00_1234_5678L, 1, KEY))
                .isNotEqualTo(new MemoryDescriptor(0x7f00_1234_5678L, 4096, new byte[5]));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, MemoryDescriptor.MAX_KEY_BYTES})
    void survivesBytesWithKeyOfEverySize(int keyBytes) {
        MemoryDescriptor longest = new MemoryDescriptor(1, Long.MAX_VALUE, new byte[keyBytes]);
        assertThat(MemoryDescriptor.fromBytes(longest.toBytes())).isEqualTo(longest);
    }

    @Test
    void refusesEveryTruncation() {
        byte[] bytes = descriptor.toBytes();
        for (int length = 0; length < bytes.length; length++) {
            byte[] part = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> MemoryDescriptor.fromBytes(part)).as("%s bytes", length)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("bytes");
        }
    }

    @Test
    void refusesTrailingBytes() {
        byte[] bytes = descriptor.toBytes();
        assertThatThrownBy(() -> MemoryDescriptor.fromBytes(Arrays.copyOf(bytes, bytes.length + 3)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3 bytes follow");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void refusesOtherMagicOrVersion(int index) {
        byte[] bytes = descriptor.toBytes();
        bytes[index] ^= 1;
        assertThatThrownBy(() -> MemoryDescriptor.fromBytes(bytes)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no memory descriptor of version 1");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void refusesLengthsThatCannotBe(long length) {
        byte[] bytes = new MemoryDescriptor(-4096, 1, KEY).toBytes();
        ByteBuffer.wrap(bytes).putLong(LENGTH_OFFSET, length);
        assertThatThrownBy(() -> MemoryDescriptor.fromBytes(bytes)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("(length|address) .*");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "-1, 2", "-4096, 4096", "-4096, 4097", "-1, 9223372036854775807"})
    void refusesRangesThatReachTheEndOfTheAddressSpace(long address, long length) {
        assertThatThrownBy(() -> new MemoryDescriptor(address, length, KEY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("address");
    }

    @ParameterizedTest
    @CsvSource({"-4096, 4095", "-2, 1", "1, 9223372036854775807", "-9223372036854775808, 9223372036854775807"})
    void takesRangesUpToTheEndOfTheAddressSpace(long address, long length) {
        assertThat(new MemoryDescriptor(address, length, KEY).address()).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MemoryDescriptor.MAX_KEY_BYTES + 1, 0xFFFF})
    void refusesKeysThatCannotBe(int keyBytes) {
        assertThatThrownBy(() -> new MemoryDescriptor(1, 1, new byte[keyBytes]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key of " + keyBytes + " bytes");
    }

    @Test
    void refusesNothing() {
        assertThatThrownBy(() -> MemoryDescriptor.fromBytes(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("bytes");
    }

    @Test
    void copiesKey() {
        byte[] key = KEY.clone();
        MemoryDescriptor copied = new MemoryDescriptor(1, 1, key);
        key[0] = 99;
        assertThat(copied.key()[0]).isEqualTo((byte) 1);
    }
}
