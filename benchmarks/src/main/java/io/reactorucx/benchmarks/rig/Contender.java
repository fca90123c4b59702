package io.reactorucx.benchmarks.rig;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    private static final String LOAD = "--load";

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

    /** {@return the same at a share of the rate that this one reaches by itself} */
    Contender atLoad(int percent) {
        List<String> more = new ArrayList<>(arguments);
        more.addAll(List.of(LOAD, Integer.toString(percent)));
        return new Contender(line() + ", load " + percent + " %", tool, List.copyOf(more), null);
    }

    /** {@return in percent; 0 for as fast as it goes} */
    int load() {
        int index = arguments.indexOf(LOAD);
        return index < 0 ? 0 : Integer.parseInt(arguments.get(index + 1));
    }

    /** {@return what it is told at so many operations in a second instead of a load} */
    Contender atRate(double perSecond) {
        List<String> more = new ArrayList<>(arguments.subList(0, arguments.indexOf(LOAD)));
        more.addAll(List.of("--rate", String.format(Locale.ROOT, "%.0f", perSecond)));
        return new Contender(name, tool, more, null);
    }

    /** {@return what it is told without a load} */
    List<String> argumentsOfClosedLoop() {
        int index = arguments.indexOf(LOAD);
        return index < 0 ? arguments : arguments.subList(0, index);
    }

    /** {@return its name without the step of a sweep} */
    String line() {
        int comma = name.lastIndexOf(',');
        return comma < 0 ? name : name.substring(0, comma);
    }

    /** Whether it sends anything from one process to another. */
    boolean isOfTwoProcesses() {
        return tool != Tool.IDLE && tool != Tool.LAYERS;
    }

    /** {@return how many bytes its operations have, as far as it is told; 0 of ucx_perftest and of what has no size} */
    int size() {
        int index = arguments.indexOf("--size");
        return index < 0 ? 0 : Integer.parseInt(arguments.get(index + 1));
    }

    boolean isOverTcp() {
        return perftest != null ? perftest.tcp() : arguments.contains("--tcp");
    }

    /** Whether the port is to be chosen before it starts. */
    boolean needsPort() {
        return perftest != null || !arguments.isEmpty() && arguments.getFirst().startsWith("aeron");
    }
}
