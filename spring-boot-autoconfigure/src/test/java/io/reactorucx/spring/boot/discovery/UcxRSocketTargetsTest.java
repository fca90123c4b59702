package io.reactorucx.spring.boot.discovery;

import static io.reactorucx.spring.boot.discovery.UcxInstanceTest.instance;
import static org.assertj.core.api.Assertions.assertThat;

import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class UcxRSocketTargetsTest {

    private static final Duration REFRESH = Duration.ofSeconds(1);
    private static final int MAX = 3;

    private final AtomicInteger lookups = new AtomicInteger();
    private volatile Flux<ServiceInstance> answer = Flux.empty();

    private final ReactiveDiscoveryClient registry = new ReactiveDiscoveryClient() {

        @Override
        public String description() {
            return "test";
        }

        @Override
        public Flux<ServiceInstance> getInstances(String serviceId) {
            return Flux.defer(() -> {
                lookups.incrementAndGet();
                return answer;
            });
        }

        @Override
        public Flux<String> getServices() {
            return Flux.just("service");
        }
    };

    /** A transport that remembers its address. */
    private record Address(String kind, String host, int port) implements ClientTransport {

        @Override
        public Mono<DuplexConnection> connect() {
            return Mono.never();
        }
    }

    private UcxRSocketTargets targets(boolean ucx) {
        return new UcxRSocketTargets(registry, ucx ? (host, port) -> new Address("ucx", host, port) : null,
                (host, port) -> new Address("tcp", host, port),
                new UcxDiscoveryProperties(true, REFRESH, MAX, Duration.ofSeconds(1), Duration.ofSeconds(30)));
    }

    private @Nullable ClientTransport transport(boolean ucx, Map<String, String> metadata) {
        return targets(ucx).transport(instance("a", 80, metadata)).orElse(null);
    }

    @Test
    void theMetadataDecideAboutTheTransport() {
        assertThat(transport(true, Map.of("ucx.port", "1"))).isEqualTo(new Address("ucx", "127.0.0.1", 1));
        assertThat(transport(true, Map.of("ucx.port", "1", "ucx.host", "ib0"))).isEqualTo(new Address("ucx", "ib0", 1));
        assertThat(transport(true, Map.of("ucx.port", "1", "ucx.tcp-port", "2"))).isInstanceOf(FallbackTransport.class);
        assertThat(transport(true, Map.of("ucx.tcp-port", "2"))).isEqualTo(new Address("tcp", "127.0.0.1", 2));
        assertThat(transport(true, Map.of())).isNull();
        assertThat(transport(true, Map.of("ucx.port", "x"))).isNull();
        assertThat(transport(false, Map.of("ucx.port", "1", "ucx.tcp-port", "2")))
                .isEqualTo(new Address("tcp", "127.0.0.1", 2));
        assertThat(transport(false, Map.of("ucx.port", "1"))).isNull();
    }

    @Test
    void targetsFollowTheRegistryAndRepeatNothing() {
        ServiceInstance first = instance("a", 80, Map.of("ucx.port", "1"));
        ServiceInstance second = instance("b", 81, Map.of("ucx.port", "2"));
        ServiceInstance plain = instance("c", 82, Map.of());
        answer = Flux.just(second, first, plain);
        StepVerifier.withVirtualTime(() -> targets(true).targets("service"))
                .thenAwait(Duration.ZERO)
                .assertNext(targets -> assertThat(targets).hasSize(2))
                .expectNoEvent(REFRESH.multipliedBy(3))
                .then(() -> answer = Flux.just(first))
                .thenAwait(REFRESH)
                .assertNext(targets -> assertThat(targets).hasSize(1))
                .then(() -> answer = Flux.just(instance("a", 80, Map.of("ucx.port", "9"))))
                .thenAwait(REFRESH)
                .assertNext(targets -> assertThat(targets).as("the same instance at another port").hasSize(1))
                .thenCancel().verify();
    }

    @Test
    void aLookupThatFailsOrHangsKeepsTheInstances() {
        ServiceInstance first = instance("a", 80, Map.of("ucx.port", "1"));
        answer = Flux.just(first);
        StepVerifier.withVirtualTime(() -> targets(true).instances("service"))
                .thenAwait(Duration.ZERO).expectNext(List.of(first))
                .then(() -> answer = Flux.error(new IllegalStateException("registry is down")))
                .expectNoEvent(REFRESH.multipliedBy(2))
                .then(() -> answer = Flux.never())
                .expectNoEvent(REFRESH.multipliedBy(3))
                .then(() -> answer = Flux.empty())
                .thenAwait(REFRESH.multipliedBy(6)).expectNext(List.of())
                .thenCancel().verify();
        // The one that hung took as long as five others.
        assertThat(lookups.get()).isBetween(4, 8);
    }

    @Test
    void noMoreInstancesThanTheLimitAreUsed() {
        answer = Flux.range(0, 100).map(i -> instance("i" + i, i + 1, Map.of()));
        StepVerifier.withVirtualTime(() -> targets(true).instances("service")).thenAwait(Duration.ZERO)
                .assertNext(instances -> assertThat(instances).hasSize(MAX)).thenCancel().verify();
    }
}
