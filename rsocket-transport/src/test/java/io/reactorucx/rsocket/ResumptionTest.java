package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxServer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.Resume;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Hooks;
import reactor.util.retry.Retry;

/** RSocket's resumption: a stream goes on over a new connection, from where it was interrupted. */
@ExtendWith(NoLeaks.class)
class ResumptionTest {

    private static final int COUNT = 5000;
    private static final int CUT_EVERY = 1000;
    private static final int WINDOW = 16;
    private static final Duration SESSION = Duration.ofSeconds(20);

    @ParameterizedTest
    @CsvSource({"posix, FORCE", "posix, FLUSH", "tcp, FORCE"})
    void aStreamGoesOnBehindKilledConnections(String transports, CloseMode mode) {
        Deque<UcxConnection> connections = new ConcurrentLinkedDeque<>();
        Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
        Hooks.onErrorDropped(unexpected::add);
        try (TestResources resources = new TestResources(transports);
                TestService service = TestService.start(UcxServer.create(resources.server())
                        .doOnHandlerError((connection, error) -> unexpected.add(error)), server ->
                        server.resume(new Resume().sessionDuration(SESSION)))) {
            RSocket socket = RSocketConnector.create()
                    .resume(new Resume().sessionDuration(SESSION).retry(Retry.fixedDelay(100, Duration.ofMillis(20))))
                    .connect(UcxClientTransport.create(UcxClient.create(resources.client())
                            .remoteAddress(TestResources.HOST, service.port()).doOnConnected(connections::add)))
                    .block(TestResources.LIMIT);

            List<Integer> numbers = socket.requestStream(DefaultPayload.create(Integer.toString(COUNT)))
                    .map(Payload::getDataUtf8).map(Integer::parseInt)
                    .doOnNext(number -> {
                        if (number % CUT_EVERY == CUT_EVERY / 2) {
                            connections.getLast().close(mode).subscribe();
                        }
                    })
                    .limitRate(WINDOW).collectList().block(TestResources.LIMIT);

            assertThat(numbers).containsExactlyElementsOf(IntStream.range(0, COUNT).boxed().toList());
            assertThat(connections).hasSize(1 + COUNT / CUT_EVERY);
            await().atMost(TestResources.LIMIT).until(() -> resources.server().openConnections() == 1);
            assertThat(unexpected).as("errors of connections whose session goes on").isEmpty();
            // RSocket may connect once more while it ends the session, and leaves that connection without a frame.
            socket.dispose();
            socket.onClose().onErrorComplete().block(TestResources.LIMIT);
            resources.awaitNothingLeft();
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }
}
