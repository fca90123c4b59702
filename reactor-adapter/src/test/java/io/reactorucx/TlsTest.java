package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** TLS on the control socket: who gets in and is known, who does not, and what both sides are told. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class TlsTest implements NeedsUcx {

    /** With which each control frame begins. */
    private static final String MAGIC = "RUCX";
    private static final TestCertificates OURS = new TestCertificates("ours");
    private static final TestCertificates THEIRS = new TestCertificates("theirs");
    private static final String SPIFFE = "spiffe://example.org/client";
    private static final X509Bundle SERVER = OURS.issue("server");
    private static final X509Bundle CLIENT = OURS.issue("client", TlsTest::named);

    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> refusals = new LinkedBlockingQueue<>();
    private UcxResources serverResources;
    private UcxResources clientResources;
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

    private UcxServer server() {
        return UcxServer.create(serverResources).closeTimeout(TestTime.seconds(2)).handle(connection -> {
            accepted.add(connection);
            return connection.respond(new Echo());
        });
    }

    private UcxBoundServer bind(TlsConfig tls) {
        return server().secure(tls).bindNow();
    }

    private static TlsConfig ofServer() {
        return TlsConfig.of(OURS.context(SERVER));
    }

    private static TlsConfig ofClient() {
        return TlsConfig.of(OURS.context(CLIENT));
    }

    private UcxClient to(UcxBoundServer server) {
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port());
    }

    private UcxConnection served() {
        try {
            UcxConnection served = accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(served).as("accepted").isNotNull();
            return served;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertResponds(UcxConnection connection) {
        byte[] question = "who?".getBytes(StandardCharsets.UTF_8);
        assertThat(connection.requester().requestResponse(question).block(Waits.PATIENCE)).isEqualTo(question);
    }

    /** The client learns why, the server says why, and both are well afterwards. */
    private void assertRefused(UcxBoundServer server, UcxClient client, String there, String here) {
        assertThat(Waits.failure(client.connect().toFuture())).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).as(error::getMessage).isEqualTo(UcxStatus.REJECTED);
            assertThat(error.getMessage()).containsIgnoringCase(there);
        });
        Waits.soon().untilAsserted(() -> assertThat(refusals).anySatisfy(text ->
                assertThat(text).containsIgnoringCase(here)));
        assertThat(accepted).isEmpty();
        assertThat(serverResources.failedHandshakes()).isPositive();
        server.disposeNow();
    }

    @Test
    void bothKnowEachOther() {
        UcxBoundServer server = bind(ofServer());
        UcxConnection client = to(server).secure(ofClient()).connectNow();
        UcxConnection served = served();

        assertResponds(client);
        assertThat(client.peerCertificates()).hasValueSatisfying(certificates -> {
            assertThat(certificates.principal().getName()).isEqualTo("CN=server");
            assertThat(certificates.dnsNames()).containsExactly("localhost");
            assertThat(certificates.spiffeId()).isEmpty();
        });
        assertThat(served.peerCertificates()).hasValueSatisfying(certificates -> {
            assertThat(certificates.certificate()).isEqualTo(CLIENT.getCertificate());
            assertThat(certificates.uris()).containsExactly(SPIFFE);
            assertThat(certificates.spiffeId()).contains(SPIFFE);
        });
        client.dispose();
        served.onDispose().block(Waits.PATIENCE);
        server.disposeNow();
    }

    @Test
    void connectionWithoutTlsHasNoCertificates() {
        UcxBoundServer server = server().bindNow();
        UcxConnection client = to(server).connectNow();

        assertThat(client.peerCertificates()).isEmpty();
        assertThat(served().peerCertificates()).isEmpty();
        server.disposeNow();
    }

    @Test
    void clientRefusesAnUnknownAuthority() {
        UcxBoundServer server = bind(TlsConfig.of(THEIRS.context(THEIRS.issue("server"))));

        assertRefused(server, to(server).secure(ofClient()), "PKIX path", "certificate_unknown");
    }

    @Test
    void serverRefusesAnUnknownAuthority() {
        UcxBoundServer server = bind(ofServer());
        // It trusts the server, and shows a certificate of others.
        TlsConfig client = TlsConfig.of(OURS.context(THEIRS.issue("client")));

        assertRefused(server, to(server).secure(client), "certificate", "PKIX path");
    }

    @Test
    void clientRefusesAnExpiredCertificate() {
        X509Bundle expired = OURS.issue("server", builder -> builder
                .notBefore(TestCertificates.NOW.minus(Duration.ofHours(20)))
                .notAfter(TestCertificates.NOW.minus(Duration.ofHours(1))));
        UcxBoundServer server = bind(TlsConfig.of(OURS.context(expired)));

        assertRefused(server, to(server).secure(ofClient()), "expired", "certificate_");
    }

    @Test
    void serverRefusesAnExpiredCertificate() {
        X509Bundle expired = OURS.issue("client", builder -> builder
                .notBefore(TestCertificates.NOW.minus(Duration.ofHours(20)))
                .notAfter(TestCertificates.NOW.minus(Duration.ofHours(1))));
        UcxBoundServer server = bind(ofServer());

        assertRefused(server, to(server).secure(TlsConfig.of(OURS.context(expired))), "certificate", "expired");
    }

    @Test
    void clientRefusesAnotherName() {
        UcxBoundServer server = bind(ofServer());

        assertRefused(server, to(server).secure(ofClient().withServerName("other.example.org")), "other.example.org",
                "certificate_unknown");
    }

    @Test
    void nameCanBeAnotherThanTheHosts() {
        UcxBoundServer server = bind(ofServer());

        assertResponds(to(server).secure(ofClient().withServerName("localhost")).connectNow());
        server.disposeNow();
    }

    @Test
    void serverRefusesAClientWithoutCertificate() {
        UcxBoundServer server = bind(ofServer());

        assertRefused(server, to(server).secure(TlsConfig.of(OURS.contextWithoutCertificate())),
                "certificate_required", "Empty client certificate chain");
    }

    @Test
    void serverCanDoWithoutACertificate() {
        UcxBoundServer server = bind(ofServer().withClientCertificateRequired(false));

        assertResponds(to(server).secure(TlsConfig.of(OURS.contextWithoutCertificate())).connectNow());
        assertThat(served().peerCertificates()).isEmpty();
        assertResponds(to(server).secure(ofClient()).connectNow());
        assertThat(served().peerCertificates()).isPresent();
        server.disposeNow();
    }

    @Test
    void serverWithTlsRefusesAClientWithout() {
        UcxBoundServer server = bind(ofServer());

        assertRefused(server, to(server), "TLS: off at the client, on at the server",
                "TLS: off at the client, on at the server");
    }

    @Test
    void clientWithTlsRefusesAServerWithout() {
        UcxBoundServer server = server().bindNow();

        assertRefused(server, to(server).secure(ofClient()), "TLS: on at the client, off at the server",
                "TLS: on at the client, off at the server");
    }

    /** Another protocol within TLS, or an older version of it. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "TLSv1.2"})
    void serverRefusesOtherProtocols(String protocol) throws IOException {
        UcxBoundServer server = bind(ofServer());
        boolean version = protocol.startsWith("TLS");
        try (SSLSocket socket = (SSLSocket) OURS.context(CLIENT).getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port())) {
            SSLParameters parameters = socket.getSSLParameters();
            if (version) {
                parameters.setProtocols(new String[] {protocol});
            } else {
                parameters.setApplicationProtocols(new String[] {protocol});
            }
            socket.setSSLParameters(parameters);

            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class)
                    .hasMessageContaining(version ? "protocol_version" : "no_application_protocol");
        }
        Waits.soon().untilAsserted(() -> assertThat(refusals).hasSize(1));
        assertThat(accepted).isEmpty();
        server.disposeNow();
    }

    @Test
    void clientWithoutAnApplicationProtocolIsRefused() throws IOException {
        UcxBoundServer server = bind(ofServer());
        try (SSLSocket socket = (SSLSocket) OURS.context(CLIENT).getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout((int) Waits.PATIENCE.toMillis());
            socket.startHandshake();

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        Waits.soon().untilAsserted(() -> assertThat(refusals).singleElement()
                .satisfies(text -> assertThat(text).contains("reactor-ucx/1")));
        server.disposeNow();
    }

    /** What comes in place of TLS costs its own socket. */
    @Test
    void strangersCostTheirSocket() {
        UcxBoundServer server = bind(ofServer());
        byte[] hello = {22, 3, 1, 0, 5, 1, 0, 0, 1, 9};
        List<byte[]> all = List.of("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII), hello,
                new byte[] {22, -1, -1, -1, -1, 0}, new byte[] {21, 3, 3, 0, 2, 2, 40}, new byte[] {23, 3, 3, 0, 0},
                new byte[] {0}, new byte[100_000]);
        for (byte[] each : all) {
            try (SocketPeer stranger = SocketPeer.connect(server.port())) {
                stranger.sendRaw(each);
            }
        }

        assertResponds(to(server).secure(ofClient()).connectNow());
        assertThat(accepted).hasSize(1);
        server.disposeNow();
    }

    @Test
    void clientIsToldThatNoServerOfTlsAnswers() throws IOException {
        try (ServerSocket listening = SocketPeer.listen()) {
            PendingOperation attempt = PendingOperation.of(UcxClient.create(clientResources).secure(ofClient())
                    .remoteAddress("127.0.0.1", listening.getLocalPort()).connect());
            try (SocketPeer other = SocketPeer.accept(listening)) {
                other.sendRaw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

                assertThat(attempt.failure()).hasMessageContaining("TLS: on at the client, off at the server");
            }
        }
    }

    @Test
    void authenticatorSeesTheCertificates() {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Authenticator secret = Authenticator.sharedSecret(new byte[32]);
        UcxBoundServer server = server().secure(ofServer()).authenticator(new OfCertificates(secret, seen)).bindNow();

        assertResponds(to(server).secure(ofClient()).authenticator(secret).connectNow());
        assertThat(seen).containsExactly(SPIFFE);
        accepted.clear();
        UcxClient other = to(server).secure(TlsConfig.of(OURS.context(OURS.issue("other")))).authenticator(secret);
        assertRefused(server, other, "authentication failed", "no SPIFFE id");
    }

    private record OfCertificates(Authenticator secret, BlockingQueue<String> seen) implements Authenticator {

        @Override
        public String method() {
            return secret.method();
        }

        @Override
        public ClientSide clientSide(String server) {
            return secret.clientSide(server);
        }

        @Override
        public ServerSide serverSide(String client) {
            return secret.serverSide(client);
        }

        @Override
        public ServerSide serverSide(String client, @Nullable PeerCertificates certificates) {
            if (certificates == null || certificates.spiffeId().isEmpty()) {
                throw new SecurityException("no SPIFFE id");
            }
            seen.add(certificates.spiffeId().get());
            return secret.serverSide(client);
        }
    }

    /** Both sides get new certificates of a new authority while requests go on and connections come. */
    @Test
    void certificatesAreRenewedWhileItRuns() {
        AtomicReference<SSLContext> current = new AtomicReference<>(OURS.context(SERVER));
        AtomicReference<SSLContext> ofClients = new AtomicReference<>(OURS.context(CLIENT));
        UcxBoundServer server = bind(TlsConfig.of(current::get));
        UcxClient client = to(server).secure(TlsConfig.of(ofClients::get));
        UcxConnection old = client.connectNow();

        for (int round = 0; round < 5; round++) {
            TestCertificates authority = new TestCertificates("round " + round);
            current.set(authority.context(authority.issue("server " + round)));
            ofClients.set(authority.context(authority.issue("client " + round)));
            UcxConnection fresh = client.connectNow();
            assertThat(fresh.peerCertificates().orElseThrow().principal().getName()).isEqualTo("CN=server " + round);
            assertThat(Flux.range(0, 1000).flatMap(i -> Flux.just(old, fresh)
                    .flatMap(each -> each.requester().requestResponse(new byte[8])), 50).count()
                    .block(Waits.PATIENCE)).isEqualTo(2000);
            fresh.dispose();
        }
        assertThat(old.peerCertificates().orElseThrow().principal().getName()).isEqualTo("CN=server");
        server.disposeNow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sourceOfContextsThatFailsIsTold(boolean atServer) {
        TlsConfig broken = TlsConfig.of(() -> {
            throw new IllegalStateException("the vault is closed");
        });
        UcxBoundServer server = bind(atServer ? broken : ofServer());

        Throwable error = Waits.failure(to(server).secure(atServer ? ofClient() : broken).connect().toFuture());

        assertThat(error).isInstanceOf(UcxException.class);
        Waits.soon().untilAsserted(() -> assertThat(refusals).anySatisfy(text ->
                assertThat(text).contains("the vault is closed")));
        server.disposeNow();
    }

    @Test
    void sourceOfContextsThatBlocksIsLimitedInTime() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        UcxBoundServer server = bind(ofServer());
        UcxClient client = to(server).connectTimeout(TestTime.millis(300)).secure(TlsConfig.of(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return OURS.context(CLIENT);
        }));

        assertThat(Waits.failure(client.connect().toFuture())).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.TIMED_OUT));
        assertThat(interrupted.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        server.disposeNow();
    }

    @Test
    void manyConnectAtOnce() {
        UcxBoundServer server = bind(ofServer());
        UcxClient client = to(server).secure(ofClient()).connectTimeout(Waits.PATIENCE);

        List<UcxConnection> all = Flux.range(0, 100).flatMap(i -> client.connect(), 50).collectList()
                .block(Waits.PATIENCE);

        assertThat(all).hasSize(100).allSatisfy(each -> assertThat(each.peerCertificates()).isPresent());
        server.disposeNow();
    }

    static Stream<UnaryOperator<UcxClient>> withoutSocket() {
        return Stream.of(client -> client.raw(true), client -> client.remoteWorkerAddress(new byte[50]));
    }

    @Test
    void whatHasNoControlSocketCannotBeSecured() {
        UcxClient client = UcxClient.create(clientResources).remoteAddress("127.0.0.1", 1).secure(ofClient());
        withoutSocket().forEach(setting -> assertThat(Waits.failure(setting.apply(client).connect().toFuture()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("secure(..)"));
        assertThat(Waits.failure(server().secure(ofServer()).raw(true).bind().toFuture()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("raw(true)");
        assertThat(Waits.failure(server().secure(ofServer()).acceptWorkerAddresses(true).bind().toFuture()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("worker's address");
    }

    /** The same frames, whose first bytes are the protocol's, with and without TLS. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eavesdropperReadsNoFrame(boolean secured) {
        UcxBoundServer server = (secured ? server().secure(ofServer()) : server()).bindNow();
        try (TamperingProxy proxy = new TamperingProxy(server.port(),
                (ofServer, before, bytes, out) -> out.write(bytes))) {
            UcxClient client = UcxClient.create(clientResources).remoteAddress("127.0.0.1", proxy.port());
            UcxConnection connection = (secured ? client.secure(ofClient()) : client).connectNow();
            assertResponds(connection);
            connection.disposeNow();

            assertThat(proxy.recorded().contains(MAGIC)).isEqualTo(!secured);
            assertThat(proxy.recorded()).hasSizeGreaterThan(500);
        }
        server.disposeNow();
    }

    /** Each byte on its own, so that every record comes in pieces. */
    @Test
    void bytesMayComeOneByOne() {
        UcxBoundServer server = bind(ofServer());
        try (TamperingProxy proxy = new TamperingProxy(server.port(), (ofServer, before, bytes, out) -> {
            for (byte each : bytes) {
                out.write(each);
                out.flush();
            }
        })) {
            UcxConnection connection = UcxClient.create(clientResources).secure(ofClient())
                    .remoteAddress("127.0.0.1", proxy.port()).connectNow();
            assertResponds(connection);
            connection.disposeNow();
        }
        server.disposeNow();
    }

    /** A changed byte: the connection does not come about, or is lost; it never hangs, and the server goes on. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changedByteEndsTheConnection(boolean changesServers) {
        UcxBoundServer server = bind(ofServer());
        for (long at = 0; at < 1200; at += 41) {
            long changed = at;
            AtomicBoolean done = new AtomicBoolean();
            try (TamperingProxy proxy = new TamperingProxy(server.port(), (ofServer, before, bytes, out) -> {
                if (ofServer == changesServers && changed >= before && changed < before + bytes.length) {
                    bytes[(int) (changed - before)] ^= 4;
                    done.set(true);
                }
                out.write(bytes);
            })) {
                Throwable error = Waits.failure(UcxClient.create(clientResources).secure(ofClient())
                        .remoteAddress("127.0.0.1", proxy.port()).connectTimeout(TestTime.seconds(2)).connect()
                        .flatMap(connection -> connection.onTerminate()
                                .then(Mono.error(new IllegalStateException("lost")))).toFuture());

                assertThat(done).as("byte %d was changed", changed).isTrue();
                assertThat(error).as("byte %d", changed).isInstanceOfAny(UcxException.class);
            }
        }
        assertThat(Waits.failure(UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connect()
                .toFuture())).hasMessageContaining("TLS: off at the client");
        accepted.clear();
        assertResponds(to(server).secure(ofClient()).connectNow());
        server.disposeNow();
    }

    private static final class Echo implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    }
}
