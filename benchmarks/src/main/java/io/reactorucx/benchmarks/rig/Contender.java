package io.reactorucx.benchmarks.rig;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A program with the arguments of its measurement.
 *
 * @param name for the tables
 * @param tool the program
 * @param arguments its arguments, without times and addresses
 * @param perftest the arguments of ucx_perftest; null for other programs
 */
record Contender(String name, Tool tool, List<String> arguments, @Nullable Perftest perftest) {

    private static final String LOAD = "--load";
    private static final String RATE = "--rate";
    private static final String COLLECTOR = "--collector";

    enum Tool {
        /** Reactor UCX, by {@code perf}. */
        PERF,
        /** A peer over UCX. */
        UCX_PEER,
        /** A peer over anything else. */
        PEER,
        /** UCX's own tool, in C. */
        UCX_PERFTEST,
        /** Reactor UCX with an idle connection. */
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

    /** {@return the same contender at a share of the rate that it reaches in a closed loop} */
    Contender atLoad(int percent) {
        List<String> more = new ArrayList<>(arguments);
        more.addAll(List.of(LOAD, Integer.toString(percent)));
        return new Contender(line() + ", load " + percent + " %", tool, List.copyOf(more), null);
    }

    /** {@return the load in percent of the rate in a closed loop; 0 for a closed loop} */
    int load() {
        int index = arguments.indexOf(LOAD);
        return index < 0 ? 0 : Integer.parseInt(arguments.get(index + 1));
    }

    /** {@return the same contender with a garbage collector, {@code G1} or {@code Z}} */
    Contender with(String collector) {
        List<String> more = new ArrayList<>(arguments);
        more.addAll(List.of(COLLECTOR, collector));
        return new Contender(name + ", " + collector, tool, List.copyOf(more), null);
    }

    /** {@return the garbage collector of its JVMs} */
    String collector() {
        int index = arguments.indexOf(COLLECTOR);
        return index < 0 ? "Serial" : arguments.get(index + 1);
    }

    /** {@return the arguments of the program itself} */
    List<String> ofProgram() {
        int index = arguments.indexOf(COLLECTOR);
        return index < 0 ? arguments : arguments.subList(0, index);
    }

    /** Whether operations begin at scheduled times. */
    boolean isAtFixedRate() {
        return load() > 0 || arguments.contains(RATE);
    }

    /** Whether high percentiles at a fixed rate are wanted. */
    boolean hasTails() {
        return arguments.contains(RATE);
    }

    /** {@return this contender at a number of operations per second instead of a load} */
    Contender atRate(double perSecond) {
        List<String> more = new ArrayList<>(arguments.subList(0, arguments.indexOf(LOAD)));
        more.addAll(List.of(RATE, String.format(Locale.ROOT, "%.0f", perSecond)));
        return new Contender(name, tool, more, null);
    }

    /** {@return the arguments without a load} */
    List<String> argumentsOfClosedLoop() {
        int index = arguments.indexOf(LOAD);
        return index < 0 ? arguments : arguments.subList(0, index);
    }

    /** {@return the name without the step of a sweep} */
    String line() {
        int comma = name.lastIndexOf(',');
        return comma < 0 ? name : name.substring(0, comma);
    }

    /** Whether the measurement sends anything between two processes. */
    boolean isOfTwoProcesses() {
        return tool != Tool.IDLE && tool != Tool.LAYERS;
    }

    /** {@return the size of an operation in bytes; 0 for ucx_perftest and for operations without a size} */
    int size() {
        int index = arguments.indexOf("--size");
        return index < 0 ? 0 : Integer.parseInt(arguments.get(index + 1));
    }

    boolean isOverTcp() {
        return perftest != null ? perftest.tcp() : arguments.contains("--tcp");
    }

    /** Whether the port has to be chosen before the server starts. */
    boolean needsPort() {
        return perftest != null || !arguments.isEmpty() && arguments.getFirst().startsWith("aeron");
    }
}
