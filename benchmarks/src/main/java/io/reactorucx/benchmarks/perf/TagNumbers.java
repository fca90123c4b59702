package io.reactorucx.benchmarks.perf;

/** The tags of a connection. UCX matches tags for a whole worker, so each connection needs different tags. */
final class TagNumbers {

    private TagNumbers() {
    }

    static long ofPing(int connection) {
        return 2L * connection;
    }

    static long ofPong(int connection) {
        return 2L * connection + 1;
    }
}
