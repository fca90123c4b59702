package io.reactorucx.internal.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Idle endpoints of all engines share one limit. */
class IdleEndpointLimitTest {

    @Test
    void reservesUpToTheLimitAndAgainWhatWasGivenBack() {
        IdleEndpointLimit limit = new IdleEndpointLimit(2);
        assertThat(limit.limit()).isEqualTo(2);
        assertThat(limit.tryReserve()).isTrue();
        assertThat(limit.tryReserve()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(limit.tryReserve()).isFalse();
            assertThat(limit.count()).as("a refusal takes no room").isEqualTo(2);
        }
        limit.release();
        assertThat(limit.count()).isEqualTo(1);
        assertThat(limit.tryReserve()).isTrue();
        assertThat(limit.tryReserve()).isFalse();
    }

    @Test
    void zeroKeepsNoEndpoint() {
        IdleEndpointLimit none = new IdleEndpointLimit(0);
        assertThat(none.tryReserve()).isFalse();
        assertThat(none.count()).isZero();
    }
}
