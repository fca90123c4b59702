package io.reactorucx.core.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UcpMacrosTest {

    @ParameterizedTest
    @ValueSource(longs = {-1, -5, -16, -80, -99, -100})
    void decodesErrors(long pointer) {
        assertThat(UcpMacros.isError(pointer)).isTrue();
        assertThat(UcpMacros.status(pointer)).isEqualTo((byte) pointer);
    }

    @Test
    void decodesSuccess() {
        assertThat(UcpMacros.isError(0)).isFalse();
        assertThat(UcpMacros.status(0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 16, 0x7f12_3456_7890L, 0xFFFF_8000_0000_0000L, Long.MAX_VALUE, Long.MIN_VALUE, -101})
    void decodesRequests(long pointer) {
        assertThat(UcpMacros.isError(pointer)).isFalse();
        assertThat(UcpMacros.status(pointer)).isEqualTo((byte) 1);
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "4, 32", "8, 64"})
    void makesContiguousDatatypes(long elementSize, long datatype) {
        assertThat(UcpMacros.contiguous(elementSize)).isEqualTo(datatype);
    }
}
