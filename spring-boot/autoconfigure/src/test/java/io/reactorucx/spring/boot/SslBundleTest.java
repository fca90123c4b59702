package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    private static final Instant NOW = Instant.now();

    @TempDir
    private Path directory;
    private X509Bundle authority;
    private ApplicationContextRunner runner;

    @BeforeEach
    void writeBundle() throws Exception {
        authority = authority();
        X509Bundle peer = issue("first", authority);
        String bundle = "spring.ssl.bundle.pem.peer.";
        runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class, SslAutoConfiguration.class))
                .withPropertyValues(bundle + "keystore.certificate=" + file("chain.pem", peer.getCertificatePathPEM()),
                        bundle + "keystore.private-key=" + file("key.pem", peer.getPrivateKeyPEM()),
                        bundle + "truststore.certificate=" + file("root.pem", authority.getCertificatePEM()),
                        "reactor.ucx.ssl.bundle=peer");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toUri().toString();
    }

    private static X509Bundle authority() throws Exception {
        return new CertificateBuilder().ecp256().subject("CN=authority").setIsCertificateAuthority(true)
                .notBefore(NOW.minus(Duration.ofDays(1))).notAfter(NOW.plus(Duration.ofDays(1))).buildSelfSigned();
    }

    private static X509Bundle issue(String name, X509Bundle authority) throws Exception {
        return new CertificateBuilder().ecp256().subject("CN=" + name).addSanDnsName("peer.example.org")
                .addSanIpAddress("127.0.0.1").notBefore(NOW.minus(Duration.ofHours(1)))
                .notAfter(NOW.plus(Duration.ofHours(1))).buildIssuedBy(authority);
    }

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

            X509Bundle changed = authority();
            char[] password = "changeit".toCharArray();
            registry.updateBundle("peer", SslBundle.of(SslStoreBundle.of(issue("second", changed)
                    .toKeyStore(password), "changeit", trusting(changed))));

            assertThat(nameOf(client.connectNow(LIMIT))).isEqualTo("CN=second");
            assertThat(nameOf(before)).isEqualTo("CN=first");

            registry.updateBundle("peer", SslBundle.of(SslStoreBundle.of(issue("third", changed)
                    .toKeyStore(password), "another password", trusting(changed))));
            assertThat(nameOf(client.connectNow(LIMIT))).as("after a change that cannot be used")
                    .isEqualTo("CN=second");
        });
    }

    private static KeyStore trusting(X509Bundle trusted) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("authority", trusted.getCertificate());
        return store;
    }

    @Test
    void otherPropertiesArrive() {
        runner.run(context -> {
            TlsConfig tls = context.getBean(TlsConfig.class);
            assertThat(tls.clientCertificateRequired()).isTrue();
            assertThat(tls.serverName()).isNull();
            assertThat(context.getBean(UcxServer.class)).extracting("config.protocol.tls").isSameAs(tls);
            assertThat(context.getBean(UcxClient.class)).extracting("config.protocol.tls").isSameAs(tls);
        });
        runner.withPropertyValues("reactor.ucx.ssl.client-certificate-required=false",
                "reactor.ucx.ssl.server-name=peer.example.org").run(context -> {
                    TlsConfig tls = context.getBean(TlsConfig.class);
                    assertThat(tls.clientCertificateRequired()).isFalse();
                    assertThat(tls.serverName()).isEqualTo("peer.example.org");
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
