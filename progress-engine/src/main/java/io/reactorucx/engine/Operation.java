package io.reactorucx.engine;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One operation of UCX as an engine runs it: posted by the engine's thread and completed once from its loop, never
 * inside the call that posts it.
 *
 * <p>It has no field of its own: there may be one for each message, and its subclasses know engine and kind already.
 *
 * <p><b>Threading:</b> {@link #post}, {@link #succeeded} and {@link #failed} on the engine's thread; {@link #failed}
 * also on the submitting thread when the engine rejects it. <b>Ownership:</b> serves once, another attempt needs
 * another object. <b>Errors:</b> what {@link #post} throws ends the operation.
 */
public abstract class Operation implements Command, Completion, DeferredCompletion {

    /** An operation that is not posted yet. */
    protected Operation() {
    }

    /** {@return the engine that runs it, always the same} */
    protected abstract ProgressEngine engine();

    /** {@return what it is counted as, always the same} */
    public abstract OperationKind kind();

    /**
     * Posts it to UCX, with this object as the completion.
     *
     * @param worker the engine's worker
     * @return whether it is done already
     */
    protected abstract boolean post(UcpWorker worker);

    /**
     * The operation has succeeded.
     *
     * @param receivedLength bytes received, for a receive
     * @param tag the message's tag, for a tag receive
     */
    protected abstract void succeeded(long receivedLength, long tag);

    /**
     * The operation has failed, or was never posted.
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

    @Override
    public final void run(UcpWorker worker) {
        ProgressEngine engine = engine();
        if (!engine.admits(this)) {
            return;
        }
        try {
            engine.checkOpen(kind());
            if (post(worker)) {
                engine.deliverLater(this);
            }
        } catch (RuntimeException e) {
            engine.deliverLater(new FailedPost(this, e));
        } catch (Error e) {
            engine.deliverLater(new FailedPost(this, new IllegalStateException(kind().ucxName() + ": could not"
                    + " be posted", e)));
        }
    }

    @Override
    public final void reject(RuntimeException cause) {
        failed(cause);
    }

    @Override
    public final void complete(int rawStatus, long receivedLength, long tag) {
        if (rawStatus < 0) {
            refused(new UcxException(rawStatus, kind().ucxName(), peer()));
        } else {
            engine().counters().succeeded(kind(), bytes(receivedLength));
            succeeded(receivedLength, tag);
        }
    }

    /** Completes it, from the engine's loop, when it was done within the call that posted it, as no receive is. */
    @Override
    public final void deliver() {
        complete(0, 0, 0);
    }

    /** Fails it, from the engine's loop, when UCX or a check of the arguments has refused it. */
    final void refused(RuntimeException error) {
        engine().counters().failed(kind(), status(error));
        failed(error);
    }

    private static UcxStatus status(RuntimeException error) {
        if (error instanceof CancellationException) {
            return UcxStatus.CANCELED;
        }
        return error instanceof UcxException ucx ? ucx.status() : UcxStatus.UNKNOWN;
    }

    /** The completion of an operation that could not be posted. */
    private record FailedPost(Operation operation, RuntimeException error) implements DeferredCompletion {

        @Override
        public void deliver() {
            operation.refused(error);
        }
    }
}
