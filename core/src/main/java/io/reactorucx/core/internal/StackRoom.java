package io.reactorucx.core.internal;

/** The room that is left on the current thread's stack. */
public final class StackRoom {

    /** Together with the parameters about 24 KiB: what UCX, the JVM and a callback take. */
    private static final int CALLS = 96;

    private StackRoom() {
    }

    /**
     * Throws a {@link StackOverflowError} if the stack has no room for a call of UCX that calls back. In the callback
     * itself, that error would end the process. Takes some microseconds.
     *
     * @return a number, so that no compiler drops the calls
     */
    public static long require() {
        return call(CALLS, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24);
    }

    // Parameters beyond the first six are on the stack. Each has another place in the next call, so that none is left
    // where it is.
    private static long call(int calls, long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
            long k, long l, long m, long n, long o, long p, long q, long r, long s, long t, long u, long v, long w,
            long x) {
        return calls == 0 ? a : 1 + call(calls - 1, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w,
                x, a);
    }
}
