package io.reactorucx.examples.soak;

import io.reactorucx.core.error.UcxException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the results of the exchanges of one kind of traffic. Thread: any. */
public final class Tally {

    /** How an exchange ended. */
    public enum End {
        /** The reply was right. */
        DELIVERED,
        /** The client cancelled it. */
        CANCELLED,
        /** The client's time limit ended it. */
        TIMED_OUT,
        /** By an error. */
        FAILED,
        /** No reply within {@link Traffic#LOST_AFTER} over an open connection. */
        LOST,
        /** The reply differs from the payload, or belongs to no exchange. */
        CORRUPT,
        /** A second reply arrived. */
        DUPLICATED
    }

    private final LongAdder begun = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final Map<End, LongAdder> ends = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
    private final LongAdder unexpected = new LongAdder();

    /** No exchange. */
    public Tally() {
    }

    /** An exchange has begun. */
    public void begun() {
        begun.increment();
    }

    /**
     * An exchange has ended with the right reply.
     *
     * @param payloadBytes size of its payload
     */
    public void delivered(long payloadBytes) {
        bytes.add(payloadBytes);
        ended(End.DELIVERED);
    }

    /**
     * An exchange has ended.
     *
     * @param end how
     */
    public void ended(End end) {
        ends.computeIfAbsent(end, ignored -> new LongAdder()).increment();
    }

    /**
     * An exchange has failed.
     *
     * @param error by which; each that is no {@link UcxException} is unexpected
     */
    public void failed(Throwable error) {
        LongAdder count = errors.computeIfAbsent(DroppedErrors.nameOf(error), ignored -> new LongAdder());
        if (!(error instanceof UcxException)) {
            unexpected.increment();
            if (count.sum() == 0) {
                error.printStackTrace();
            }
        }
        count.increment();
        ended(End.FAILED);
    }

    /** Returns the number of failures that are no error of the connection. */
    long unexpected() {
        return unexpected.sum();
    }

    /** {@return the number of exchanges that have begun} */
    public long begunCount() {
        return begun.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    /**
     * {@return the number of exchanges that have ended in a way}
     *
     * @param end the way
     */
    public long count(End end) {
        LongAdder count = ends.get(end);
        return count == null ? 0 : count.sum();
    }

    /** The failures, by UCX's status or by the type and text of another exception. */
    Map<String, Long> errors() {
        Map<String, Long> sorted = new TreeMap<>();
        errors.forEach((name, count) -> sorted.put(name, count.sum()));
        return sorted;
    }

    /**
     * {@return whether each exchange has ended, none lost, duplicated or corrupt, and those that failed with an error
     * of the connection}
     */
    public boolean isSound() {
        long ended = count(End.DELIVERED) + count(End.CANCELLED) + count(End.TIMED_OUT) + count(End.FAILED)
                + count(End.LOST);
        return ended == begunCount() && count(End.LOST) == 0 && count(End.CORRUPT) == 0 && count(End.DUPLICATED) == 0
                && count(End.DELIVERED) > 0 && unexpected() == 0;
    }
}
