package io.reactorucx.examples.soak;

import java.time.Duration;
import reactor.core.publisher.Mono;

/** One kind of traffic over one connection. */
interface Traffic {

    /** So long an answer may take over a connection that lives. */
    Duration LOST_AFTER = Duration.ofSeconds(60);

    /** What it is called in the report. */
    String name();

    /** Largest payload in bytes. */
    int maxBytes();

    /**
     * Sends a payload and checks what comes back.
     *
     * @param number of the exchange, never used before on this connection
     * @param bytes size of the payload
     * @return completes when what came back is what was sent
     */
    Mono<Void> exchange(long number, int bytes);
}
