package io.reactorucx.examples.dashboard;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.UcxResources;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.UcxPlainTcpConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * The configuration of both processes: loops over UCX for HTTP, resources for requests and messages, and the meters of
 * both.
 */
@Configuration(proxyBeanMethods = false)
class UcxConfiguration {

    private static final String LOOPS = "http";

    /** Browsers and Prometheus know nothing of UCX, so the loops serve plain TCP, too. */
    @Bean
    ReactorResourceFactory reactorResourceFactory() {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true));
        ReactorResourceFactory factory = new ReactorResourceFactory();
        factory.setUseGlobalResources(false);
        factory.setShutdownQuietPeriod(Duration.ZERO);
        factory.setLoopResourcesSupplier(() -> UcxLoopResources.create(LOOPS, 1, config));
        return factory;
    }

    @Bean(destroyMethod = "disposeNow")
    UcxResources ucxResources() {
        return UcxResources.create();
    }

    @Bean
    MeterBinder ucxMeters(UcxResources resources) {
        return new UcxMetrics(resources).timingRequests(1);
    }

    @Bean
    MeterBinder loopMeters(ReactorResourceFactory factory) {
        return new UcxNettyMetrics(((UcxLoopResources) factory.getLoopResources()).factory());
    }
}
