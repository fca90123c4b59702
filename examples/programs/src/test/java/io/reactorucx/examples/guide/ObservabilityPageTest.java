package io.reactorucx.examples.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.observation.UcxObservationDocumentation;
import io.reactorucx.observation.UcxObservations;
import io.reactorucx.transport.WiretapFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import reactor.core.publisher.Mono;

/** The code of {@code docs/guide/observability.md}, and its tables. */
class ObservabilityPageTest extends Page {

    private static final UcxResponder RESPONDER = new UcxResponder() {
        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    };

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private void record(String what) {
        seen.add(what);
    }

    @Test
    void requestsAreObservedOnBothSides() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                record(context.getName() + " " + context.getParentObservation());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        // snippet: observe
        UcxBoundServer server = UcxServer.create(resources)
                .observe(UcxObservations.of(registry))
                .respond(RESPONDER)
                .bindNow();
        UcxConnection connection = UcxClient.create(resources)
                .observe(UcxObservations.of(registry))
                .remoteAddress("127.0.0.1", server.port())
                .connectNow();
        // end

        connection.requester().requestResponse("hello".getBytes(UTF_8)).block(TIMEOUT);

        await().untilAsserted(() -> assertThat(seen).containsExactlyInAnyOrder("reactor.ucx.client.request null",
                "reactor.ucx.server.request null"));
    }

    @Test
    void wiretapAndHooksAreSet() {
        UcxBoundServer server = UcxServer.create(resources).respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return Mono.error(new IllegalStateException("no quote"));
            }
        })
                // snippet: hooks
                .doOnHandlerError((connection, error) -> record(connection.id() + ": " + error.getMessage()))
                .wiretap("quotes.wire", Level.DEBUG)
                // end
                .bindNow();
        // snippet: wiretap
        UcxClient client = UcxClient.create(resources)
                .wiretap("quotes.wire", Level.DEBUG, WiretapFormat.TEXT, 1024)
                .remoteAddress("127.0.0.1", server.port());
        // end

        client.connectNow().requester().requestResponse(new byte[1]).onErrorComplete().block(TIMEOUT);

        await().untilAsserted(() -> assertThat(seen).singleElement().asString().endsWith(": no quote"));
    }

    @Test
    void healthIsAsked() {
        // snippet: health
        for (EngineHealth health : resources.health()) {
            record(health.engine() + " is " + health.state() + ", has stalled " + health.stalls() + " times");
        }
        // end

        assertThat(seen).containsExactly("reactor-ucx-0 is RUNNING, has stalled 0 times");
    }

    @Test
    void thresholdIsSet() {
        // snippet: threshold
        UcxResources watched = UcxResources.builder().stallThreshold(Duration.ofMillis(20)).build();
        // end

        assertThat(watched.health()).hasSize(1);
        watched.disposeNow();
    }

    @Test
    void tableHasEveryObservation() throws IOException {
        String page = Files.readString(Path.of("../../docs/guide/observability.md"));

        assertThat(Arrays.stream(UcxObservationDocumentation.values()).map(each -> "| `" + each.getName() + "` |"))
                .allSatisfy(row -> assertThat(page).contains(row));
    }
}
