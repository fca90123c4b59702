package io.reactorucx.spring.boot;

import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.TlsConfig;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** The context of an SSL bundle of Spring Boot, of the bundle's newest certificates. */
final class BundledTls {

    private static final Logger LOG = LoggerFactory.getLogger(BundledTls.class);

    private final String name;
    private final AtomicReference<@Nullable SSLContext> context = new AtomicReference<>();

    private BundledTls(String name) {
        this.name = name;
    }

    /** Returns the configuration of the properties, whose bundle has to exist. */
    static TlsConfig config(UcxProperties.Ssl properties, SslBundles bundles) {
        BundledTls tls = new BundledTls(Objects.requireNonNull(properties.bundle()));
        // Before the first look: a change between the two would be lost.
        bundles.addBundleUpdateHandler(tls.name, tls::changed);
        tls.context.compareAndSet(null, bundles.getBundle(tls.name).createSslContext());
        TlsConfig config = TlsConfig.of(() -> Objects.requireNonNull(tls.context.get()))
                .withClientCertificateRequired(properties.clientCertificateRequired())
                .withEncryption(EncryptionConfig.DEFAULT.withMode(properties.encryption())
                .withCipher(properties.cipher()));
        return properties.serverName() == null ? config : config.withServerName(properties.serverName());
    }

    private void changed(SslBundle bundle) {
        try {
            context.set(bundle.createSslContext());
            LOG.info("New connections use the changed SSL bundle '{}'", name);
        } catch (RuntimeException e) {
            LOG.warn("The changed SSL bundle '{}' cannot be used; new connections use the one before", name, e);
        }
    }
}
