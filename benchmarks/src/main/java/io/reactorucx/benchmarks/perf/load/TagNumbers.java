package io.reactorucx.benchmarks.perf.load;

/** The tags of a connection. UCX matches tags for a whole worker, so each connection needs different tags. */
public final class TagNumbers {

    private TagNumbers() {
    }

    public static long ofPing(int connection) {
        return 2L * connection;
    }

    public static long ofPong(int connection) {
        return 2L * connection + 1;
    }
}
