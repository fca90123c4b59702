package io.reactorucx.benchmarks.perf;

/** The tags of a connection: UCX matches them for a whole worker, so each connection has its own. */
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
