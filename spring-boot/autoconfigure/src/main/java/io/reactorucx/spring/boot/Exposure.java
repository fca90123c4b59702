package io.reactorucx.spring.boot;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of servers that other hosts reach and that authenticate nobody.
 *
 * <p><b>Threading:</b> any. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class Exposure {

    private static final Logger LOG = LoggerFactory.getLogger(Exposure.class);

    private Exposure() {
    }

    /**
     * Logs a warning if one is due.
     *
     * @param subject what serves
     * @param address where it listens
     * @param authenticated whether clients are authenticated before UCX takes what they send
     * @param property by which the application names another address
     */
    public static void warn(String subject, @Nullable SocketAddress address, boolean authenticated, String property) {
        if (!authenticated && address instanceof InetSocketAddress inet && inet.getAddress() != null
                && !inet.getAddress().isLoopbackAddress()) {
            LOG.warn("{} serves whoever reaches {} without authentication, and UCX trusts what such peers send."
                    + " reactor.ucx.security.shared-secret, or a bean of the type Authenticator, admits those alone"
                    + " that know the secret, reactor.ucx.ssl.bundle those with a certificate that it trusts; {}, such"
                    + " as 127.0.0.1, restricts who reaches it. UCX's own tcp listens"
                    + " on the network devices of that address, or on those of reactor.ucx.network-devices;"
                    + " reactor.ucx.transports leaves it out", subject, inet, property);
        }
    }
}
