package io.reactorucx.core;

import io.reactorucx.core.internal.ProcessState;

/**
 * A process of a host as another process of the host can name it.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param namespace the number of its PID namespace, 0 when it is unknown
 * @param id its id within that namespace
 */
public record ProcessIdentity(long namespace, int id) {

    /** The identity of no process. */
    public static final ProcessIdentity UNKNOWN = new ProcessIdentity(0, 0);

    private static final ProcessIdentity SELF = ProcessState.namespace() == 0 ? UNKNOWN
            : new ProcessIdentity(ProcessState.namespace(), ProcessState.self());

    /** {@return the identity of this process} */
    public static ProcessIdentity self() {
        return SELF;
    }

    /**
     * {@return whether this process can tell when the other one has died: both are in one PID namespace, if they are on
     * one host}
     *
     * @param other the other process
     */
    public boolean canWatch(ProcessIdentity other) {
        return namespace != 0 && namespace == other.namespace && other.id > 0;
    }
}
