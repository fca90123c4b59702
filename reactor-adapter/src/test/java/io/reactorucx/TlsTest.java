package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestCertificates;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** TLS on the control socket: who gets in and is known, who does not, and what both sides are told. */
class TlsTest extends SecuredPeers {
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

    /** No session is resumed: that would accept a certificate that has expired or was revoked in the meantime. */
    @Test
    void eachConnectionChecksTheCertificates() {
        Instant end = Instant.now().plus(TestTime.seconds(3)).truncatedTo(ChronoUnit.SECONDS);
        UcxBoundServer server = bind(ofServer());
        UcxClient shortly = to(server).secure(TlsConfig.of(OURS.context(OURS.issue("shortly",
                builder -> builder.notAfter(end)))));
        assertResponds(shortly.connectNow());
        accepted.clear();
        Waits.soon().until(() -> Instant.now().isAfter(end.plusSeconds(1)));

        assertRefused(server, shortly, "certificate", "NotAfter");
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

        assertRejected(server, to(server), "TLS: off at the client, on at the server",
                "TLS: off at the client, on at the server");
    }

    @Test
    void clientWithTlsRefusesAServerWithout() {
        UcxBoundServer server = server().bindNow();

        assertRejected(server, to(server).secure(ofClient()), "TLS: on at the client, off at the server",
                "TLS: on at the client, off at the server");
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
        assertRejected(server, other, "authentication failed", "no SPIFFE id");
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

    /** Certificates that do not fit for a while, as amid a change of authorities, end no reconnecting client. */
    @Test
    void reconnectsOnceCertificatesFitAgain() {
        AtomicReference<SSLContext> current = new AtomicReference<>(OURS.context(SERVER));
        UcxBoundServer server = bind(TlsConfig.of(current::get));
        UcxReconnectingConnection connection = to(server).secure(ofClient())
                .reconnect(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(50))).connectNow(Waits.PATIENCE);
        current.set(THEIRS.context(THEIRS.issue("server")));
        served().disposeNow();

        Waits.soon().until(() -> refusals.stream().anyMatch(text -> text.contains("PKIX path")));
        current.set(OURS.context(SERVER));

        assertThat(connection.withConnection(live -> live.requester().requestResponse(new byte[3]))
                .block(Waits.PATIENCE)).hasSize(3);
        connection.close().block(Waits.PATIENCE);
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
        UcxClient client = to(server).connectTimeout(TestTime.seconds(2)).secure(TlsConfig.of(() -> {
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
        UcxBoundServer server = server().secure(ofServer()).handshakeTimeout(Waits.PATIENCE).bindNow();
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
}
