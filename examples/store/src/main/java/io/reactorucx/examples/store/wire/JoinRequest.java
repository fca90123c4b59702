package io.reactorucx.examples.store.wire;

/**
 * A node without data asks the other of a pair for it.
 *
 * @param pair the pair
 * @param lease name of the lease of the node that asks
 */
public record JoinRequest(Pair pair, String lease) {
}
