package io.reactorucx.benchmarks.peers;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times a stream of messages in one direction: the parts of the warm-up, which are forgotten, and then what is
 * measured. The other side tells when the last one of each has arrived, and the time ends then.
 */
final class MessageStream {

    /** What is sent while it lasts. */
    interface Burst {

        /**
         * Sends messages until {@link System#nanoTime()} is past the end, and returns how many, once all of them have
         * arrived.
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
