package io.reactorucx.benchmarks.peers;

import io.reactorucx.benchmarks.turns.TurnRecorder;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Times a stream of messages in one direction: the parts of the warm-up, whose figures are discarded, then the
 * measurement. The time of each ends when the other side confirms the last message.
 */
final class MessageStream {

    /** Sends the messages of one part. */
    interface Burst {

        /** Sends messages until the end; returns their number when all have arrived. */
        long run(End end) throws Exception;
    }

    /** The end of a part. */
    static final class End {

        private final long nanos;
        private final @Nullable TurnRecorder turns;

        End(long nanos, @Nullable TurnRecorder turns) {
            this.nanos = nanos;
            this.turns = turns;
        }

        /**
         * Reads the clock.
         *
         * @param messages number of messages since the last reading
         */
        boolean isReached(long messages) {
            long now = System.nanoTime();
            if (turns != null) {
                turns.operations(messages, now);
            }
            return now - nanos >= 0 || turns != null && turns.isOver();
        }
    }

    private static final Histogram NOT_TIMED = new Histogram(TimeUnit.SECONDS.toNanos(1), 1);

    private MessageStream() {
    }

    static Figures measure(PeerOptions options, Burst burst) throws Exception {
        for (int part = 0; part < options.warmupParts(); part++) {
            measure(options, burst, options.warmupPartNanos(), null);
        }
        if (!options.turns()) {
            return measure(options, burst, options.nanos(), null);
        }
        TurnRecorder turns = TurnRecorder.ofStandardStreams();
        turns.start(System.nanoTime());
        Figures figures = measure(options, burst, options.nanos(), turns);
        turns.endTurn();
        return figures;
    }

    private static Figures measure(PeerOptions options, Burst burst, long time, @Nullable TurnRecorder turns)
            throws Exception {
        ResourceUse before = ResourceUse.now();
        long start = System.nanoTime();
        long messages = burst.run(new End(start + time, turns));
        long nanos = System.nanoTime() - start;
        return new Figures(options, messages, nanos, NOT_TIMED, false, ResourceUse.now().since(before));
    }
}
