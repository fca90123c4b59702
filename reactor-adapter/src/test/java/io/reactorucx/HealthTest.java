package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.application.BlockingApplication;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.engine.EngineHealth.State;
import io.reactorucx.engine.EngineHealth.UnderWay;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.metrics.UcxMeters;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** The health of the engines of some resources: each state, and the operation that is under way for longest. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class HealthTest implements NeedsUcx {

    /** An engine may stall by itself for a while on a machine that does much else: it is counted, too. */
    private static final Duration THRESHOLD = Duration.ofMillis(100);

    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().stallThreshold(THRESHOLD).build();
        clientResources = Route.POSIX_BY_SOCKET_ADDRESS.resources().engines(2).build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            clientResources.disposeNow();
            resources.disposeNow();
        }
    }

    private UcxConnection connect(UcxResponder responder) {
        UcxBoundServer server = UcxServer.create(resources).respond(responder).bindNow();
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).engine(1).connectNow();
    }

    private EngineHealth server() {
        return resources.health().getFirst();
    }

    @Test
    void handlerThatBlocksIsNamedUntilItGoesOn() throws InterruptedException {
        BlockingApplication application = new BlockingApplication();
        UcxConnection client = connect(application);
        assertThat(server().state()).isEqualTo(State.RUNNING);

        CompletableFuture<byte[]> response = client.requester().requestResponse(new byte[8]).toFuture();
        assertThat(application.blocks.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Waits.soon().until(() -> server().state() == State.STALLED);

        String name = "request " + BlockingApplication.class.getName() + ".requestResponse";
        // The watch counts it when it looks next.
        Waits.soon().until(() -> server().stallsByName().containsKey(name));
        EngineHealth stalled = server();
        assertThat(Objects.requireNonNull(stalled.oldest()).operation()).isEqualTo(name);
        assertThat(stalled.stallsByName()).containsEntry(name, 1L);
        assertThat(stalled.stalls()).isEqualTo(sum(stalled));
        application.goOn.countDown();
        assertThat(Waits.get(response)).hasSize(8);
        Waits.soon().until(() -> server().state() == State.RUNNING);
        assertThat(server().longestStall()).isGreaterThanOrEqualTo(THRESHOLD);
        assertThat(server().stallsOf("request")).isEqualTo(1);
        MeterRegistry registry = new SimpleMeterRegistry();
        new UcxMetrics(resources).bindTo(registry);
        assertThat(registry.get(UcxMeters.STALLS.getName()).tag("operation", "request").functionCounter().count())
                .isEqualTo(1);
        assertThat(registry.get(UcxMeters.LONGEST_STALL.getName()).gauge().value())
                .isGreaterThanOrEqualTo(THRESHOLD.toNanos() / 1e9);
    }

    private static long sum(EngineHealth health) {
        return health.stallsByName().values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void oldestOperationIsSeenOnBothSidesWithItsPeer() {
        UcxConnection client = connect(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return Mono.never();
            }
        });
        assertThat(clientResources.health()).extracting(EngineHealth::oldest).containsExactly(null, null);

        Disposable request = client.requester().requestResponse(new byte[8]).subscribe();
        Waits.soon().until(() -> clientResources.health().get(1).oldest() != null && server().oldest() != null);

        UnderWay oldest = Objects.requireNonNull(clientResources.health().get(1).oldest());
        assertThat(oldest.operation()).isEqualTo("request");
        assertThat(oldest.peer()).isEqualTo(client.peer());
        assertThat(Objects.requireNonNull(server().oldest()).operation()).isEqualTo("response");
        Waits.soon().until(() -> Objects.requireNonNull(clientResources.health().get(1).oldest()).age()
                .compareTo(oldest.age()) > 0);
        assertThat(clientResources.health().getFirst().oldest()).as("of the other engine").isNull();
        request.dispose();
        Waits.soon().until(() -> clientResources.health().get(1).oldest() == null && server().oldest() == null);
    }

    @Test
    void enginesAreClosedOnceTheirResourcesAre() {
        UcxConnection client = connect(new UcxResponder() { });
        assertThat(client.isDisposed()).isFalse();

        clientResources.disposeNow();

        assertThat(clientResources.health()).hasSize(2).allSatisfy(health -> {
            assertThat(health.state()).isEqualTo(State.CLOSED);
            assertThat(health.oldest()).isNull();
            assertThat(health.failure()).isNull();
        });
    }

    @Test
    void thresholdOutOfRangeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UcxResources.builder().stallThreshold(Duration.ofNanos(1)))
                .withMessage("stallThreshold PT0.000000001S: must be 0 or in 1 ms..PT1H");
    }
}
