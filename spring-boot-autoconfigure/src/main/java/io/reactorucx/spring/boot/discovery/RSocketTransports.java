package io.reactorucx.spring.boot.discovery;

import io.rsocket.transport.ClientTransport;

/**
 * Makes RSocket transports to addresses.
 *
 * <p><b>Threading:</b> any thread; must not block. <b>Ownership:</b> transports own nothing until they connect.
 * <b>Errors:</b> those of {@link ClientTransport#connect()}.
 */
@FunctionalInterface
public interface RSocketTransports {

    /**
     * A transport to an address.
     *
     * @param host name or address
     * @param port in 1..65535
     * @return the transport, not connected
     */
    ClientTransport to(String host, int port);
}
