package io.reactorucx.spring.boot.discovery;

import static io.reactorucx.spring.boot.discovery.UcxInstanceTest.instance;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.DefaultServiceInstance;
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

    /** Of a registration that lacks a part, or that throws. */
    private static ServiceInstance without(String id, @Nullable String host, @Nullable Map<String, String> metadata) {
        return new DefaultServiceInstance(id, "service", host, 80, false, metadata);
    }

    private static final ServiceInstance UNREADABLE = new DefaultServiceInstance("u", "service", "127.0.0.1", 80,
            false) {

        private static final long serialVersionUID = 1;

        @Override
        public Map<String, String> getMetadata() {
            throw new IllegalStateException("unreadable");
        }
    };

    @Test
    void aWrongInstanceCostsItselfAlone() {
        ServiceInstance good = instance("z", 80, Map.of("ucx.port", "1"));
        Map<String, String> both = Map.of("ucx.port", "1", "ucx.tcp-port", "2");
        List<ServiceInstance> wrong = List.of(without("a", null, both), without("b", " ", both), UNREADABLE,
                without("c", null, Map.of("ucx.tcp-port", "2")), without("d", "127.0.0.1", Map.of("ucx.port", "x")),
                without("e", null, Map.of("ucx.port", "1")));
        answer = Flux.fromIterable(wrong).concatWithValues(good);
        StepVerifier.withVirtualTime(() -> targets(true).targets("service"))
                .thenAwait(Duration.ZERO)
                .assertNext(targets -> assertThat(targets).hasSize(1))
                .then(() -> answer = Flux.just(good, instance("y", 80, Map.of("ucx.port", "2"))))
                .thenAwait(REFRESH)
                .assertNext(targets -> assertThat(targets).hasSize(2))
                .thenCancel().verify();
    }

    @Test
    void aRegistryThatThrowsIsAskedAgain() {
        ReactiveDiscoveryClient throwing = new ReactiveDiscoveryClient() {

            @Override
            public String description() {
                return "throws at first";
            }

            @Override
            public Flux<ServiceInstance> getInstances(String serviceId) {
                if (lookups.incrementAndGet() == 1) {
                    throw new IllegalStateException("not ready");
                }
                return answer;
            }

            @Override
            public Flux<String> getServices() {
                return Flux.empty();
            }
        };
        answer = Flux.just(instance("a", 80, Map.of()));
        StepVerifier.withVirtualTime(() -> new UcxRSocketTargets(throwing, null, (host, port) -> new Address("tcp",
                        host, port), new UcxDiscoveryProperties(true, REFRESH, MAX, REFRESH, REFRESH))
                        .instances("service"))
                .thenAwait(REFRESH).assertNext(instances -> assertThat(instances).hasSize(1)).thenCancel().verify();
    }

    @Test
    void theLimitKeepsTheFirstOnesInTheirOrder() {
        answer = Flux.range(0, 9).map(i -> instance("i" + (9 - i), 80, Map.of()));
        StepVerifier.withVirtualTime(() -> targets(true).instances("service")).thenAwait(Duration.ZERO)
                .assertNext(instances -> assertThat(instances).extracting(ServiceInstance::getInstanceId)
                        .containsExactly("i1", "i2", "i3"))
                .then(() -> answer = Flux.range(1, 9).map(i -> instance("i" + i, 80, Map.of())))
                .as("another order of the registry is no change")
                .expectNoEvent(REFRESH.multipliedBy(2)).thenCancel().verify();
    }

    @Test
    void namesOfTheRegistryBeginNoLineOfTheLog() {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, UTF_8));
        try {
            String forged = "a\r\nERROR forged \u2028 line \u001b[31m" + "x".repeat(10_000);
            assertThat(targets(true).transport(without(forged, "127.0.0.1", Map.of("ucx.port", forged)))).isEmpty();
            new UcxHttpPeers(REFRESH).chosen(without(forged, "127.0.0.1", Map.of("ucx.port", forged)));
        } finally {
            System.setErr(before);
        }
        String line = LogText.of("a\r\nERROR forged \u2028 line \u001b[31m");
        assertThat(line).isEqualTo("a??ERROR forged ? line ?[31m");
        assertThat(log.toString(UTF_8)).doesNotContain("\u2028", "\u001b");
        assertThat(log.toString(UTF_8).lines()).allMatch(each -> each.length() < 1000)
                .noneMatch(each -> each.startsWith("ERROR forged"));
    }
}
