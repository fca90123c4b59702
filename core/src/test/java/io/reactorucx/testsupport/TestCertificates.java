package io.reactorucx.testsupport;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** Certificates of a certificate authority of the tests' own, and contexts that trust it. */
public final class TestCertificates {

    public static final Instant NOW = Instant.now();

    private static final char[] PASSWORD = "of no secret".toCharArray();

    private final X509Bundle authority;

    /**
     * Makes an authority.
     *
     * @param name its common name
     */
    public TestCertificates(String name) {
        try {
            authority = new CertificateBuilder().ecp256().subject("CN=" + name).setIsCertificateAuthority(true)
                    .notBefore(NOW.minus(Duration.ofDays(2))).notAfter(NOW.plus(Duration.ofDays(2))).buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return the certificate of this authority as PEM} */
    public String certificatePem() {
        return authority.getCertificatePEM();
    }

    /**
     * Issues a certificate for this host, valid today unless the settings say something else.
     *
     * @param subject its common name
     * @param settings changes the certificate
     * @return the certificate and its key
     */
    public X509Bundle issue(String subject, UnaryOperator<CertificateBuilder> settings) {
        try {
            return settings.apply(new CertificateBuilder().ecp256().subject("CN=" + subject)
                    .notBefore(NOW.minus(Duration.ofDays(1))).notAfter(NOW.plus(Duration.ofDays(1)))
                    .addSanIpAddress("127.0.0.1").addSanDnsName("localhost")).buildIssuedBy(authority);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Issues a certificate for this host.
     *
     * @param subject its common name
     * @return the certificate and its key
     */
    public X509Bundle issue(String subject) {
        return issue(subject, UnaryOperator.identity());
    }

    /**
     * Makes a context that trusts the certificates of this authority.
     *
     * @param shown the certificate that it shows
     * @return the context
     */
    public SSLContext context(X509Bundle shown) {
        return context(new KeyManager[] {new AlwaysShown(shown)});
    }

    /** {@return a context that trusts the certificates of this authority and shows none} */
    public SSLContext contextWithoutCertificate() {
        return context(new KeyManager[0]);
    }

    /**
     * Writes a certificate, its key and that of this authority to a file, for another process.
     *
     * @param shown the certificate
     * @param file for {@link #read}
     */
    public void write(X509Bundle shown, Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            store(shown).store(out, PASSWORD);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Makes a store of a certificate, its key and the certificate of this authority.
     *
     * @param shown the certificate
     * @return the store, with the password "of no secret"
     */
    public KeyStore store(X509Bundle shown) {
        try {
            KeyStore store = shown.toKeyStore(PASSWORD);
            store.setCertificateEntry("authority", authority.getCertificate());
            return store;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Makes a context of what {@link #write} has written.
     *
     * @param file the file
     * @return a context that shows the certificate, and trusts those of the authority
     */
    public static SSLContext read(Path file) {
        try {
            KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private SSLContext context(KeyManager[] keys) {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", authority.getCertificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust.getTrustManagers(), null);
            return context;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Shows its certificate whichever authorities the peer trusts; the JDK's key managers would show none. */
    private static final class AlwaysShown extends X509ExtendedKeyManager {

        private static final String ALIAS = "shown";

        private final X509Bundle shown;

        AlwaysShown(X509Bundle shown) {
            this.shown = shown;
        }

        @Override
        public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return ALIAS;
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return ALIAS;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return shown.getCertificatePath();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return shown.getKeyPair().getPrivate();
        }
    }
}
