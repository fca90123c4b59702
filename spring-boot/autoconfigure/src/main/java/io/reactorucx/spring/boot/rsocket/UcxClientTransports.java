package io.reactorucx.spring.boot.rsocket;

import io.rsocket.transport.ClientTransport;

/**
 * Makes the transports by which {@code RSocketRequester.Builder} connects: over UCX, or over the kernel's TCP where
 * UCX cannot be used and {@code reactor.ucx.fallback} is {@code tcp}.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> a transport owns nothing. <b>Errors:</b>
 * {@link io.reactorucx.core.error.UcxUnavailableException} where UCX cannot be used; {@link IllegalArgumentException}
 * for a wrong port. The connect fails with an {@link io.reactorucx.core.error.UcxException}.
 */
@FunctionalInterface
public interface UcxClientTransports {

    /**
     * Returns the transport to a server.
     *
     * @param host its name or address
     * @param port its port, 1 to 65535
     * @return a transport, which connects when it is subscribed to
     */
    ClientTransport to(String host, int port);
}
