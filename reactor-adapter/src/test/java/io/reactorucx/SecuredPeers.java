package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestCertificates;
import io.reactorucx.testsupport.TestTime;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** A server and clients with TLS, and what the server says of those that it refuses. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
abstract class SecuredPeers implements NeedsUcx {

    static final TestCertificates OURS = new TestCertificates("ours");
    static final TestCertificates THEIRS = new TestCertificates("theirs");
    static final String SPIFFE = "spiffe://example.org/client";
    static final X509Bundle SERVER = OURS.issue("server");
    static final X509Bundle CLIENT = OURS.issue("client", SecuredPeers::named);

    final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();
    final BlockingQueue<String> refusals = new LinkedBlockingQueue<>();
    UcxResources serverResources;
    UcxResources clientResources;
    private RecordingStream events;

    private static CertificateBuilder named(CertificateBuilder builder) {
        try {
            return builder.addSanUriName(SPIFFE);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void open() {
        serverResources = UcxResources.create();
        clientResources = UcxResources.create();
        events = new RecordingStream();
        events.enable("io.reactorucx.PeerRefused");
        events.onEvent("io.reactorucx.PeerRefused", event -> refusals.add(event.getString("detail")));
        events.startAsync();
    }

    @AfterEach
    void nothingIsLeft() {
        if (events == null) {
            return;
        }
        events.close();
        Waits.soon().untilAsserted(() -> {
            assertThat(serverResources.pendingHandshakes()).as("handshakes").isZero();
            assertThat(serverResources.queuedAuthentications()).as("steps").isZero();
        });
        clientResources.disposeNow();
        serverResources.disposeNow();
    }

    UcxServer server() {
        return UcxServer.create(serverResources).closeTimeout(TestTime.seconds(2)).handle(connection -> {
            accepted.add(connection);
            return connection.respond(new Echo());
        });
    }

    UcxBoundServer bind(TlsConfig tls) {
        return server().secure(tls).bindNow();
    }

    static TlsConfig ofServer() {
        return TlsConfig.of(OURS.context(SERVER));
    }

    static TlsConfig ofClient() {
        return TlsConfig.of(OURS.context(CLIENT));
    }

    UcxClient to(UcxBoundServer server) {
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port());
    }

    UcxConnection served() {
        try {
            UcxConnection served = accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(served).as("accepted").isNotNull();
            return served;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void assertResponds(UcxConnection connection) {
        byte[] question = "who?".getBytes(StandardCharsets.UTF_8);
        assertThat(connection.requester().requestResponse(question).block(Waits.PATIENCE)).isEqualTo(question);
    }

    /** The client learns why, and may try again, since certificates are renewed; the server says why. */
    void assertRefused(UcxBoundServer server, UcxClient client, String there, String here) {
        assertRefused(UcxStatus.NOT_CONNECTED, server, client, there, here);
    }

    /** As the other, for good: settings do not fit, or an authenticator has refused the client. */
    void assertRejected(UcxBoundServer server, UcxClient client, String there, String here) {
        assertRefused(UcxStatus.REJECTED, server, client, there, here);
    }

    private void assertRefused(UcxStatus status, UcxBoundServer server, UcxClient client, String there, String here) {
        assertThat(Waits.failure(client.connect().toFuture())).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).as(error::getMessage).isEqualTo(status);
            assertThat(error.isRetryable()).isEqualTo(status != UcxStatus.REJECTED);
            assertThat(error.getMessage()).containsIgnoringCase(there);
        });
        Waits.soon().untilAsserted(() -> assertThat(refusals).anySatisfy(text ->
                assertThat(text).containsIgnoringCase(here)));
        assertThat(accepted).isEmpty();
        assertThat(serverResources.failedHandshakes()).isPositive();
        server.disposeNow();
    }

    private static final class Echo implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    }
}
