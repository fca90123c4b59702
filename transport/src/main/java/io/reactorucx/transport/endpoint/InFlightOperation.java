package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Operation;
import io.reactorucx.engine.OperationKind;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a connection, which stays in flight until UCX no longer uses its memory.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public abstract class InFlightOperation extends Operation {

    /** The neighbours in {@link InFlightOperations}. The first operation precedes itself; null outside of a list. */
    @Nullable InFlightOperation previous;
    @Nullable InFlightOperation next;

    /** Returns whether UCX has the operation. */
    protected final boolean isInFlight() {
        return previous != null;
    }

    /** Fails the operation for its caller now; UCX's completion may come later. */
    public abstract void abandon(RuntimeException error);

    /** The caller has cancelled while the operation is in flight. */
    public void cancelled(UcpWorker worker) {
    }

    /** Returns whether this is a receive, whose data may have arrived before the peer was lost. */
    public final boolean mayHaveArrived() {
        return kind() == OperationKind.TAG_RECEIVE || kind() == OperationKind.STREAM_RECEIVE;
    }

    /**
     * Fails the operation because its endpoint closes, but for a receive of the byte stream: data may still come for
     * it, and UCX ends it.
     */
    public final void endpointCloses(RuntimeException error) {
        if (kind() != OperationKind.STREAM_RECEIVE) {
            abandon(error);
        }
    }
}
