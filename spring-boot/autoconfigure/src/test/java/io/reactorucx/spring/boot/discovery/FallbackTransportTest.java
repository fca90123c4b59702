package io.reactorucx.spring.boot.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class FallbackTransportTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration RETRY = Duration.ofSeconds(30);

    private final List<String> tried = new ArrayList<>();
    private final AtomicLong nanoTime = new AtomicLong();
    private final DuplexConnection connection = (DuplexConnection) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {DuplexConnection.class}, (proxy, method, arguments) -> null);
    private Mono<DuplexConnection> ucx = Mono.just(connection);
    private Mono<DuplexConnection> tcp = Mono.just(connection);
    private final FallbackTransport transport = new FallbackTransport("instance",
            transport("ucx", 100), transport("tcp", 200), TIMEOUT, RETRY, nanoTime::get);

    private ClientTransport transport(String name, int maxFrameLength) {
        return new ClientTransport() {

            @Override
            public Mono<DuplexConnection> connect() {
                return Mono.defer(() -> {
                    tried.add(name);
                    return name.equals("ucx") ? ucx : tcp;
                });
            }

            @Override
            public int maxFrameLength() {
                return maxFrameLength;
            }
        };
    }

    @Test
    void connectsOverUcx() {
        StepVerifier.create(transport.connect()).expectNextCount(1).verifyComplete();
        assertThat(tried).containsExactly("ucx");
        assertThat(transport.maxFrameLength()).isEqualTo(100);
    }

    @Test
    void connectsOverTcpWhenUcxFailsAndTriesUcxAgainLater() {
        ucx = Mono.error(new ConnectException("no route"));
        StepVerifier.create(transport.connect()).expectNextCount(1).verifyComplete();
        StepVerifier.create(transport.connect()).expectNextCount(1).verifyComplete();
        assertThat(tried).containsExactly("ucx", "tcp", "tcp");
        nanoTime.set(RETRY.toNanos());
        ucx = Mono.just(connection);
        StepVerifier.create(transport.connect()).expectNextCount(1).verifyComplete();
        assertThat(tried).containsExactly("ucx", "tcp", "tcp", "ucx");
    }

    @Test
    void connectsOverTcpWhenUcxTakesTooLong() {
        ucx = Mono.never();
        StepVerifier.withVirtualTime(transport::connect).expectSubscription().expectNoEvent(TIMEOUT)
                .expectNextCount(1).verifyComplete();
        assertThat(tried).containsExactly("ucx", "tcp");
    }

    @Test
    void anInstanceThatIsGoneIsNoFaultOfUcx() {
        ucx = Mono.error(new ConnectException("gone over UCX"));
        tcp = Mono.error(new ConnectException("gone over TCP"));
        StepVerifier.create(transport.connect()).verifyErrorSatisfies(error -> assertThat(error)
                .hasMessage("gone over TCP").satisfies(both -> assertThat(both.getSuppressed()[0])
                        .hasMessage("gone over UCX")));
        StepVerifier.create(transport.connect()).verifyError();
        assertThat(tried).containsExactly("ucx", "tcp", "ucx", "tcp");
    }
}
