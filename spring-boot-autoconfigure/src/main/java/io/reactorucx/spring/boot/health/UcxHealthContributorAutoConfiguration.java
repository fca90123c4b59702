package io.reactorucx.spring.boot.health;

import io.reactorucx.UcxResources;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.PropertyTarget;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.UcxProperties;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import java.time.Duration;
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

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** For Spring. */
    UcxHealthContributorAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = {"ucxHealthIndicator", "ucxHealthContributor"})
    ReactiveHealthContributor ucxHealthContributor(ConfigurableListableBeanFactory beans, UcxProperties properties,
            ObjectProvider<HealthPart> others) {
        StartedResources resources = new StartedResources(beans);
        Duration timeout = properties.health().timeout();
        new PropertyTarget("reactor.ucx.health").set("timeout", timeout,
                UcxHealthContributorAutoConfiguration::checkTimeout);
        Map<String, ReactiveHealthContributor> parts = new TreeMap<>();
        parts.put("engines", new EnginesHealthIndicator(resources, timeout));
        parts.put("connections", new ConnectionsHealthIndicator(resources));
        others.forEach(part -> parts.put(part.name(), part.indicator()));
        return CompositeReactiveHealthContributor.fromMap(parts);
    }

    private static void checkTimeout(Duration timeout) {
        if (timeout.compareTo(SHORTEST) < 0 || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be in " + SHORTEST + ".." + LONGEST);
        }
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
        HealthPart ucxLoopsHealth(ObjectProvider<UcxLoopResources> loops) {
            return new HealthPart("loops", new LoopsHealthIndicator(loops));
        }
    }
}
