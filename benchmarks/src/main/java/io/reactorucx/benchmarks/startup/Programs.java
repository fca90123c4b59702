package io.reactorucx.benchmarks.startup;

import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts the server and the clients. */
final class Programs {

    private static final String LIBRARY_PATH = "io.reactorucx.library.path";
    private static final Map<String, String> ENVIRONMENT = Map.of("UCX_LOG_LEVEL", "fatal");
    private static final long READY_SECONDS = 30;
    /** For the start of a client, and in the training run for the JVM that writes the cache. */
    private static final long SPARE_SECONDS = 120;

    private final String classPath;
    private final Cpus cpus;
    private final int intervals;

    /**
     * Prepares the commands.
     *
     * @param classPath jars; the JVM makes no cache for folders
     * @param intervals how many {@linkplain StartupClient#INTERVAL_NANOS intervals} a client measures
     */
    Programs(String classPath, Cpus cpus, int intervals) {
        for (String entry : classPath.split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(entry))) {
                throw new IllegalArgumentException("class path entry " + entry
                        + ": must be a jar, because a JVM makes no AOT cache for folders; ./run startup has jars");
            }
        }
        this.classPath = classPath;
        this.cpus = cpus;
        this.intervals = intervals;
    }

    /** The output of a client, and the time at which its process was started. */
    record Ended(long startNanos, List<String> output) {

        String lineOf(String start) {
            return output.stream().filter(line -> line.startsWith(start)).findFirst()
                    .map(line -> line.substring(start.length()))
                    .orElseThrow(() -> new MeasurementFailure("the client printed no " + start.strip()));
        }
    }

    ChildProcess server() throws IOException, InterruptedException {
        ChildProcess server = new ChildProcess(java(cpus.server(), List.of(), StartupServer.class, List.of()),
                ENVIRONMENT, StartupServer.READY);
        try {
            server.awaitReady(READY_SECONDS);
            return server;
        } catch (MeasurementFailure | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    /** Runs a client to its end. */
    Ended client(ChildProcess server, List<String> options) throws IOException, InterruptedException {
        List<String> command = java(cpus.client(), options, StartupClient.class,
                List.of(server.awaitReady(0), Integer.toString(intervals)));
        long startNanos = System.nanoTime();
        try (ChildProcess client = new ChildProcess(command, ENVIRONMENT, StartupClient.REPLIES)) {
            return new Ended(startNanos, client.awaitOutput(SPARE_SECONDS
                    + TimeUnit.NANOSECONDS.toSeconds(intervals * StartupClient.INTERVAL_NANOS)));
        }
    }

    /** Makes a cache by a training run, in place of the one that the file has. */
    void train(ChildProcess server, Path cache) throws IOException, InterruptedException {
        Files.deleteIfExists(cache);
        Ended ended = client(server, List.of("-XX:AOTCacheOutput=" + cache));
        if (!Files.exists(cache)) {
            throw new MeasurementFailure("the training run wrote no cache " + cache + ": "
                    + String.join("; ", ended.output()));
        }
    }

    /** Runs a client that ends with an error where the JVM cannot use the cache. */
    Ended clientWith(ChildProcess server, Path cache) throws IOException, InterruptedException {
        return client(server, List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on"));
    }

    private List<String> java(String processors, List<String> options, Class<?> program, List<String> arguments) {
        List<String> command = new ArrayList<>(Cpus.prefix(processors));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx256m"));
        command.addAll(options);
        if (System.getProperty(LIBRARY_PATH) != null) {
            command.add("-D" + LIBRARY_PATH + "=" + System.getProperty(LIBRARY_PATH));
        }
        command.addAll(List.of("-cp", classPath, program.getName()));
        command.addAll(arguments);
        return command;
    }
}
