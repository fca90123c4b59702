package io.reactorucx.spring.boot.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.UcxResources;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The meters of engines and loops are bound when these start. */
class UcxMetricsTest {

    private static final String ENGINE_METER = "reactor.ucx.engine.steps";
    private static final String LOOP_METER = "reactor.ucx.netty.channels.live";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class, UcxWebAutoConfiguration.class,
                    UcxMetricsAutoConfiguration.class, MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class))
            .withPropertyValues("reactor.ucx.transports=tcp,self,posix",
                    "spring.reactor.netty.shutdown-quiet-period=0s");
    private final ApplicationContextRunner withRegistry = runner.withBean(SimpleMeterRegistry.class,
            SimpleMeterRegistry::new);

    @Test
    void enginesWhenTheyStart() {
        withRegistry.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(names(registry)).doesNotContain(ENGINE_METER);
            assertThat(context.getBeanFactory().containsSingleton("ucxResources")).isFalse();

            UcxResources resources = context.getBean(UcxResources.class);
            assertThat(names(registry)).doesNotContain(ENGINE_METER);
            assertThat(resources.onUse().toFuture()).isNotDone();

            assertThat(resources.engines()).hasSize(1);
            assertThat(names(registry)).contains(ENGINE_METER).doesNotContain(LOOP_METER);
            assertThat(registry.get(ENGINE_METER).meter().getId().getTag("resources")).isNull();
        });
    }

    @Test
    void severalResourcesAreTold() {
        withRegistry.withBean("one", UcxResources.class, UcxMetricsTest::resources)
                .withBean("two", UcxResources.class, UcxMetricsTest::resources).run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBeansOfType(UcxResources.class).values().forEach(UcxResources::buffers);
                    assertThat(registry.find(ENGINE_METER).meters()).extracting(
                            meter -> meter.getId().getTag("resources")).containsExactlyInAnyOrder("one", "two");
                    context.getBeansOfType(UcxResources.class).values().forEach(UcxResources::disposeNow);
                });
    }

    private static UcxResources resources() {
        return UcxResources.builder().transports("tcp", "self", "posix").build();
    }

    @Test
    void loopsOfTheWeb() {
        withRegistry.withPropertyValues("reactor.ucx.web.client.enabled=true", "reactor.ucx.netty.loops=1")
                .run(context -> assertThat(names(context.getBean(MeterRegistry.class))).contains(LOOP_METER)
                        .doesNotContain(ENGINE_METER));
    }

    /** Registry and resources are the caller's here, and outlive the contexts. */
    @Test
    void endOfTheContextUnbindsMeters() {
        UcxResources shared = resources();
        MeterRegistry registry = new Kept();
        ApplicationContextRunner sharing = runner.withBean(MeterRegistry.class, () -> registry)
                .withBean("shared", UcxResources.class, () -> shared, definition -> definition.setDestroyMethodName(""))
                .withPropertyValues("reactor.ucx.web.client.enabled=true", "reactor.ucx.netty.loops=1");
        try {
            for (int i = 0; i < 2; i++) {
                sharing.run(context -> {
                    context.getBean(UcxResources.class).buffers();
                    assertThat(names(registry)).contains(ENGINE_METER, LOOP_METER);
                });
                assertThat(names(registry)).noneMatch(name -> name.startsWith("reactor.ucx"));
            }
            assertThat(shared.engines()).as("still in use").hasSize(1);
        } finally {
            shared.disposeNow();
        }
    }

    /** A registry that no context closes. */
    private static final class Kept extends SimpleMeterRegistry {

        @Override
        public void close() {
            // Its meters stay, so that those can be seen which were not unbound.
        }
    }

    /** A second context binds other resources, without a tag, to the registry of the first. */
    @Test
    void metersThatTheRegistryWouldIgnoreDoNotFailTheResources() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        UcxResources other = resources();
        try {
            new UcxMetrics(other).bindTo(registry);
            int before = registry.getMeters().size();
            runner.withBean(MeterRegistry.class, () -> registry).run(context -> {
                assertThat(context.getBean(UcxResources.class).engines()).hasSize(1);
                assertThat(registry.getMeters()).filteredOn(meter -> meter.getId().getName().startsWith("reactor.ucx"))
                        .hasSize(before);
            });
        } finally {
            other.disposeNow();
        }
    }

    @Test
    void conditions() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class,
                UcxMetricsAutoConfiguration.class)).run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(ResourcesMeters.class));
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class,
                UcxMetricsAutoConfiguration.class)).withBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new)
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class)).run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean("ucxResourcesMeters"));
        withRegistry.withClassLoader(new FilteredClassLoader(UcxLoopResources.class)).run(context ->
                assertThat(context).hasNotFailed().hasSingleBean(ResourcesMeters.class)
                        .doesNotHaveBean("ucxNettyMeters"));
        withRegistry.withBean(UcxMetrics.class, () -> new UcxMetrics(Own.RESOURCES)).run(context ->
                assertThat(context).doesNotHaveBean(ResourcesMeters.class));
    }

    /** Resources of an application that binds its meters itself. */
    private static final class Own {

        private static final UcxResources RESOURCES = resources();
    }

    private static List<String> names(MeterRegistry registry) {
        return registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getName).collect(Collectors.toList());
    }
}
