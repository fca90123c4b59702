package io.reactorucx.benchmarks.rig;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is measured doing what.
 *
 * @param name for the tables
 * @param tool which program it is
 * @param arguments what it is told, without times and addresses
 * @param perftest what ucx_perftest is told, which has a form of its own
 */
record Contender(String name, Tool tool, List<String> arguments, @Nullable Perftest perftest) {

    enum Tool {
        /** {@code perf}: Reactor UCX. */
        PERF,
        /** A peer over UCX. */
        UCX_PEER,
        /** A peer over anything else. */
        PEER,
        /** UCX's own tool, in C. */
        UCX_PERFTEST,
        /** Reactor UCX doing nothing. */
        IDLE,
        /** Reactor UCX's lower layers, in one process. */
        LAYERS
    }

    static Contender ours(String name, String... arguments) {
        return new Contender(name, Tool.PERF, List.of(arguments), null);
    }

    static Contender ucxPeer(String name, String... peerAndArguments) {
        return new Contender(name, Tool.UCX_PEER, List.of(peerAndArguments), null);
    }

    static Contender peer(String name, String... peerAndArguments) {
        return new Contender(name, Tool.PEER, List.of(peerAndArguments), null);
    }

    static Contender perftest(String name, Perftest perftest) {
        return new Contender(name, Tool.UCX_PERFTEST, List.of(), perftest);
    }

    boolean isOverTcp() {
        return perftest != null ? perftest.tcp() : arguments.contains("--tcp");
    }

    /** Whether the port is to be chosen before it starts. */
    boolean needsPort() {
        return perftest != null || !arguments.isEmpty() && arguments.getFirst().startsWith("aeron");
    }
}
