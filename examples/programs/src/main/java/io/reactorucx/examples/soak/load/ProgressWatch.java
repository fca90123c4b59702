package io.reactorucx.examples.soak.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks a hundred times a second whether a count goes on, and notes the longest time for which it did not, from the
 * first change on, and the smallest number of a second. What the machine does not run does not count: of the time
 * between two looks, which this thread may have waited for, at most two periods do, without the time for which the
 * engine's thread was ready to run and had no processor.
 *
 * <p>Thread: its own; the results after {@link #close()}.
 */
final class ProgressWatch implements AutoCloseable {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final String ENGINE = "reactor-ucx-0";
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier count;
    private final Thread thread = Thread.ofPlatform().daemon().name("progress-watch").unstarted(this::run);
    private volatile boolean over;
    private long activeNanos;
    private long lastCount;
    private long changedAtNanos;
    private long secondBeganNanos;
    private long secondBeganCount;
    private long longestStandstillNanos;
    private long longestPauseNanos;
    private long engineWaitedNanos;
    private long slowestSecond = Long.MAX_VALUE;

    ProgressWatch(LongSupplier count) {
        this.count = count;
        thread.start();
    }

    private void run() {
        Path engine = engine();
        long waited = waitedNanos(engine);
        long last = System.nanoTime();
        while (!over) {
            LockSupport.parkNanos(PERIOD_NANOS);
            long now = System.nanoTime();
            longestPauseNanos = Math.max(longestPauseNanos, now - last - PERIOD_NANOS);
            long waitedNow = waitedNanos(engine);
            activeNanos += Math.max(0, Math.min(now - last, 2 * PERIOD_NANOS) - (waitedNow - waited));
            engineWaitedNanos += waitedNow - waited;
            waited = waitedNow;
            last = now;
            look(count.getAsLong());
        }
    }

    /** Returns where Linux tells of the first engine's thread, null where it does not. */
    private static @Nullable Path engine() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            return threads.filter(thread -> text(thread.resolve("comm")).startsWith(ENGINE)).findFirst()
                    .map(thread -> thread.resolve("schedstat")).orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns how long a thread has waited for a processor: the second of the numbers that Linux tells. */
    private static long waitedNanos(@Nullable Path schedstat) {
        String[] numbers = schedstat == null ? new String[0] : text(schedstat).split(" ");
        return numbers.length < 2 ? 0 : Long.parseLong(numbers[1]);
    }

    private void look(long current) {
        if (lastCount > 0) {
            longestStandstillNanos = Math.max(longestStandstillNanos, activeNanos - changedAtNanos);
        }
        if (current != lastCount) {
            lastCount = current;
            changedAtNanos = activeNanos;
        }
        if (activeNanos - secondBeganNanos >= SECOND_NANOS) {
            slowestSecond = Math.min(slowestSecond, current - secondBeganCount);
            secondBeganNanos = activeNanos;
            secondBeganCount = current;
        }
    }

    /** Ends the looks. */
    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the longest time of this process without a change of the count. */
    long longestStandstillMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longestStandstillNanos);
    }

    /** Returns the longest time for which the machine did not run this thread. */
    long longestPauseMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longestPauseNanos);
    }

    /** Returns for how long the engine's thread has waited for a processor. */
    long engineWaitedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(engineWaitedNanos);
    }

    /** Returns by how much the count has grown at least in a second; 0 when it was watched for less. */
    long slowestSecond() {
        return slowestSecond == Long.MAX_VALUE ? 0 : slowestSecond;
    }
}
