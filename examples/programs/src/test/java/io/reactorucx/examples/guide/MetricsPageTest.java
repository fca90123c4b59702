package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.Arrays;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** The code of {@code docs/guide/metrics.md}. */
class MetricsPageTest extends Page {

    @Test
    void metersAreBound() {
        // snippet: bind
        MeterRegistry registry = new SimpleMeterRegistry();
        new UcxMetrics(resources).bindTo(registry);
        // end

        assertThat(registry.getMeters()).extracting(meter -> meter.getId().getName())
                .containsOnly(Arrays.stream(UcxMeters.values()).map(UcxMeters::getName)
                .filter(Predicate.not(UcxMeters.PEER_CONNECTIONS.getName()::equals)).toArray(String[]::new));
    }

    @Test
    void metersAreUnbound() {
        MeterRegistry registry = new SimpleMeterRegistry();
        // snippet: unbind
        Disposable binding = new UcxMetrics(resources).bind(registry);
        // ...
        binding.dispose();
        // end

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void timesAndPeersAreChosen() {
        MeterRegistry registry = new SimpleMeterRegistry();
        // snippet: chosen
        new UcxMetrics(resources, Tags.of("role", "orders")).timingRequests(1).showingPeers(50).bindTo(registry);
        // end

        assertThat(registry.get(UcxMeters.PEER_CONNECTIONS.getName()).tag("peer", "other").tag("role", "orders")
                .gauge().value()).isZero();
        assertThat(registry.get(UcxMeters.REQUEST_TIME.getName()).functionTimers()).isNotEmpty();
    }
}
