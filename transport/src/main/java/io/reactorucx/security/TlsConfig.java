package io.reactorucx.security;

import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 on the control socket of a connection: who the peer is, that nobody reads or changes what the two tell each
 * other before and beside the data, and the keys by which the data is encrypted ({@link EncryptionConfig}).
 *
 * <p>Both sides need it. A client checks the server's certificate, and the name in it; a server demands a certificate
 * of its clients.
 *
 * <p><b>Threading:</b> the source of contexts, its key managers and its trust managers are called on the threads of
 * authenticators ({@code UcxResourcesBuilder.authenticatorLimits}), and may block within the time of the handshake.
 * <b>Ownership:</b> immutable; contexts stay the caller's. <b>Errors:</b> a peer that is not trusted, speaks no TLS, or
 * another protocol within it is refused, and the reason stands in the log and the exception of both sides as far as
 * TLS tells it.
 *
 * @param contexts is asked for the context of each connection, so that certificates can be renewed without a restart
 * @param clientCertificateRequired whether a server refuses clients without a certificate; without it the certificate
 *     of a client is checked if it has one
 * @param serverName the name that a client wants in the server's certificate, null for the host that it connects to
 * @param encryption how the data is encrypted
 */
public record TlsConfig(Supplier<SSLContext> contexts, boolean clientCertificateRequired,
        @Nullable String serverName, EncryptionConfig encryption) {

    /** Checks that there is a source of contexts, and that the name is not blank. */
    public TlsConfig {
        Objects.requireNonNull(contexts, "contexts");
        Objects.requireNonNull(encryption, "encryption");
        if (serverName != null && serverName.isBlank()) {
            throw new IllegalArgumentException("serverName \"" + serverName + "\": must not be blank");
        }
    }

    /**
     * Creates a configuration with one context.
     *
     * @param context with a key manager, and a trust manager for the peer's certificates
     * @return the configuration; clients need a certificate
     */
    public static TlsConfig of(SSLContext context) {
        Objects.requireNonNull(context, "context");
        return of(() -> context);
    }

    /**
     * Creates a configuration that asks for a context for each connection.
     *
     * @param contexts returns the context; may block
     * @return the configuration; clients need a certificate
     */
    public static TlsConfig of(Supplier<SSLContext> contexts) {
        return new TlsConfig(contexts, true, null, EncryptionConfig.DEFAULT);
    }

    /**
     * The same with another demand on clients.
     *
     * @param value see {@link #clientCertificateRequired()}
     * @return a changed copy
     */
    public TlsConfig withClientCertificateRequired(boolean value) {
        return new TlsConfig(contexts, value, serverName, encryption);
    }

    /**
     * The same with another name of the server.
     *
     * @param value see {@link #serverName()}
     * @return a changed copy
     */
    public TlsConfig withServerName(String value) {
        return new TlsConfig(contexts, clientCertificateRequired, Objects.requireNonNull(value, "serverName"),
                encryption);
    }

    /**
     * The same with another encryption of the data.
     *
     * @param value see {@link #encryption()}
     * @return a changed copy
     */
    public TlsConfig withEncryption(EncryptionConfig value) {
        return new TlsConfig(contexts, clientCertificateRequired, serverName, value);
    }

    /**
     * The same with another mode of encryption.
     *
     * @param value see {@link EncryptionConfig#mode()}
     * @return a changed copy
     */
    public TlsConfig withEncryption(EncryptionMode value) {
        return withEncryption(encryption.withMode(value));
    }

    @Override
    public String toString() {
        return "TlsConfig[clientCertificateRequired=" + clientCertificateRequired + ", serverName=" + serverName
                + ", encryption=" + encryption + "]";
    }
}
