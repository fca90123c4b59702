package io.reactorucx.transport.socket;

import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.handshake.AuthenticatorExecutor;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * One side of TLS on a control socket.
 *
 * @param engine makes the engine of a connection; may block
 * @param executor runs that, and the steps of the engine that take long
 * @param client whether this side is the client
 */
public record TlsSide(Supplier<SSLEngine> engine, AuthenticatorExecutor executor, boolean client) {

    /** The protocol within TLS, by which a peer of another one is refused (ALPN, RFC 7301). */
    static final String PROTOCOL = "reactor-ucx/1";

    private static final String[] VERSIONS = {"TLSv1.3"};

    /** Returns the side of a client that connects to a host. */
    public static TlsSide ofClient(TlsConfig config, String host, int port, AuthenticatorExecutor executor) {
        return new TlsSide(() -> {
            String name = config.serverName() == null ? host : config.serverName();
            SSLEngine engine = context(config).createSSLEngine(name, port);
            engine.setUseClientMode(true);
            SSLParameters parameters = parameters(engine);
            // The rules of RFC 2818 for names, which are those of every protocol with a host name.
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            engine.setSSLParameters(parameters);
            return engine;
        }, executor, true);
    }

    /** Returns the side of a server. */
    public static TlsSide ofServer(TlsConfig config, AuthenticatorExecutor executor) {
        return new TlsSide(() -> {
            SSLEngine engine = context(config).createSSLEngine();
            engine.setUseClientMode(false);
            SSLParameters parameters = parameters(engine);
            if (config.clientCertificateRequired()) {
                parameters.setNeedClientAuth(true);
            } else {
                parameters.setWantClientAuth(true);
            }
            engine.setSSLParameters(parameters);
            return engine;
        }, executor, false);
    }

    private static SSLContext context(TlsConfig config) {
        return Objects.requireNonNull(config.contexts().get(), "the source of TLS contexts returned null");
    }

    private static SSLParameters parameters(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        parameters.setApplicationProtocols(List.of(PROTOCOL).toArray(String[]::new));
        return parameters;
    }

    /** Returns what is said on both sides when one of them speaks no TLS. */
    static String mismatch(boolean atClient) {
        return atClient ? "TLS: on at the client, off at the server" : "TLS: off at the client, on at the server";
    }
}
