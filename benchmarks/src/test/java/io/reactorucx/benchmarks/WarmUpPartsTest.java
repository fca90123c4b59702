package io.reactorucx.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests how long a warm-up goes on. */
class WarmUpPartsTest {

    private static final long PART = 1000;

    /** Runs a warm-up, each part of which has as much to compile as given, and the later ones as much as the last. */
    private static int parts(long most, long... compiled) {
        WarmUp warmUp = new WarmUp(most);
        int parts = 0;
        while (warmUp.goesOn()) {
            warmUp.ended(PART, compiled[Math.min(parts, compiled.length - 1)]);
            parts++;
        }
        return parts;
    }

    @Test
    void goesOnUntilLittleIsCompiledInAsManyPartsAsItHasAtLeast() {
        assertThat(parts(100, 0)).isEqualTo(WarmUp.PARTS);
        assertThat(parts(100, PART, PART, PART, PART, PART, 0)).isEqualTo(5 + WarmUp.PARTS);
        assertThat(parts(100, 0, 0, 0, PART, 0)).isEqualTo(4 + WarmUp.PARTS);
    }

    @Test
    void endsAtItsLimitWhileTheCompilerIsBusy() {
        assertThat(parts(10, PART)).isEqualTo(10);
    }

    @Test
    void hasItsPartsWhateverTheLimit() {
        assertThat(parts(0, PART)).isEqualTo(WarmUp.PARTS);
    }
}
