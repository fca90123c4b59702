package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Servers that are beans drain before the resources end. */
class UcxShutdownTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class))
            .withPropertyValues("reactor.ucx.transports=tcp,self,posix");

    /** A server whose handlers answer late, and one that nothing uses. */
    @Configuration(proxyBeanMethods = false)
    static class Servers {

        private final Sinks.One<String> answer = Sinks.one();

        @Bean
        UcxBoundServer server(UcxServer template) {
            return template.handle((in, out) -> in.receiveStrings().take(1)
                    .then(answer.asMono()).flatMap(text -> out.sendStrings(Mono.just(text)))).bindNow();
        }

        @Bean
        @Lazy
        UcxBoundServer unused() {
            throw new IllegalStateException("the end of a context starts a server");
        }
    }

    @Test
    void handlersEndWithinTheGracePeriod() {
        UcxResources clients = SharedResources.INSTANCE;
        CompletableFuture<?>[] closed = new CompletableFuture<?>[1];
        runner.withUserConfiguration(Servers.class).run(context -> {
            UcxBoundServer server = context.getBean("server", UcxBoundServer.class);
            UcxResources resources = context.getBean(UcxResources.class);
            UcxClient client = UcxClient.create(clients).remoteAddress(server.address());
            UcxConnection connection = client.connectNow(LIMIT);
            CompletableFuture<String> late = connection.inbound().receiveStrings().next().toFuture();
            connection.outbound().sendStrings(Mono.just("question")).block(LIMIT);
            await().atMost(LIMIT).until(() -> server.connections() == 1);

            closed[0] = CompletableFuture.runAsync(context.getSourceApplicationContext()::close,
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(LIMIT).until(() -> catchThrowable(() -> client.connectNow(LIMIT)) != null);
            assertThat(closed[0]).isNotDone();
            assertThat(resources.isDisposed()).isFalse();
            assertThat(late).isNotDone();
            context.getBean(Servers.class).answer.tryEmitValue("answer").orThrow();

            assertThat(late.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo("answer");
            closed[0].orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(resources.isDisposed()).isTrue();
        });
        assertThat(closed[0]).isCompleted();
    }

    @Test
    void theTimeoutEndsHandlersThatDoNot() {
        runner.withUserConfiguration(Servers.class).withPropertyValues("reactor.ucx.shutdown.grace-period=100ms",
                "reactor.ucx.shutdown.timeout=300ms").run(context -> {
                    UcxConnection connection = UcxClient.create(SharedResources.INSTANCE)
                            .remoteAddress(context.getBean("server", UcxBoundServer.class).address())
                            .connectNow(LIMIT);
                    connection.outbound().sendStrings(Mono.just("question")).block(LIMIT);

                    context.getSourceApplicationContext().close();
                    assertThat(connection.onDispose().then(Mono.just("closed")).onErrorReturn("lost").block(LIMIT))
                            .isIn("closed", "lost");
                });
    }
}
