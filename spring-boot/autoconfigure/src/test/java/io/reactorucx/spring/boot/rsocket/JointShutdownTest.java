package io.reactorucx.spring.boot.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxServer;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Greeting;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.GreetingController;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.rsocket.RSocketRequester;

/** The servers of an application refuse new clients together when the context closes, whichever has requests. */
class JointShutdownTest {

    private static final Duration LIMIT = RSocketApplication.LIMIT;

    /** A server of UCX itself. */
    @Configuration(proxyBeanMethods = false)
    static class Core {

        @Bean
        UcxBoundServer core(UcxServer template) {
            return template.handle((in, out) -> out.sendStrings(in.receiveStrings())).bindNow();
        }
    }

    private static ConfigurableApplicationContext start(String port) {
        return new SpringApplicationBuilder(RSocketApplication.class, Core.class).web(WebApplicationType.REACTIVE)
                .run("--spring.main.banner-mode=off", "--spring.reactor.netty.shutdown-quiet-period=0s",
                        "--server.port=0", "--server.address=127.0.0.1", "--reactor.ucx.web.server.enabled=true",
                        "--reactor.ucx.netty.plain-tcp.accepted=true", "--reactor.ucx.netty.loops=1",
                        "--spring.rsocket.server.address=127.0.0.1", "--reactor.ucx.rsocket.server.enabled=true",
                        "--" + port + "=0");
    }

    private static boolean refuses(int port) {
        try (Socket client = new Socket("127.0.0.1", port)) {
            assertThat(client.isConnected()).isTrue();
            return false;
        } catch (ConnectException refused) {
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.rsocket.server.port", "reactor.ucx.rsocket.server.port"})
    void allRefuseWhileOneEndsItsRequests(String property) {
        try (ConfigurableApplicationContext clients = RSocketApplication.start(List.of());
                ConfigurableApplicationContext server = start(property)) {
            int rsocket = server.getEnvironment().getRequiredProperty(property.startsWith("spring")
                    ? "local.rsocket.server.port" : UcxRSocketLifecycle.PORT, Integer.class);
            List<Integer> ports = Stream.of(rsocket, server.getBean(UcxBoundServer.class).port(),
                    server.getEnvironment().getRequiredProperty("local.server.port", Integer.class)).toList();
            assertThat(ports).noneMatch(JointShutdownTest::refuses);
            RSocketRequester requester = Credentials.ANNA.of(clients.getBean(RSocketRequester.Builder.class))
                    .transport(clients.getBean(UcxClientTransports.class).to("127.0.0.1", rsocket));
            CompletableFuture<Greeting> held = requester.route("held").retrieveMono(Greeting.class).toFuture();
            GreetingController controller = server.getBean(GreetingController.class);
            await().atMost(LIMIT).until(() -> controller.heldSink().currentSubscriberCount() == 1);

            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close,
                    task -> Thread.ofPlatform().daemon().start(task));

            await().atMost(LIMIT.dividedBy(2)).until(() -> ports.stream().allMatch(JointShutdownTest::refuses));
            assertThat(held).isNotDone();
            assertThat(closed).isNotDone();
            controller.heldSink().tryEmitValue(new Greeting("late")).orThrow();
            assertThat(held.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo(new Greeting("late"));
            closed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        }
    }
}
