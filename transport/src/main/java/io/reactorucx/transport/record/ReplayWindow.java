package io.reactorucx.transport.record;

import java.util.Arrays;

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

    /**
     * Takes note of a number that has come, and of the numbers before it that will not come. Returns whether all that
     * are too old by now have come: if not, one was left out.
     */
    boolean add(long number, long skipped) {
        long first = number - skipped;
        if (first - next >= SIZE) {
            return false;
        }
        if (skipped >= SIZE) {
            Arrays.fill(seen, -1L);
            next = Math.max(next, number + 1);
            return true;
        }
        boolean complete = true;
        for (; next <= number; next++) {
            // The place was that of a number which is too old from now on.
            complete &= next < SIZE || (seen[word(next)] & bit(next)) != 0;
            seen[word(next)] &= ~bit(next);
        }
        for (long each = Math.max(first, next - SIZE); each <= number; each++) {
            seen[word(each)] |= bit(each);
        }
        return complete;
    }

    /** Returns the lowest number that has not come, and may still come before the next one; -1 for none. */
    long missing() {
        for (long number = Math.max(0, next - SIZE); number < next; number++) {
            if ((seen[word(number)] & bit(number)) == 0) {
                return number;
            }
        }
        return -1;
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
