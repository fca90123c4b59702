package io.reactorucx.internal.socket;

import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;

/** Where a server's clients come in. */
public interface BoundListener {

    InetSocketAddress address();

    /** Takes no more clients. */
    Mono<Void> refuse();

    /** Ends it, after the connections have been closed. */
    Mono<Void> close();
}
