package io.reactorucx.benchmarks.peers;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times a stream of messages in one direction: the parts of the warm-up, whose figures are discarded, then the
 * measurement. The time of each ends when the other side confirms the last message.
 */
final class MessageStream {

    /** Sends the messages of one part. */
    interface Burst {

        /**
         * Sends messages until {@link System#nanoTime()} is past the end; returns their number when all have arrived.
         */
        long run(long endNanos) throws Exception;
    }

    private static final Histogram NOT_TIMED = new Histogram(TimeUnit.SECONDS.toNanos(1), 1);

    private MessageStream() {
    }

    static Figures measure(PeerOptions options, Burst burst) throws Exception {
        for (int part = 0; part < options.warmupParts(); part++) {
            measure(options, burst, options.warmupPartNanos());
        }
        return measure(options, burst, options.nanos());
    }

    private static Figures measure(PeerOptions options, Burst burst, long time) throws Exception {
        ResourceUse before = ResourceUse.now();
        long start = System.nanoTime();
        long messages = burst.run(start + time);
        long nanos = System.nanoTime() - start;
        return new Figures(options, messages, nanos, NOT_TIMED, false, ResourceUse.now().since(before));
    }
}
