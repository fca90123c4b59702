package io.reactorucx.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The processors of the two processes of a measurement.
 *
 * @param server processors of the server as {@code taskset -c} takes them; empty for any
 * @param client processors of the client
 */
public record Cpus(String server, String client) {

    private static final Cpus ANY = new Cpus("", "");

    /**
     * Parses the option of the command line.
     *
     * @param text {@code SERVER:CLIENT}, {@code any}, or empty for a core each where there are two
     * @return the processors
     */
    public static Cpus of(String text) {
        if (text.isEmpty()) {
            return aCoreEach();
        }
        if (text.equals("any")) {
            return ANY;
        }
        String[] sides = text.split(":");
        if (sides.length != 2 || !sides[0].matches("[0-9,-]+") || !sides[1].matches("[0-9,-]+")) {
            throw new IllegalArgumentException("--cpus '" + text
                    + "': must be SERVER:CLIENT as taskset -c takes them, such as 0:1, or any");
        }
        return new Cpus(sides[0], sides[1]);
    }

    private static Cpus aCoreEach() {
        List<Integer> allowed = allowed();
        boolean taskset = Stream.of("/usr/bin/taskset", "/bin/taskset")
                .anyMatch(path -> Files.isExecutable(Path.of(path)));
        return allowed.size() < 2 || !taskset ? ANY : new Cpus(allowed.get(0).toString(), allowed.get(1).toString());
    }

    private static List<Integer> allowed() {
        List<Integer> cpus = new ArrayList<>();
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String list = lines.filter(line -> line.startsWith("Cpus_allowed_list:")).findFirst().orElse(":")
                    .split(":", 2)[1].strip();
            for (String range : list.isEmpty() ? new String[0] : list.split(",")) {
                String[] ends = range.split("-");
                for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                    cpus.add(cpu);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return cpus;
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
