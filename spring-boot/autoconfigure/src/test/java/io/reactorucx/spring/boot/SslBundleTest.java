package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestCertificates;
import io.reactorucx.testsupport.TestTime;
import java.security.KeyStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Servers and clients whose certificates are those of an SSL bundle. */
class SslBundleTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues(PeerBundle.with());

    private static String nameOf(UcxConnection peer) {
        return peer.peerCertificates().orElseThrow().principal().getName();
    }

    @Test
    void templatesConnectByCertificates() {
        runner.run(context -> {
            UcxBoundServer server = context.getBean(UcxServer.class).handle(connection -> Mono.never()).bindNow();
            UcxClient client = context.getBean(UcxClient.class).remoteAddress(server.address());

            assertThat(nameOf(client.connectNow(LIMIT))).isEqualTo("CN=first");
            assertThat(UcxClient.create(context.getBean(UcxResources.class)).remoteAddress(server.address()).connect()
                    .map(UcxConnection::peer).onErrorResume(error -> Mono.just(error.getMessage())).block(LIMIT))
                    .contains("TLS: off at the client, on at the server");
        });
    }

    @Test
    void changedBundleIsUsedByNewConnections() {
        runner.run(context -> {
            UcxBoundServer server = context.getBean(UcxServer.class).handle(connection -> Mono.never()).bindNow();
            UcxClient client = context.getBean(UcxClient.class).remoteAddress(server.address());
            UcxConnection before = client.connectNow(LIMIT);
            SslBundleRegistry registry = context.getBean(SslBundleRegistry.class);

            TestCertificates changed = new TestCertificates("changed");
            registry.updateBundle("peer", bundle(changed, "second", "of no secret"));

            assertThat(nameOf(client.connectNow(LIMIT))).isEqualTo("CN=second");
            assertThat(nameOf(before)).isEqualTo("CN=first");

            registry.updateBundle("peer", bundle(changed, "third", "another password"));
            assertThat(nameOf(client.connectNow(LIMIT))).as("after a change that cannot be used")
                    .isEqualTo("CN=second");
        });
    }

    private static SslBundle bundle(TestCertificates authority, String subject, String password) {
        KeyStore store = authority.store(authority.issue(subject));
        return SslBundle.of(SslStoreBundle.of(store, password, store));
    }

    @Test
    void otherPropertiesArrive() {
        runner.run(context -> {
            TlsConfig tls = context.getBean(TlsConfig.class);
            assertThat(tls.clientCertificateRequired()).isTrue();
            assertThat(tls.serverName()).isNull();
            assertThat(tls.encryption()).isEqualTo(EncryptionConfig.DEFAULT);
            assertThat(context.getBean(UcxServer.class)).extracting("config.protocol.tls").isSameAs(tls);
            assertThat(context.getBean(UcxClient.class)).extracting("config.protocol.tls").isSameAs(tls);
        });
        runner.withPropertyValues("reactor.ucx.ssl.client-certificate-required=false",
                "reactor.ucx.ssl.server-name=peer.example.org", "reactor.ucx.ssl.encryption=off",
                "reactor.ucx.ssl.cipher=aes-256-gcm").run(context -> {
                    TlsConfig tls = context.getBean(TlsConfig.class);
                    assertThat(tls.clientCertificateRequired()).isFalse();
                    assertThat(tls.serverName()).isEqualTo("peer.example.org");
                    assertThat(tls.encryption()).isEqualTo(EncryptionConfig.DEFAULT.withMode(EncryptionMode.OFF)
                            .withCipher(EncryptionCipher.AES_256_GCM));
                });
    }

    @ParameterizedTest
    @CsvSource({"network, false", "required, true"})
    void sharedMemoryIsEncryptedWhereThatIsRequired(String mode, boolean encrypted) {
        runner.withPropertyValues("reactor.ucx.transports=shm", "reactor.ucx.ssl.encryption=" + mode).run(context -> {
            UcxBoundServer server = context.getBean(UcxServer.class).handle(connection -> Mono.never()).bindNow();
            UcxClient client = context.getBean(UcxClient.class).remoteAddress(server.address())
                    .secure(context.getBean(TlsConfig.class).withEncryption(EncryptionMode.NETWORK));

            assertThat(client.connectNow(LIMIT).isEncrypted()).isEqualTo(encrypted);
        });
    }

    @Test
    void bundleHasToExist() {
        runner.withPropertyValues("reactor.ucx.ssl.bundle=other").run(context -> assertThat(context)
                .getFailure().rootCause().isInstanceOf(NoSuchSslBundleException.class).hasMessageContaining("other"));
    }

    @Test
    void withoutABundleThereIsNoTls() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean(TlsConfig.class));
    }
}
