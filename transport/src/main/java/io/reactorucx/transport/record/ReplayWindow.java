package io.reactorucx.transport.record;

/**
 * Which of the latest 1,024 numbers have come. What is older counts as having come.
 *
 * <p>Thread: one at a time.
 */
final class ReplayWindow {

    static final int SIZE = 1024;

    private final long[] seen = new long[SIZE / Long.SIZE];
    /** The number that may come next if all come in their order. */
    private long next;

    /** Returns whether a number may come: it has not, and it is not too old. */
    boolean admits(long number) {
        return number >= next || number >= next - SIZE && (seen[word(number)] & bit(number)) == 0;
    }

    /** Takes note of a number that has come. */
    void add(long number) {
        if (number >= next) {
            // Numbers whose places are taken over have not come.
            for (long skipped = Math.max(next, number - SIZE); skipped < number; skipped++) {
                seen[word(skipped)] &= ~bit(skipped);
            }
            next = number + 1;
        }
        seen[word(number)] |= bit(number);
    }

    long next() {
        return next;
    }

    private static int word(long number) {
        return (int) (number % SIZE) / Long.SIZE;
    }

    private static long bit(long number) {
        return 1L << number;
    }
}
