package io.reactorucx.core.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class NativeTextTest {

    @Test
    void collectsTextsOfAnyLength() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            assertThat((int) ucx_h.ucp_config_read(MemorySegment.NULL, MemorySegment.NULL, pointer)).isZero();
            MemorySegment settings = pointer.get(ValueLayout.ADDRESS, 0);
            try {
                String once = print(settings, 1);
                assertThat(once).contains("UCX_TLS=").endsWith("\n");
                for (int times : new int[] {2, 20, 200, 2000}) {
                    assertThat(print(settings, times)).hasSize(times * once.length()).isEqualTo(once.repeat(times));
                }
                assertThat(2000L * once.length()).as("more than the first memory").isGreaterThan(1 << 20);
            } finally {
                ucx_h.ucp_config_release(settings);
            }
        }
    }

    private static String print(MemorySegment settings, int times) {
        return NativeText.print(stream -> {
            for (int i = 0; i < times; i++) {
                ucx_h.ucp_config_print(settings, stream, MemorySegment.NULL, ucx_h.UCS_CONFIG_PRINT_CONFIG());
            }
        });
    }

    @Test
    void collectsNoText() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        assertThat(NativeText.print(stream -> { })).isEmpty();
    }
}
