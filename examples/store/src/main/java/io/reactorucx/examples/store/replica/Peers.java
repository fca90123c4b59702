package io.reactorucx.examples.store.replica;

import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * How a node reaches the others.
 *
 * <p><b>Threading:</b> any thread; must not block. <b>Ownership:</b> none. <b>Errors:</b> a node that cannot be reached
 * is one.
 */
public interface Peers {

    /**
     * Sends writes to a backup.
     *
     * @param node its number
     * @param batch the writes
     * @return whether it has them now
     */
    Mono<Boolean> replicate(int node, Batch batch);

    /**
     * Asks for the data of a pair.
     *
     * @param node the number of the other node
     * @param request for which pair
     * @return the answer
     */
    Flux<JoinPart> join(int node, JoinRequest request);
}
