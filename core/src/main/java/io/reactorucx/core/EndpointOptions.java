package io.reactorucx.core;

import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.socket.SocketAddresses;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options that an endpoint is made with.
 *
 * @param errorMode how failures of the peer are treated, the same on both sides
 * @param peer what to call the peer in errors and logs
 * @param onError called when the endpoint has failed
 * @param localAddress where to connect from, port 0 for any; only to a socket address, null for the system's choice
 * @param sendClientId whether the listener learns {@link UcpWorkerParameters#clientId()}; only to a socket address
 * @param name what UCX calls the endpoint, at most 31 characters; empty for a name of UCX's own
 * @param userData a number that {@link UcpEndpoint#attributes()} gives back from UCX 1.18 on
 * @param loopback whether an endpoint to its own worker may be connected to itself
 */
public record EndpointOptions(ErrorMode errorMode, String peer, EndpointErrorHandler onError,
        @Nullable InetSocketAddress localAddress, boolean sendClientId, String name, long userData, boolean loopback) {

    /** Checks the parts. */
    public EndpointOptions {
        Objects.requireNonNull(errorMode, "errorMode");
        Objects.requireNonNull(peer, "peer");
        Objects.requireNonNull(onError, "onError");
        Arguments.name(name, "name");
        if (localAddress != null) {
            SocketAddresses.checked(localAddress, "localAddress");
        }
    }

    /**
     * The options that every endpoint needs; the others have their defaults.
     *
     * @param errorMode how failures of the peer are treated, the same on both sides
     * @param peer what to call the peer in errors and logs
     * @param onError called when the endpoint has failed
     */
    public EndpointOptions(ErrorMode errorMode, String peer, EndpointErrorHandler onError) {
        this(errorMode, peer, onError, null, false, "", 0, true);
    }

    /**
     * Connects from a certain address.
     *
     * @param address address of this host, port 0 for any
     * @return other options
     */
    public EndpointOptions from(InetSocketAddress address) {
        Objects.requireNonNull(address, "address");
        return new EndpointOptions(errorMode, peer, onError, address, sendClientId, name, userData, loopback);
    }

    /**
     * Tells the listener the client id of the worker.
     *
     * @return other options
     */
    public EndpointOptions withClientId() {
        return new EndpointOptions(errorMode, peer, onError, localAddress, true, name, userData, loopback);
    }

    /**
     * Names the endpoint.
     *
     * @param value at most 31 characters
     * @param data a number for the endpoint's attributes
     * @return other options
     */
    public EndpointOptions named(String value, long data) {
        return new EndpointOptions(errorMode, peer, onError, localAddress, sendClientId, value, data, loopback);
    }

    /**
     * Lets an endpoint to its own worker go through a transport all the same.
     *
     * @return other options
     */
    public EndpointOptions withoutLoopback() {
        return new EndpointOptions(errorMode, peer, onError, localAddress, sendClientId, name, userData, false);
    }

    /** Refuses what UCX would ignore for an endpoint that is not made by a socket address. */
    void requireNoSocketOptions(String operation) {
        if (localAddress != null || sendClientId) {
            throw new IllegalArgumentException((localAddress != null ? "localAddress" : "sendClientId")
                    + ": only an endpoint that connects to a socket address has one, not " + operation);
        }
    }
}
