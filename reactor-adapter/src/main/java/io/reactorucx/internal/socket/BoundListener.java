package io.reactorucx.internal.socket;

import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;

/**
 * A listener that clients of a server connect to.
 *
 * <p>Thread: any.
 */
public interface BoundListener {

    InetSocketAddress address();

    /** Returns a Mono that fails when the listener has failed and is closed for that reason; else it never ends. */
    Mono<Void> onFailure();

    /** Rejects new clients from now on. */
    Mono<Void> refuse();

    /** Closes the listener, after the connections have been closed. */
    Mono<Void> close();
}
