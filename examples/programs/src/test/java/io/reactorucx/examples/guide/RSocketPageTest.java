package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.rsocket.UcxBoundTransport;
import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.rsocket.UcxServerTransport;
import io.reactorucx.rsocket.UcxTransportStatistics;
import io.reactorucx.security.Authenticator;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.core.Resume;
import io.rsocket.util.DefaultPayload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The code of {@code docs/guide/rsocket.md}. */
class RSocketPageTest extends Page {

    private static final SocketAcceptor ECHO = SocketAcceptor.forRequestResponse(Mono::just);
    private static final byte[] SECRET = "a secret of at least 16 bytes".getBytes(StandardCharsets.UTF_8);

    private static String ask(RSocket socket) {
        return socket.requestResponse(DefaultPayload.create("Hello")).map(answer -> answer.getDataUtf8())
                .block(TIMEOUT);
    }

    private static void close(RSocket client, UcxBoundTransport server) {
        client.dispose();
        client.onClose().block(TIMEOUT);
        server.dispose();
        server.onClose().block(TIMEOUT);
    }

    @Test
    void aServerAndAClient() {
        UcxResources other = newResources();
        try {
            // snippet: server
            UcxBoundTransport server = RSocketServer.create(SocketAcceptor.forRequestResponse(Mono::just))
                    .bindNow(UcxServerTransport.create(resources, "127.0.0.1", 0));
            // end
            int port = server.address().getPort();
            assertThat(hello(other, port)).isEqualTo("Hello");
            server.dispose();
            server.onClose().block(TIMEOUT);
        } finally {
            other.disposeNow();
        }
    }

    private static String hello(UcxResources resources, int port) {
        // snippet: client
        RSocket client = RSocketConnector.connectWith(UcxClientTransport.create(resources, "127.0.0.1", port)).block();
        String answer = client.requestResponse(DefaultPayload.create("Hello")).map(each -> each.getDataUtf8()).block();
        // end
        client.dispose();
        client.onClose().block(TIMEOUT);
        return answer;
    }

    @Test
    void settingsComeFromServerAndClient() {
        // snippet: settings
        UcxServerTransport transport = UcxServerTransport.create(UcxServer.create(resources)
                        .bindAddress("127.0.0.1", 0)
                        .authenticator(Authenticator.sharedSecret(SECRET))
                        .messageWindow(256, 512 * 1024))    // credit of the client, for each connection
                .maxQueuedBytes(16 << 20);                  // frames that wait for credit of the client
        // end
        UcxBoundTransport server = RSocketServer.create(ECHO).bindNow(transport);
        UcxClientTransport client = UcxClientTransport.create(UcxClient.create(resources)
                .remoteAddress(server.address()).authenticator(Authenticator.sharedSecret(SECRET)));
        RSocket socket = RSocketConnector.connectWith(client).block(TIMEOUT);

        assertThat(ask(socket)).isEqualTo("Hello");

        // snippet: statistics
        UcxTransportStatistics clients = client.statistics();    // also of a bound server
        String state = clients.connections() + " connections, " + clients.queuedBytes() + " bytes wait, "
                + clients.overflows() + " connections ended by the limit";
        // end

        assertThat(state).isEqualTo("1 connections, 0 bytes wait, 0 connections ended by the limit");
        close(socket, server);
    }

    @Test
    void payloadsAreFragmented() {
        // snippet: fragments
        UcxServer server = UcxServer.create(resources).maxMessageBytes(1 << 20);

        UcxBoundTransport bound = RSocketServer.create(ECHO).fragment(256 * 1024)
                .bindNow(UcxServerTransport.create(server).maxFrameLength(1 << 20));
        RSocket client = RSocketConnector.create().fragment(256 * 1024)
                .connect(UcxClientTransport.create(UcxClient.create(resources).maxMessageBytes(1 << 20)
                        .remoteAddress(bound.address())).maxFrameLength(1 << 20))
                .block();
        // end

        byte[] large = new byte[3 << 20];
        assertThat(client.requestResponse(DefaultPayload.create(large)).map(answer -> answer.data().readableBytes())
                .block(TIMEOUT)).isEqualTo(large.length);
        close(client, bound);
    }

    @Test
    void aSessionIsResumed() {
        // snippet: resume
        UcxBoundTransport server = RSocketServer.create(ECHO).resume(new Resume())
                .bindNow(UcxServerTransport.create(resources, "127.0.0.1", 0));
        RSocket client = RSocketConnector.create()
                .resume(new Resume().retry(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100))))
                .connect(UcxClientTransport.create(UcxClient.create(resources).remoteAddress(server.address())))
                .block();
        // end

        assertThat(ask(client)).isEqualTo("Hello");
        client.dispose();
        client.onClose().onErrorComplete().block(TIMEOUT);
        server.dispose();
        server.onClose().block(TIMEOUT);
    }
}
