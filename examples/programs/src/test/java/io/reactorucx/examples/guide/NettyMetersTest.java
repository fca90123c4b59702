package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/guide/netty.md} that binds meters. */
class NettyMetersTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    @Test
    void metersAreBound() {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        UcxLoopResources loops = UcxLoopResources.create("ucx", 2, UcxNettyConfig.DEFAULT);
        // snippet: meters
        MeterRegistry registry = new SimpleMeterRegistry();
        new UcxNettyMetrics(loops.factory()).bindTo(registry);
        // end

        assertThat(registry.getMeters()).extracting(meter -> meter.getId().getName())
                .containsOnly(Arrays.stream(UcxNettyMeters.values()).map(UcxNettyMeters::getName)
                .toArray(String[]::new));
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }
}
