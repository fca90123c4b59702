package io.reactorucx.examples.store.replica;

import java.util.Set;

/**
 * The leases that the registry knew at some moment. What is not among them is over.
 *
 * @param leases their names
 * @param startedNanos when it was asked for
 */
record Listing(Set<String> leases, long startedNanos) {

    /** Returns whether a lease that existed at a moment is over. */
    boolean isOver(String lease, long existedNanos) {
        return startedNanos - existedNanos > 0 && !leases.contains(lease);
    }

    /** Returns whether a node has a lease besides the given one. */
    boolean hasOther(int node, String except) {
        return leases.stream().anyMatch(lease -> nodeOf(lease) == node && !lease.equals(except));
    }

    static String name(int node, String unique) {
        return node + "-" + unique;
    }

    /** Returns the number of the lease's node; -1 for a name of another kind. */
    static int nodeOf(String lease) {
        int end = lease.indexOf('-');
        try {
            return end < 1 ? -1 : Integer.parseInt(lease, 0, end, 10);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
