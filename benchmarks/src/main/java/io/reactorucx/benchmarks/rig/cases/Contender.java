package io.reactorucx.benchmarks.rig.cases;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program with the arguments of its measurement.
 *
 * @param name for the tables
 * @param tool the program
 * @param arguments its arguments, without times and addresses
 * @param perftest the arguments of ucx_perftest; null for other programs
 */
public record Contender(String name, Tool tool, List<String> arguments, @Nullable Perftest perftest) {

    private static final String LOAD = "--load";
    private static final String RATE = "--rate";
    private static final String COLLECTOR = "--collector";

    /** The program that measures. */
    public enum Tool {
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

    public static Contender ours(String name, String... arguments) {
        return new Contender(name, Tool.PERF, words(arguments), null);
    }

    public static Contender ucxPeer(String name, String... peerAndArguments) {
        return new Contender(name, Tool.UCX_PEER, words(peerAndArguments), null);
    }

    public static Contender peer(String name, String... peerAndArguments) {
        return new Contender(name, Tool.PEER, words(peerAndArguments), null);
    }

    public static Contender perftest(String name, Perftest perftest) {
        return new Contender(name, Tool.UCX_PERFTEST, List.of(), perftest);
    }

    private static List<String> words(String... texts) {
        return Stream.of(texts).flatMap(text -> Stream.of(text.split(" "))).filter(word -> !word.isEmpty()).toList();
    }

    /** {@return the same contender with more arguments, which change its name} */
    public Contender with(String suffix, String more) {
        return new Contender(name + suffix, tool, Stream.concat(arguments.stream(), words(more).stream()).toList(),
                perftest);
    }

    /** {@return the same test of ucx_perftest with failure detection} */
    Contender withPeerErrors() {
        return perftest(name + " -e", Objects.requireNonNull(perftest).withPeerErrors());
    }

    /** {@return the same contender at a share of the rate that it reaches in a closed loop} */
    public Contender atLoad(int percent) {
        return new Contender(line(), tool, arguments, null).with(", load " + percent + " %", LOAD + " " + percent);
    }

    /** {@return the load in percent of the rate in a closed loop; 0 for a closed loop} */
    public int load() {
        int index = arguments.indexOf(LOAD);
        return index < 0 ? 0 : Integer.parseInt(arguments.get(index + 1));
    }

    /** {@return the same contender with a garbage collector, {@code G1} or {@code Z}} */
    public Contender withCollector(String collector) {
        return with(", " + collector, COLLECTOR + " " + collector);
    }

    /** {@return the garbage collector of its JVMs} */
    public String collector() {
        int index = arguments.indexOf(COLLECTOR);
        return index < 0 ? "Serial" : arguments.get(index + 1);
    }

    /** {@return the arguments of the program itself} */
    public List<String> ofProgram() {
        int index = arguments.indexOf(COLLECTOR);
        return index < 0 ? arguments : arguments.subList(0, index);
    }

    /** Whether operations begin at scheduled times. */
    public boolean isAtFixedRate() {
        return load() > 0 || arguments.contains(RATE);
    }

    /** Whether high percentiles at a fixed rate are wanted. */
    public boolean hasTails() {
        return arguments.contains(RATE);
    }

    /** {@return this contender at a number of operations per second instead of a load} */
    public Contender atRate(double perSecond) {
        return new Contender(name, tool, argumentsOfClosedLoop(), null).with("",
                String.format(Locale.ROOT, "%s %.0f", RATE, perSecond));
    }

    /** {@return the arguments without a load} */
    public List<String> argumentsOfClosedLoop() {
        int index = arguments.indexOf(LOAD);
        return index < 0 ? arguments : arguments.subList(0, index);
    }

    /** {@return the name without the step of a sweep} */
    public String line() {
        int comma = name.lastIndexOf(',');
        return comma < 0 ? name : name.substring(0, comma);
    }

    /** Whether the measurement sends anything between two processes. */
    public boolean isOfTwoProcesses() {
        return tool != Tool.IDLE && tool != Tool.LAYERS;
    }

    /** {@return the size of an operation in bytes; 0 for ucx_perftest and for operations without a size} */
    public int size() {
        int index = arguments.indexOf("--size");
        return index < 0 ? 0 : Integer.parseInt(arguments.get(index + 1));
    }

    public boolean isOverTcp() {
        return perftest != null ? perftest.tcp() : arguments.contains("--tcp");
    }

    /** Whether the port has to be chosen before the server starts. */
    public boolean needsPort() {
        return perftest != null || !arguments.isEmpty() && arguments.getFirst().startsWith("aeron");
    }
}
