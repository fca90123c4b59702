package io.reactorucx.examples.store.wire;

/**
 * Two nodes that hold the same keys.
 *
 * @param low the lower number of a node
 * @param high the higher number of a node
 */
public record Pair(int low, int high) {

    /** Checks the numbers. */
    public Pair {
        if (low < 0 || high <= low) {
            throw new IllegalArgumentException("pair " + low + ", " + high + ": the numbers must rise from 0");
        }
    }

    /**
     * The pair of two nodes.
     *
     * @param one number of a node
     * @param other number of another node
     * @return the pair
     */
    public static Pair of(int one, int other) {
        return new Pair(Math.min(one, other), Math.max(one, other));
    }

    /**
     * The other node.
     *
     * @param node number of one of both
     * @return the number of the other
     */
    public int other(int node) {
        return node == low ? high : low;
    }

    /**
     * Whether a node is one of both.
     *
     * @param node number of a node
     * @return whether it is
     */
    public boolean has(int node) {
        return node == low || node == high;
    }
}
