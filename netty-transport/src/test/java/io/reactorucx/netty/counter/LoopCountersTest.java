package io.reactorucx.netty.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.netty.UcxNettyConfig;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long a loop counts as one that refuses clients. */
class LoopCountersTest {

    private final LoopCounters counters = new LoopRegistry().add("loop", UcxNettyConfig.DEFAULT);

    @Test
    void refusesUntilALaterClientIsAccepted() {
        assertThat(counters.refusesClients()).isFalse();

        counters.clientRefused(true);
        assertThat(counters.refusesClients()).isTrue();

        counters.clientRefused(false);
        assertThat(counters.refusesClients()).isFalse();
    }

    @Test
    void refusesForAMinuteWithoutAnotherClient() {
        long before = System.nanoTime();
        counters.clientRefused(true);
        long after = System.nanoTime();

        assertThat(counters.refusesClients(before + TimeUnit.SECONDS.toNanos(59))).isTrue();
        assertThat(counters.refusesClients(after + TimeUnit.SECONDS.toNanos(60))).isFalse();
    }
}
