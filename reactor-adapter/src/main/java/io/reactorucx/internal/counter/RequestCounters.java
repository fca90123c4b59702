package io.reactorucx.internal.counter;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.message.RequestStatistics;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.UcxRequestException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of one engine's connections, and measures the time of some of them if that is asked for.
 *
 * <p>A request that is timed has a slot here until it ends, and remembers its number, 0 for none: two bytes, which the
 * object of a request has to spare. A request that finds no slot free is not timed.
 *
 * <p>Thread: engine; {@link #snapshot} and {@link #record} any.
 */
public final class RequestCounters {

    /** A request that is not timed. */
    public static final short UNTIMED = 0;

    private static final int SLOTS = 1024;
    private static final Outcome[] OUTCOMES = Outcome.values();

    private final AtomicLongArray begun = new AtomicLongArray(Side.values().length);
    private final AtomicLongArray ended = new AtomicLongArray(Side.values().length * OUTCOMES.length);
    private volatile Timing timing = Timing.NONE;
    private final long[] starts = new long[SLOTS + 1];
    /** The free slots are the first {@link #free}. */
    private final short[] slots = new short[SLOTS];
    private int free = SLOTS;
    private int untilTimed;

    public RequestCounters() {
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = (short) (i + 1);
        }
    }

    /** Which requests are timed, and where their times go; for none {@code every} is 0. */
    private record Timing(int every, RequestStatistics.Recorder recorder) {

        static final Timing NONE = new Timing(0, (side, outcome, nanos) -> { });
    }

    /**
     * Times requests from now on.
     *
     * @param every 1 for each request, n for each nth, 0 for none
     */
    public void record(int every, RequestStatistics.Recorder recorder) {
        timing = every == 0 ? Timing.NONE : new Timing(every, recorder);
    }

    /** A request begins. Returns its slot for {@link #ended}, or {@link #UNTIMED}. */
    public short begun(Side side) {
        begun.setOpaque(side.ordinal(), begun.getPlain(side.ordinal()) + 1);
        int every = timing.every;
        // A wait that is as long as the interval or longer is of a setting before, and over.
        if (every == 0 || --untilTimed > 0 && untilTimed < every) {
            return UNTIMED;
        }
        untilTimed = every;
        return time();
    }

    private short time() {
        if (free == 0) {
            return UNTIMED;
        }
        short slot = slots[--free];
        starts[slot] = System.nanoTime();
        return slot;
    }

    /** The request that has the slot, or is not timed, has ended. */
    public void ended(Side side, Outcome outcome, short slot) {
        int index = index(side, outcome);
        ended.setOpaque(index, ended.getPlain(index) + 1);
        if (slot != UNTIMED) {
            slots[free++] = slot;
            timing.recorder.record(side, outcome, System.nanoTime() - starts[slot]);
        }
    }

    private static int index(Side side, Outcome outcome) {
        return side.ordinal() * OUTCOMES.length + outcome.ordinal();
    }

    /**
     * Returns how a request ended that has failed. A responder learns of the requester's cancel, and of the end of the
     * connection, by the exception of the closed stream.
     */
    public static Outcome outcome(Side side, @Nullable Throwable error) {
        if (error == null) {
            return Outcome.SUCCESS;
        }
        if (error instanceof UcxRequestException failure && failure.reason() == UcxRequestException.Reason.DEADLINE) {
            return Outcome.DEADLINE;
        }
        return side == Side.SERVER && error instanceof UcxClosedException ? Outcome.CANCELLED : Outcome.ERROR;
    }

    public RequestStatistics snapshot(Side side) {
        Map<Outcome, Long> ends = new EnumMap<>(Outcome.class);
        for (Outcome outcome : OUTCOMES) {
            ends.put(outcome, ended.getOpaque(index(side, outcome)));
        }
        return new RequestStatistics(begun.getOpaque(side.ordinal()), ends);
    }
}
