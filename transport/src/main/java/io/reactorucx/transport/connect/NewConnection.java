package io.reactorucx.transport.connect;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.transport.carrier.EndpointCarrier;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.handshake.ConnectListener;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is being made, and its carrier, to which the endpoint will be attached.
 *
 * <p>Thread: engine, {@link #of} any.
 */
record NewConnection(ConnectionCore connection, EndpointCarrier carrier) {

    /** Makes a connection of an engine that has started; without an identity the peer is a raw one. */
    static NewConnection of(EngineConnections engine, ConnectionConfig config, String peer,
            @Nullable ConnectionIdentity identity) {
        EndpointCarrier carrier = engine.newCarrier(peer);
        return new NewConnection(new ConnectionCore(engine, config, peer, identity,
                identity == null ? carrier : engine.layers().over(carrier, config, identity)), carrier);
    }

    /** Attaches the endpoint, whose error handler is {@link ConnectionCore#endpointFailed}. */
    void attach(UcpEndpoint made, ConnectListener listener) {
        carrier.attach(made);
        connection.carrierAttached(listener);
    }
}
