package io.reactorucx.spring.boot.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxResources;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import io.reactorucx.testsupport.TestTime;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.ReactiveHealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/** The states of the health of UCX. */
class UcxHealthTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class, UcxWebAutoConfiguration.class,
                    UcxHealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class))
            .withPropertyValues("reactor.ucx.transports=tcp,self,posix", "reactor.ucx.engine.stall-threshold=50ms",
                    "spring.reactor.netty.shutdown-quiet-period=0s");

    @Test
    void unknownBeforeTheStartWhichItDoesNotCause() {
        runner.run(context -> {
            assertThat(health(context, "engines")).isEqualTo(
                    Health.unknown().withDetail("state", "not started").build());
            assertThat(health(context, "connections").getStatus()).isEqualTo(Status.UNKNOWN);
            assertThat(context.getBeanFactory().containsSingleton("ucxResources")).isFalse();
            assertThat(registered(context).getContributor("loops")).isNull();
        });
    }

    @Test
    void upWhileEnginesAnswer() {
        runner.withPropertyValues("reactor.ucx.engine.count=2", "reactor.ucx.engine.name=e").run(context -> {
            UcxResources resources = context.getBean(UcxResources.class);
            // A busy machine may have let an engine wait, which another look corrects.
            await().atMost(LIMIT).until(() -> health(context, "engines").getStatus() == Status.UP);
            assertThat(engine(context, "e-0")).containsEntry("state", "running")
                    .hasEntrySatisfying("stalls", stalls -> assertThat(stalls).isInstanceOf(Long.class))
                    .hasEntrySatisfying("longestStallMillis", millis -> assertThat(millis).isInstanceOf(Long.class));
            assertThat(engine(context, "e-1")).containsEntry("state", "running");
            assertThat(resources.engines()).hasSize(2);
            Health connections = health(context, "connections");
            assertThat(connections.getStatus()).isEqualTo(Status.UP);
            assertThat(details(connections, "ucxResources")).containsEntry("open", 0)
                    .containsEntry("maxParkedEndpoints", 1024)
                    .hasEntrySatisfying("listening", list -> assertThat(list).asInstanceOf(
                            InstanceOfAssertFactories.list(String.class)).isNotEmpty()
                            .allMatch(each -> each.matches("127[.]0[.]0[.]1:[0-9]+")));
        });
    }

    @Test
    void downWhileAnEngineIsBlocked() {
        runner.withPropertyValues("reactor.ucx.engine.count=2", "reactor.ucx.engine.name=e").run(context -> {
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            context.getBean(UcxResources.class).engines().getLast().execute(new Block(blocked, end));
            assertThat(blocked.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            try {
                await().atMost(LIMIT).until(() -> health(context, "engines").getStatus() == Status.DOWN
                        && "stalled".equals(engine(context, "e-1").get("state")));
                assertThat(engine(context, "e-1")).containsKeys("blockedBy", "blockedMillis");
            } finally {
                end.countDown();
            }
            await().atMost(LIMIT).until(() -> health(context, "engines").getStatus() == Status.UP);
        });
    }

    @Test
    void downAfterTheEnd() {
        runner.run(context -> {
            UcxResources resources = context.getBean(UcxResources.class);
            assertThat(resources.engines()).hasSize(1);
            resources.disposeNow();

            assertThat(health(context, "engines").getStatus()).isEqualTo(Status.DOWN);
            assertThat(health(context, "connections")).isEqualTo(
                    Health.down().withDetail("ucxResources", "disposed").build());
        });
    }

    @Test
    void loopsOfTheWeb() {
        runner.withPropertyValues("reactor.ucx.web.client.enabled=true", "reactor.ucx.netty.loops=2").run(context -> {
            Health loops = health(context, "loops");
            assertThat(loops.getStatus()).isEqualTo(Status.UP);
            assertThat(loops.getDetails()).containsEntry("loops", 2).containsEntry("channels", 0)
                    .containsEntry("receivedBytes", 0L);

            context.getBean(UcxLoopResources.class).disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block(LIMIT);
            assertThat(health(context, "loops").getStatus()).isEqualTo(Status.DOWN);
        });
    }

    /** As where the shared memory has no room for the worker of a further loop. */
    @Test
    void downWhileALoopRefusesClients() {
        runner.withPropertyValues("reactor.ucx.web.client.enabled=true")
                .withBean(UcxLoopResources.class, () -> UcxLoopResources.create("refusing", 1,
                        UcxNettyConfig.DEFAULT.withTransports("pigeon")))
                .run(context -> {
                    DisposableServer server = TcpServer.create().runOn(context.getBean(UcxLoopResources.class))
                            .host("127.0.0.1").port(0).bindNow(LIMIT);
                    try (Socket _ = new Socket("127.0.0.1", server.port())) {
                        await().atMost(LIMIT).until(() -> health(context, "loops").getStatus() == Status.DOWN);
                        assertThat(health(context, "loops").getDetails()).containsKey("reason")
                                .hasEntrySatisfying("refusingLoops", loops ->
                                        assertThat(loops).asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(1));
                    } finally {
                        server.disposeNow(LIMIT);
                    }
                });
    }

    @Test
    void conditions() {
        runner.withPropertyValues("management.health.ucx.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("ucxHealthContributor"));
        runner.withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("ucxHealthContributor"));
        runner.withClassLoader(new FilteredClassLoader(ReactiveHealthIndicator.class,
                ReactiveHealthContributorRegistry.class)).run(context -> assertThat(context).hasNotFailed()
                        .doesNotHaveBean("ucxHealthContributor"));
        ReactiveHealthIndicator own = () -> reactor.core.publisher.Mono.just(Health.up().build());
        runner.withBean("ucxHealthIndicator", ReactiveHealthIndicator.class, () -> own).run(context -> {
            assertThat(context).doesNotHaveBean("ucxHealthContributor");
            assertThat(context.getBean(ReactiveHealthContributorRegistry.class).getContributor("ucx")).isSameAs(own);
        });
    }

    /** Kernel TCP by property is up, and says why it is not UCX. */
    @Test
    void theFallbackIsShownWithItsReason() {
        runner.withPropertyValues("reactor.ucx.web.client.enabled=true", "reactor.ucx.transports=tpc",
                "reactor.ucx.fallback=tcp").run(context -> {
                    assertThat(context).hasNotFailed();
                    for (String part : new String[] {"loops", "engines"}) {
                        assertThat(health(context, part).getStatus()).isEqualTo(Status.UNKNOWN);
                        assertThat(health(context, part).getDetails().get("reason")).asString()
                                .contains("reactor.ucx.transports").contains("tpc").contains("posix");
                    }
                });
    }

    private static Map<String, Object> engine(ApplicationContext context, String name) {
        return asMap(details(health(context, "engines"), "ucxResources").get(name));
    }

    private static Map<String, Object> details(Health health, String name) {
        return asMap(health.getDetails().get(name));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        assertThat(value).isInstanceOf(Map.class);
        return (Map<String, Object>) value;
    }

    private static CompositeReactiveHealthContributor registered(ApplicationContext context) {
        ReactiveHealthContributor ucx = context.getBean(ReactiveHealthContributorRegistry.class).getContributor("ucx");
        return (CompositeReactiveHealthContributor) java.util.Objects.requireNonNull(ucx, "ucx");
    }

    private static Health health(ApplicationContext context, String part) {
        return ((ReactiveHealthIndicator) java.util.Objects.requireNonNull(registered(context).getContributor(part)))
                .health().block(LIMIT);
    }

    /**
     * Blocks an engine.
     *
     * @param blocked it does
     * @param end until this
     */
    private record Block(CountDownLatch blocked, CountDownLatch end) implements Command {

        @Override
        public void run(UcpWorker worker) {
            blocked.countDown();
            try {
                end.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void reject(RuntimeException cause) {
            throw cause;
        }
    }
}
