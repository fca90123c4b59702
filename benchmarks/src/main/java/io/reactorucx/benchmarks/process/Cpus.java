package io.reactorucx.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The processors of the two processes of a measurement.
 *
 * @param server processors of the server as {@code taskset -c} takes them; empty for any
 * @param client processors of the client
 */
public record Cpus(String server, String client) {

    private static final Cpus ANY = new Cpus("", "");
    private static final String LIST = "\\d{1,4}(-\\d{1,4})?(,\\d{1,4}(-\\d{1,4})?)*";
    private static final int MOST_OF_A_SIDE = 4;

    /**
     * Parses the option of the command line.
     *
     * @param text {@code SERVER:CLIENT}, {@code any}, or empty for a share of those that this process may use
     * @return the processors
     */
    public static Cpus of(String text) {
        if (text.isEmpty()) {
            List<Integer> allowed = allowed();
            return onPath("taskset").isEmpty() ? ANY : shares(allowed, Cpus::coreOf);
        }
        if (text.equals("any")) {
            return ANY;
        }
        if (!text.matches(LIST + ":" + LIST)) {
            throw new IllegalArgumentException("--cpus '" + text
                    + "': must be SERVER:CLIENT as taskset -c takes them, such as 0:1, or any");
        }
        String[] sides = text.split(":");
        return new Cpus(sides[0], sides[1]);
    }

    /**
     * A quarter of the processors for each side, at least one and at most {@value #MOST_OF_A_SIDE}: the engine spins on
     * one, the others are for the compiler, the collector and threads of the programs that are compared. So no core is
     * shared, not even where each is two processors, and half of them remain for the rest of the machine.
     */
    static Cpus shares(List<Integer> allowed, IntUnaryOperator coreOf) {
        if (allowed.size() < 2) {
            return ANY;
        }
        Set<Integer> cores = new HashSet<>();
        // The first processor of each core, then the others.
        List<Integer> order = new ArrayList<>();
        List<Integer> others = new ArrayList<>();
        allowed.forEach(cpu -> (cores.add(coreOf.applyAsInt(cpu)) ? order : others).add(cpu));
        order.addAll(others);
        int each = Math.clamp(allowed.size() / 4, 1, MOST_OF_A_SIDE);
        return new Cpus(text(order.subList(0, each)), text(order.subList(each, 2 * each)));
    }

    private static String text(List<Integer> cpus) {
        return cpus.stream().sorted().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** The lowest processor of a processor's core; itself where the system does not say. */
    private static int coreOf(int cpu) {
        Path siblings = Path.of("/sys/devices/system/cpu/cpu" + cpu + "/topology/thread_siblings_list");
        try {
            return list(Files.readString(siblings).strip()).getFirst();
        } catch (IOException e) {
            return cpu;
        }
    }

    private static List<Integer> allowed() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return list(lines.filter(line -> line.startsWith("Cpus_allowed_list:")).findFirst().orElse(":")
                    .split(":", 2)[1].strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Integer> list(String text) {
        List<Integer> cpus = new ArrayList<>();
        for (String range : text.isEmpty() ? new String[0] : text.split(",")) {
            String[] ends = range.split("-");
            for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    /** {@return a program's file in the folders of {@code PATH}; empty where there is none} */
    static Optional<Path> onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":")).filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program)).filter(Files::isExecutable).findFirst();
    }

    /**
     * How many processors a measurement has.
     *
     * @param sides whether it has a server and a client, or one process, which runs on the client's processors
     * @return such as {@code 4+4}, {@code 4}, or {@code any}
     */
    public String counts(boolean sides) {
        return equals(ANY) ? "any" : (sides ? list(server).size() + "+" : "") + list(client).size();
    }

    /**
     * The words before a command that bind it to processors.
     *
     * @param cpus the processors of one side
     * @return the words; empty for any processors
     */
    public static List<String> prefix(String cpus) {
        return cpus.isEmpty() ? List.of() : List.of("taskset", "-c", cpus);
    }

    @Override
    public String toString() {
        return equals(ANY) ? "not pinned" : "server on processor " + server + ", client on " + client;
    }
}
