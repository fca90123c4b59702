package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.application.BlockingApplication;
import io.reactorucx.application.LeakingApplication;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Events of Flight Recorder, read back from a recording. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class FlightEventsTest implements NeedsUcx {

    private static final String PREFIX = "io.reactorucx.";
    private static final List<String> NAMES = List.of("ConnectionOpened", "ConnectionClosed", "ConnectionLost",
            "LargeMessage", "EngineStall", "Leak", "PeerRefused");

    @TempDir
    private Path directory;
    private Recording recording;
    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().stallThreshold(Duration.ofMillis(20))
                .leakDetection(LeakDetection.PARANOID).build();
        clientResources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
        recording = new Recording();
        NAMES.forEach(name -> recording.enable(PREFIX + name));
        recording.start();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            recording.close();
            clientResources.disposeNow();
            resources.disposeNow();
        }
    }

    private UcxConnection connect(UnaryOperator<UcxServer> settings) {
        UcxBoundServer server = settings.apply(UcxServer.create(resources)).bindNow();
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    /** The events of a kind so far. */
    private List<RecordedEvent> events(String name) {
        Path file = directory.resolve("events.jfr");
        try {
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(PREFIX + name)).toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<RecordedEvent> await(String name, int count) {
        Waits.soon().pollInterval(Duration.ofMillis(50)).until(() -> events(name).size() >= count);
        return events(name);
    }

    @Test
    void connectionIsOpenedCarriesALargeMessageAndCloses() {
        UcxConnection client = connect(server -> server.handle((in, out) -> in.receiveByteArrays().then()));
        client.outbound().sendByteArrays(Flux.just(new byte[100_000])).block(Waits.PATIENCE);
        client.disposeNow();

        assertThat(await("ConnectionOpened", 2)).hasSize(2)
                .allSatisfy(event -> assertThat(event.getDuration("connecting")).isPositive())
                .anySatisfy(event -> {
                    assertThat(event.getString("connection")).isEqualTo(client.id());
                    assertThat(event.getString("peer")).isEqualTo(client.peer());
                    assertThat(event.getString("engine")).isEqualTo("reactor-ucx-0");
                });
        assertThat(await("LargeMessage", 2)).extracting(event -> event.getString("direction") + " "
                + event.getLong("bytes") + " " + event.getBoolean("success"))
                .containsExactlyInAnyOrder("sent 100000 true", "received 100000 true");
        assertThat(events("LargeMessage")).allSatisfy(event -> assertThat(event.getDuration()).isPositive());
        assertThat(await("ConnectionClosed", 2)).hasSize(2).allSatisfy(event -> {
            assertThat(event.getBoolean("lost")).isFalse();
            assertThat(event.getDuration("open")).isPositive();
        }).anySatisfy(event -> assertThat(event.getString("connection")).isEqualTo(client.id()));
        assertThat(events("ConnectionLost")).isEmpty();
        assertThat(events("LargeMessage").getFirst().getEventType().getCategoryNames())
                .containsExactly("Reactor UCX", "Messages");
    }

    @Test
    void lossTellsItsCause() throws InterruptedException {
        UcxConnection client;
        try (EchoProcess process = new EchoProcess("posix", "tcp")) {
            client = process.client(clientResources).connectNow();
            process.kill();
            client.onDispose().block(Waits.PATIENCE);
        }

        assertThat(await("ConnectionLost", 1)).singleElement().satisfies(event -> {
            assertThat(event.getString("connection")).isEqualTo(client.id());
            assertThat(event.getString("cause")).isEqualTo("transport");
            assertThat(event.getString("reason")).isNotBlank();
        });
        assertThat(await("ConnectionClosed", 1)).singleElement()
                .satisfies(event -> assertThat(event.getBoolean("lost")).isTrue());
    }

    @Test
    void stallTellsWhatBlocked() throws InterruptedException {
        BlockingApplication application = new BlockingApplication();
        UcxConnection client = connect(server -> server.respond(application));
        CompletableFuture<byte[]> response = client.requester().requestResponse(new byte[8]).toFuture();
        assertThat(application.blocks.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Waits.soon().until(() -> resources.health().getFirst().stallsOf("request") == 1);
        application.goOn.countDown();
        Waits.get(response);

        // A busy machine can stop the engine's thread elsewhere for longer than the threshold: another stall, and true.
        Waits.soon().until(() -> events("EngineStall").stream().anyMatch(FlightEventsTest::isOfRequest));
        assertThat(events("EngineStall")).filteredOn(FlightEventsTest::isOfRequest).singleElement().satisfies(event -> {
            assertThat(event.getString("handler"))
                    .isEqualTo(BlockingApplication.class.getName() + ".requestResponse");
            assertThat(event.getDuration("blocked")).isGreaterThanOrEqualTo(Duration.ofMillis(20));
        });
    }

    private static boolean isOfRequest(RecordedEvent event) {
        return "request".equals(event.getString("operation"));
    }

    @Test
    void strangerThatIsRefusedIsNamedWithTheReason() {
        UcxBoundServer server = UcxServer.create(resources)
                .authenticator(Authenticator.sharedSecret("known to the server only".getBytes(UTF_8))).bindNow();

        assertThat(Waits.failure(UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connect()
                .toFuture())).isNotNull();

        assertThat(await("PeerRefused", 1)).anySatisfy(event -> {
            assertThat(event.getString("reason")).isEqualTo("authentication");
            assertThat(event.getString("peer")).startsWith("127.0.0.1:");
            assertThat(event.getString("detail")).isNotBlank();
        });
    }

    @Test
    void leakTellsItsSize() {
        LeakingApplication.dropLease(resources.buffers(), 5000);

        LeakLog.awaitLeased(resources.buffers(), 0);

        assertThat(await("Leak", 1)).singleElement().satisfies(event -> {
            assertThat(event.getString("kind")).isEqualTo("lease");
            assertThat(event.getLong("bytes")).isGreaterThanOrEqualTo(5000);
        });
    }
}
