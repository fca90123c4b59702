package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.client.ReactorResourceFactory;

/** A context that closes finishes its requests before it disposes of its loops. */
@Tag("slow")
@ParameterizedClass
@EnumSource(Transport.class)
class GracefulShutdownTest {

    private static final Duration LIMIT = Application.LIMIT;

    @TempDir
    private Path folder;
    @Parameter
    private Transport transport;

    @Test
    void aRequestEndsBeforeTheLoops() {
        try (Application clients = Application.clients(transport);
                Application application = Application.start(transport, Protocol.HTTP_1_1, folder)) {
            int port = application.port();
            HeldRequest held = new HeldRequest(clients.webClient(port));
            held.awaitFirstPart();
            application.context().getBean(ReactorResourceFactory.class).setShutdownQuietPeriod(Duration.ZERO);

            CompletableFuture<Void> closed = CompletableFuture.runAsync(application.context()::close);
            await().atMost(LIMIT).until(() -> refusesConnections(port));
            assertThat(closed).isNotDone();
            assertThat(application.loops().isDisposed()).isFalse();
            held.finish();

            assertThat(held.response()).isEqualTo(HeldRequest.BODY);
            closed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(application.loops().isDisposed()).isTrue();
            clients.assertTransport(HeldRequest.BODY.length(), false);
        }
    }

    static boolean refusesConnections(int port) throws java.io.IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return !socket.isConnected();
        } catch (ConnectException e) {
            return true;
        }
    }
}
