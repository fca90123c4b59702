package io.reactorucx.examples.store.replica;

/** The right of a node to answer, which the registry gives for a short time. */
interface Lease {

    /** Returns its name, which is new whenever the registry had given the node up. */
    String name();

    /** Returns whether the registry cannot have given the node up yet. */
    boolean isHeld();
}
