package io.reactorucx.benchmarks.rig;

import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Perftest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures with {@code ucx_perftest}, which runs a number of messages instead of a time, and does not print its
 * processor time.
 */
final class PerftestProcesses {

    /** Messages over shared memory, for a fifth of a second at most. */
    static final Perftest HOP = new Perftest("ucp_am_lat", 8, 1, false, 5_000_000);
    private static final long HOPS = 100_000;
    /** Longest time that a run in turns needs beside its turns: until its first line, and for its last one. */
    private static final double BESIDE_TURNS_SECONDS = 10;
    private static final long WARMUP = 1000;

    private final Cpus cpus;
    private final Timing timing;
    private final Map<Perftest, Long> cpuOfStart = new HashMap<>();
    private final Map<Perftest, Double> perSecond = new HashMap<>();
    private @Nullable String help;

    PerftestProcesses(Cpus cpus, Timing timing) {
        this.cpus = cpus;
        this.timing = timing;
    }

    /** The processor time is that of both processes without their start, which a run of one message measures. */
    JsonObject measure(Contender contender, Perftest perftest) throws IOException, InterruptedException {
        if (!cpuOfStart.containsKey(perftest)) {
            cpuOfStart.put(perftest, cpuNanos(perftest, 1, 1, new ArrayList<>()));
        }
        double rate = perSecond.getOrDefault(perftest, (double) perftest.perSecond());
        long warmup = Perftest.count(timing.warmupOf(contender), rate);
        long messages = Perftest.count(timing.secondsOf(contender), rate);
        List<String> output = new ArrayList<>();
        long cpuNanos = cpuNanos(perftest, warmup, messages, output) - cpuOfStart.get(perftest);
        JsonObject figures = perftest.figures(output);
        perSecond.put(perftest, figures.get(Metric.RATE.field()).getAsDouble());
        figures.addProperty("cpu_ns_per_op", Math.max(0, cpuNanos) / (double) (warmup + messages));
        return figures;
    }

    /**
     * {@return the median time of a message between the two processors in nanoseconds, NaN where it cannot be measured}
     */
    double hopNanos() throws InterruptedException {
        try {
            List<String> output = new ArrayList<>();
            cpuNanos(HOP, HOPS / 10, HOPS, output);
            return HOP.figures(output).get(Metric.P50.field()).getAsDouble();
        } catch (MeasurementFailure | IOException | IllegalStateException e) {
            return Double.NaN;
        }
    }

    /** Server and client of a run. */
    record Sides(ChildProcess server, ChildProcess client) implements AutoCloseable {

        long cpuNanos() {
            return server.cpuNanos() + client.cpuNanos();
        }

        @Override
        public void close() {
            client.kill();
            server.kill();
        }
    }

    /**
     * Starts a run that prints figures each second, with more messages than it has time for. Many more would delay it:
     * before a test of bandwidth UCX 1.13 works for a second for each hundred million of them.
     */
    Sides endless(Perftest perftest) throws IOException, InterruptedException {
        return start(perftest, perftest.argumentsWithReports(Commands.freePort(), WARMUP,
                Perftest.count(BESIDE_TURNS_SECONDS + timing.seconds(), perftest.perSecond())));
    }

    private Sides start(Perftest perftest, List<String> ofBoth) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(ofBoth);
        arguments.addAll(withoutMpi());
        // Line buffering, because the output says when it is ready; into a pipe it would write only at its end.
        List<String> serverCommand = new ArrayList<>(Cpus.prefix(cpus.server()));
        serverCommand.addAll(List.of("stdbuf", "-oL"));
        serverCommand.addAll(arguments);
        List<String> clientCommand = new ArrayList<>(Cpus.prefix(cpus.client()));
        clientCommand.addAll(List.of("stdbuf", "-oL"));
        clientCommand.addAll(arguments);
        clientCommand.add("127.0.0.1");
        Map<String, String> environment = Commands.environment(true, perftest.tcp());
        ChildProcess server = new ChildProcess(serverCommand, environment, "Waiting for connection");
        try {
            server.awaitReady(Processes.READY_SECONDS);
            return new Sides(server, new ChildProcess(clientCommand, environment, "iterations"));
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.kill();
            throw e;
        }
    }

    private long cpuNanos(Perftest perftest, long warmup, long messages, List<String> output) throws IOException,
            InterruptedException {
        List<String> arguments = perftest.arguments(Commands.freePort(), warmup, messages);
        long before = ChildProcess.cpuNanosOfEnded();
        try (Sides sides = start(perftest, arguments)) {
            output.addAll(sides.client().awaitOutput(timing.limitSeconds()));
            // The server ends by itself, and its processor time counts.
            sides.server().close();
        }
        return ChildProcess.cpuNanosOfEnded() - before;
    }

    /**
     * A build with MPI, such as Debian 13's, would look for its other processes there; others do not have the option.
     */
    private List<String> withoutMpi() throws IOException {
        if (help == null) {
            Process asked = new ProcessBuilder("ucx_perftest", "-h").redirectErrorStream(true).start();
            help = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
        return help.contains("MPI mode") ? List.of("-P", "0") : List.of();
    }
}
