package io.reactorucx.engine;

import io.reactorucx.core.error.UcxStatus;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of an engine since it started.
 *
 * <p><b>Threading:</b> any thread may read; the engine's thread writes without a fence, so that a reader may see
 * slightly older values.
 */
public final class EngineCounters {

    private static final int KINDS = OperationKind.values().length;

    private final AtomicLong steps = new AtomicLong();
    private final AtomicLong emptySteps = new AtomicLong();
    private final AtomicLong commands = new AtomicLong();
    private final AtomicLong sleeps = new AtomicLong();
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong heldMessages = new AtomicLong();
    private final AtomicLong parkedEndpoints = new AtomicLong();
    private final LongAdder signals = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final AtomicLongArray succeeded = new AtomicLongArray(KINDS);
    private final AtomicLongArray failed = new AtomicLongArray(KINDS);
    private final AtomicLongArray bytes = new AtomicLongArray(KINDS);
    private final AtomicLongArray errors = new AtomicLongArray(UcxStatus.values().length);

    EngineCounters() {
    }

    void stepped(int work, int ranCommands, int nowInFlight, int nowHeld, int nowParked) {
        add(steps, 1);
        if (work == 0) {
            add(emptySteps, 1);
        }
        if (ranCommands > 0) {
            add(commands, ranCommands);
        }
        inFlight.setOpaque(nowInFlight);
        heldMessages.setOpaque(nowHeld);
        parkedEndpoints.setOpaque(nowParked);
    }

    void slept() {
        add(sleeps, 1);
    }

    void signalled() {
        signals.increment();
    }

    void rejectedCommand() {
        rejected.increment();
    }

    void succeeded(OperationKind kind, long moved) {
        add(succeeded, kind.ordinal(), 1);
        add(bytes, kind.ordinal(), moved);
    }

    void failed(OperationKind kind, UcxStatus status) {
        add(failed, kind.ordinal(), 1);
        add(errors, status.ordinal(), 1);
    }

    private static void add(AtomicLongArray counters, int index, long more) {
        counters.setOpaque(index, counters.getPlain(index) + more);
    }

    private static void add(AtomicLong counter, long more) {
        counter.setOpaque(counter.getPlain() + more);
    }

    /** {@return rounds of the engine's loop} */
    public long steps() {
        return steps.getOpaque();
    }

    /** {@return rounds that found nothing to do} */
    public long emptySteps() {
        return emptySteps.getOpaque();
    }

    /** {@return commands that came through the queue} */
    public long commands() {
        return commands.getOpaque();
    }

    /** {@return times that the engine slept} */
    public long sleeps() {
        return sleeps.getOpaque();
    }

    /** {@return times that another thread woke the engine} */
    public long signals() {
        return signals.sum();
    }

    /**
     * {@return commands that were rejected, because the queue was full, too many waited for the loop, or the engine
     * closed}
     */
    public long rejectedCommands() {
        return rejected.sum();
    }

    /** {@return number of operations in flight after the last round} */
    public long inFlight() {
        return inFlight.getOpaque();
    }

    /** {@return active messages whose data waited to be fetched or released after the last round} */
    public long heldMessages() {
        return heldMessages.getOpaque();
    }

    /** {@return endpoints that after the last round waited to be closed by force} */
    public long parkedEndpoints() {
        return parkedEndpoints.getOpaque();
    }

    /**
     * Operations that ended well.
     *
     * @param kind which ones
     * @return their number
     */
    public long succeeded(OperationKind kind) {
        return succeeded.getOpaque(kind.ordinal());
    }

    /**
     * Operations that ended with an error, cancelled ones included.
     *
     * @param kind which ones
     * @return their number
     */
    public long failed(OperationKind kind) {
        return failed.getOpaque(kind.ordinal());
    }

    /**
     * Operations that ended with an error, by status: together as many as all {@link #failed(OperationKind)}.
     *
     * @param status which ones; {@link UcxStatus#UNKNOWN} for an error that is none of UCX's, such as a wrong argument
     * @return their number
     */
    public long errors(UcxStatus status) {
        return errors.getOpaque(status.ordinal());
    }

    /**
     * Bytes of operations that ended well.
     *
     * @param kind which ones
     * @return payload bytes, headers not counted
     */
    public long bytes(OperationKind kind) {
        return bytes.getOpaque(kind.ordinal());
    }
}
