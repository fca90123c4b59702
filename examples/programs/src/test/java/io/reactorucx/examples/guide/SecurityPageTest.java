package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestCertificates;
import java.security.SecureRandom;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The code of {@code docs/guide/security.md}. */
class SecurityPageTest extends Page {

    @Test
    void bothSidesProveThatTheyKnowTheSecret() {
        byte[] secret = randomBytes();

        // snippet: secret
        Authenticator authenticator = Authenticator.sharedSecret(secret);    // at least 16 random bytes

        UcxBoundServer server = UcxServer.create(resources)
                .authenticator(authenticator)
                .handle((in, out) -> out.sendByteArrays(in.receiveByteArrays()))
                .bindNow();

        UcxConnection connection = UcxClient.create(resources)
                .remoteAddress("127.0.0.1", server.port())
                .authenticator(authenticator)
                .connectNow();
        // end

        assertThat(connection.isDisposed()).isFalse();
        UcxClient stranger = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port());
        assertThatThrownBy(stranger::connectNow).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.REJECTED));
        assertThatThrownBy(stranger.authenticator(Authenticator.sharedSecret(randomBytes()))::connectNow)
                .isInstanceOfSatisfying(UcxException.class,
                        error -> assertThat(error.status()).isEqualTo(UcxStatus.REJECTED));
    }

    @Test
    void bothSidesEncrypt() {
        TestCertificates authority = new TestCertificates("authority");
        SSLContext context = authority.context(authority.issue("store"));

        // snippet: encryption
        TlsConfig everywhere = TlsConfig.of(context).withEncryption(EncryptionMode.REQUIRED);

        UcxBoundServer server = UcxServer.create(resources)
                .secure(everywhere)
                .handle(UcxConnection::onClosing)
                .bindNow();
        UcxConnection connection = UcxClient.create(resources)
                .remoteAddress("localhost", server.port())
                .secure(TlsConfig.of(context))               // NETWORK: the stronger wish of the two counts
                .connectNow();

        boolean encrypted = connection.isEncrypted();        // true, also in shared memory
        // end

        assertThat(encrypted).isTrue();
        connection.disposeNow();
        server.disposeNow();
    }

    @Test
    void bothSidesShowCertificates() {
        TestCertificates authority = new TestCertificates("authority");
        SSLContext context = authority.context(authority.issue("store"));

        // snippet: tls
        TlsConfig tls = TlsConfig.of(context);               // this side's certificate, and whom it trusts

        UcxBoundServer server = UcxServer.create(resources)
                .secure(tls)
                .handle(connection -> greet(connection, connection.peerCertificates().orElseThrow().principal()))
                .bindNow();

        UcxConnection connection = UcxClient.create(resources)
                .remoteAddress("localhost", server.port())   // the name that the server's certificate has to have
                .secure(tls)
                .connectNow();
        // end

        assertThat(connection.inbound().receiveStrings().blockFirst(TIMEOUT)).isEqualTo("Hello CN=store");
        assertThatThrownBy(UcxClient.create(resources).remoteAddress("localhost", server.port())::connectNow)
                .hasMessageContaining("TLS: off at the client, on at the server");
    }

    private static Mono<Void> greet(UcxConnection connection, X500Principal who) {
        return connection.outbound().sendStrings(Mono.just("Hello " + who.getName())).then(Mono.never());
    }

    private static byte[] randomBytes() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    @Test
    void tcpUsesTheNamedDevicesOnly() {
        // snippet: devices
        UcxResources local = UcxResources.builder()
                .transports("tcp")         // between processes of this host as well
                .networkDevices("lo")      // or "eth1", or "eth1", "eth2"
                .build();
        // end
        UcxBoundServer server = UcxServer.create(local).bindNow();
        UcxConnection connection = UcxClient.create(local).remoteAddress("127.0.0.1", server.port()).connectNow();

        assertThat(connection.transports()).isNotEmpty().allMatch("tcp/lo"::equals);

        local.disposeNow();
    }

    @Test
    void limitsForClientsThatHaveNotProvedWhoTheyAre() {
        // snippet: bounds
        UcxServer guarded = UcxServer.create(resources)
                .bindAddress("127.0.0.1", 0)                          // not 0.0.0.0
                .maxPendingHandshakes(64)
                .handshakeTimeout(Duration.ofSeconds(2))
                .maxConnections(200);
        // end
        assertThat(guarded.bindNow().maxConnections()).isEqualTo(200);
    }
}
