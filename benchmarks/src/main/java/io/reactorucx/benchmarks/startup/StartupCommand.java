package io.reactorucx.benchmarks.startup;

import io.reactorucx.benchmarks.HelpOption;
import io.reactorucx.benchmarks.ModuleFolder;
import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.Cpus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures how long a client takes from the start of its JVM, with and without an AOT cache in alternation. */
@Command(name = "startup", description = "Measures how long a new client takes from the start of its JVM to the first"
        + " response of a server that runs already, and to 90 %% of its steady rate, without and with an AOT cache of"
        + " the JVM in alternation. A run before these makes the cache. Prints medians, in brackets the lowest and the"
        + " highest.")
public final class StartupCommand implements Callable<Integer> {

    private static final double MIN_SECONDS = 0.2;
    private static final double MAX_SECONDS = 600;
    private static final double MEBIBYTE = 1 << 20;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--pairs", paramLabel = "N", description = "Clients without and with the cache, by default 5 each.")
    private int pairs = 5;
    @Option(names = "--seconds", paramLabel = "SECONDS",
            description = "How long each client sends requests from its first response on, by default 4. The steady"
            + " rate is that of the second half.")
    private double seconds = 4;
    @Option(names = "--cpus", paramLabel = "SERVER:CLIENT",
            description = "Processors of each side in taskset's form, or any; by default any.")
    private String cpus = "any";
    @Option(names = "--cache", paramLabel = "PATH",
            description = "File of the cache, by default startup.aot in benchmarks/target.")
    private @Nullable Path cache;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (pairs < 1) {
            throw refused("--pairs " + pairs + ": must be at least 1");
        }
        if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) {
            throw refused("--seconds " + seconds + ": must be in " + MIN_SECONDS + ".." + MAX_SECONDS);
        }
        Programs programs;
        try {
            programs = new Programs(System.getProperty("java.class.path"), Cpus.of(cpus), (int) Math.ceil(
                    seconds * TimeUnit.SECONDS.toNanos(1) / StartupClient.INTERVAL_NANOS));
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        measure(programs, cache != null ? cache.toAbsolutePath()
                : ModuleFolder.path().resolve("target").resolve("startup.aot"));
        return 0;
    }

    private void measure(Programs programs, Path file) throws IOException, InterruptedException {
        List<Start> without = new ArrayList<>();
        List<Start> with = new ArrayList<>();
        try (ChildProcess server = programs.server()) {
            long begun = System.nanoTime();
            programs.train(server, file);
            System.out.printf("%s: %.1f MiB, made in %.1f s%n", file, Files.size(file) / MEBIBYTE,
                    (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1));
            String transports = "";
            for (int pair = 0; pair < pairs; pair++) {
                Programs.Ended plain = programs.client(server, List.of());
                without.add(Start.of(plain.startNanos(), plain.lineOf(StartupClient.REPLIES)));
                Programs.Ended cached = programs.clientWith(server, file);
                with.add(Start.of(cached.startNanos(), cached.lineOf(StartupClient.REPLIES)));
                transports = plain.lineOf(StartupClient.TRANSPORTS);
            }
            System.out.println(pairs + " clients each, " + seconds + " s, " + Cpus.of(cpus) + ", " + transports);
        }
        System.out.print(StartupTable.of(without, with));
    }

    private ParameterException refused(String reason) {
        return new ParameterException(spec.commandLine(), reason);
    }
}
