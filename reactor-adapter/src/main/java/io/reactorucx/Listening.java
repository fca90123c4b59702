package io.reactorucx;

import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;

/** Where a server's clients come in. */
interface Listening {

    InetSocketAddress address();

    /** Takes no more clients. */
    Mono<Void> refuse();

    /** Ends it, after the connections have been closed. */
    Mono<Void> close();
}
