package io.reactorucx.engine;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import org.jspecify.annotations.Nullable;

/**
 * One operation of UCX as an engine runs it: posted by the engine's thread, ended once from its loop, never inside the call that posted it.
 *
 * <p><b>Threading:</b> {@link #post}, {@link #succeeded} and {@link #failed} on the engine's thread; {@link #failed} also on the submitting
 * thread when the engine rejects it. <b>Ownership:</b> serves once, another attempt needs another object.
 * <b>Errors:</b> what {@link #post} throws ends the operation.
 */
public abstract class Operation implements Command, Completion {

    private final ProgressEngine engine;
    private final OperationKind kind;
    private @Nullable RuntimeException refused;

    /**
     * An operation that is not posted yet.
     *
     * @param engine the engine that will run it
     * @param kind what it is counted as
     */
    protected Operation(ProgressEngine engine, OperationKind kind) {
        this.engine = engine;
        this.kind = kind;
    }

    /**
     * Hands it to UCX, with this object as the completion.
     *
     * @param worker the engine's worker
     * @return whether it is done already
     */
    protected abstract boolean post(UcpWorker worker);

    /**
     * It has ended well.
     *
     * @param receivedLength bytes received, for a receive
     * @param tag the message's tag, for a tag receive
     */
    protected abstract void succeeded(long receivedLength, long tag);

    /**
     * It has ended badly, or was never begun.
     *
     * @param error why
     */
    protected abstract void failed(RuntimeException error);

    /**
     * Payload bytes, for the counters.
     *
     * @param receivedLength bytes received, for a receive
     * @return bytes that this operation moved
     */
    protected abstract long bytes(long receivedLength);

    /** {@return name of the peer for errors, null when it concerns none} */
    protected abstract @Nullable String peer();

    /** {@return the engine that runs it} */
    protected final ProgressEngine engine() {
        return engine;
    }

    /** {@return what it is counted as} */
    public final OperationKind kind() {
        return kind;
    }

    @Override
    public final void run(UcpWorker worker) {
        if (!engine.admits(this)) {
            return;
        }
        try {
            engine.checkOpen(kind);
            if (!post(worker)) {
                return;
            }
        } catch (RuntimeException e) {
            refused = e;
        } catch (Error e) {
            refused = new IllegalStateException(kind.ucxName() + ": could not be posted", e);
        }
        engine.deliverLater(this);
    }

    @Override
    public final void reject(RuntimeException cause) {
        failed(cause);
    }

    @Override
    public final void complete(int rawStatus, long receivedLength, long tag) {
        if (rawStatus < 0) {
            refused = new UcxException(rawStatus, kind.ucxName(), peer());
        }
        deliver(receivedLength, tag);
    }

    /** Ends it, from the engine's loop, when it was done or refused within the call that posted it: no receive is. */
    final void deliver() {
        deliver(0, 0);
    }

    private void deliver(long length, long senderTag) {
        RuntimeException error = refused;
        if (error == null) {
            engine.counters().ended(kind, true, bytes(length));
            succeeded(length, senderTag);
        } else {
            engine.counters().ended(kind, false, 0);
            failed(error);
        }
    }
}
