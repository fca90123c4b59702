package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinPolicyTest {

    @Test
    void vainSpinsGetShorterAndSuccessRestoresThem() {
        SpinPolicy policy = new SpinPolicy(800, 2);
        assertThat(policy.startIdle(1000)).isEqualTo(1800);
        policy.spunInVain();
        assertThat(policy.startIdle(2000)).isEqualTo(2400);
        for (int i = 0; i < 64; i++) {
            policy.spunInVain();
        }
        assertThat(policy.startIdle(3000)).isEqualTo(3000);

        policy.workCame(3801);
        assertThat(policy.startIdle(4000)).as("work that came too late for a spin").isEqualTo(4000);
        policy.workCame(4800);
        assertThat(policy.startIdle(5000)).isEqualTo(5800);
    }

    @Test
    void longLookNowAndThenFindsWhatComesLaterThanASpin() {
        SpinPolicy policy = new SpinPolicy(800, 2);
        for (int i = 1; i < 16; i++) {
            assertThat(policy.startIdle(0)).isLessThanOrEqualTo(800);
            policy.spunInVain();
            policy.workCame(3200);
        }
        assertThat(policy.startIdle(0)).isEqualTo(3200);
        policy.workCame(3200);
        assertThat(policy.startIdle(0)).as("the next one").isEqualTo(800);

        for (int i = 18; i < 32; i++) {
            policy.startIdle(0);
            policy.spunInVain();
        }
        assertThat(policy.startIdle(0)).isEqualTo(3200);
        policy.spunInVain();
        policy.workCame(3201);
        assertThat(policy.startIdle(0)).as("after a long one in vain").isZero();
    }

    @Test
    void longLookLastsNoLongerThanWakingALoopMayTake() {
        assertThat(longLook(400_000)).isEqualTo(1_000_000);
        assertThat(longLook(2_000_000)).isEqualTo(2_000_000);
    }

    private static long longLook(long spinNanos) {
        SpinPolicy policy = new SpinPolicy(spinNanos, 2);
        for (int i = 1; i < 16; i++) {
            policy.startIdle(0);
        }
        return policy.startIdle(0);
    }

    @Test
    void withoutASpinThereIsNone() {
        SpinPolicy policy = new SpinPolicy(0, 2);
        policy.startIdle(10);
        policy.workCame(10);

        assertThat(policy.startIdle(20)).isEqualTo(20);
    }

    @Test
    void nothingSpinsOnTheOnlyProcessor() {
        SpinPolicy policy = new SpinPolicy(800, 1);
        assertThat(policy.startIdle(10)).isEqualTo(10);
        policy.workCame(11);

        assertThat(policy.startIdle(20)).isEqualTo(20);
    }
}
