package io.reactorucx.examples.soak;

import java.time.Duration;
import reactor.core.publisher.Mono;

/** One kind of traffic over one connection. */
interface Traffic {

    /** Longest time of a reply over an open connection. */
    Duration LOST_AFTER = Duration.ofSeconds(60);

    /** The name in the report. */
    String name();

    /** Largest payload in bytes. */
    int maxBytes();

    /**
     * Sends a payload and checks the reply.
     *
     * @param number number of the exchange, unique on this connection
     * @param bytes size of the payload
     * @return completes when the reply has arrived and equals the payload
     */
    Mono<Void> exchange(long number, int bytes);
}
