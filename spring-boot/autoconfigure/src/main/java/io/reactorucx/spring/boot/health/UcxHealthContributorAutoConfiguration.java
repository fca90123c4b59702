package io.reactorucx.spring.boot.health;

import io.reactorucx.UcxResources;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.UcxProbe;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health of engines, connections and loops, under the name {@code ucx}. */
@AutoConfiguration(after = {UcxAutoConfiguration.class, UcxWebAutoConfiguration.class}, beforeName =
    "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration")
@ConditionalOnClass({UcxResources.class, ReactiveHealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("ucx")
public final class UcxHealthContributorAutoConfiguration {

    /** For Spring. */
    UcxHealthContributorAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = {"ucxHealthIndicator", "ucxHealthContributor"})
    ReactiveHealthContributor ucxHealthContributor(ConfigurableListableBeanFactory beans, UcxProbe probe,
            ObjectProvider<HealthPart> others) {
        StartedResources resources = new StartedResources(beans);
        Map<String, ReactiveHealthContributor> parts = new TreeMap<>();
        parts.put("engines", new EnginesHealthIndicator(resources, probe));
        parts.put("connections", new ConnectionsHealthIndicator(resources));
        others.forEach(part -> parts.put(part.name(), part.indicator()));
        return CompositeReactiveHealthContributor.fromMap(parts);
    }

    /**
     * A part of the health of UCX. Were it a contributor, the registry would show it a second time.
     *
     * @param name its name
     * @param indicator its health
     */
    record HealthPart(String name, ReactiveHealthIndicator indicator) {
    }

    /** Loops. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(UcxLoopResources.class)
    @ConditionalOnBean(UcxLoopResources.class)
    static class LoopsConfiguration {

        @Bean
        HealthPart ucxLoopsHealth(ObjectProvider<UcxLoopResources> loops, UcxProbe probe) {
            return new HealthPart("loops", new LoopsHealthIndicator(loops, probe));
        }
    }
}
