package io.reactorucx.spring.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.UcxResources;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Binds the meters of engines and loops to the application's registry, once the engines have started. */
@AutoConfiguration(after = {UcxAutoConfiguration.class, UcxWebAutoConfiguration.class}, afterName =
    "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({UcxResources.class, MeterRegistry.class})
@ConditionalOnBean(MeterRegistry.class)
public final class UcxMetricsAutoConfiguration {

    /** For Spring. */
    UcxMetricsAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean({ResourcesMeters.class, UcxMetrics.class})
    static ResourcesMeters ucxResourcesMeters(ListableBeanFactory beans, ObjectProvider<MeterRegistry> registry) {
        return new ResourcesMeters(beans, registry);
    }

    /** Loops. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(UcxNettyMetrics.class)
    @ConditionalOnBean(UcxLoopResources.class)
    static class LoopsConfiguration {

        @Bean
        @ConditionalOnMissingBean(UcxNettyMetrics.class)
        MeterBinder ucxNettyMeters(ObjectProvider<UcxLoopResources> loops) {
            return new LoopsMeters(loops);
        }
    }
}
