package io.reactorucx.stress;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A run of random calls in a process of its own, whose end says how it went.
 *
 * @param exitCode of the process
 * @param report the seed, the last calls, and what the process printed
 * @param output what the process printed
 */
record StressRun(int exitCode, String report, String output) {

    /** Settings of {@code ./run stress}. */
    static final long SECONDS = Long.getLong("io.reactorucx.stress.seconds", 0);
    private static final long SEED = Long.getLong("io.reactorucx.stress.seed", 0);
    private static final String TRANSPORTS = System.getProperty("io.reactorucx.stress.transports", "");

    private static final int LAST_CALLS = 100;
    private static final Duration GRACE = Duration.ofMinutes(3);

    /** Returns the seed that was chosen, else one of the moment in the long form, and a fixed one in the short form. */
    static long seed(long shortSeed) {
        if (SEED != 0) {
            return SEED;
        }
        return SECONDS == 0 ? shortSeed : System.nanoTime() & 0xFFFFFFFL;
    }

    /** Returns the transports that were chosen; else UCX's own choice, and before it posix in the long form. */
    static Stream<String> transports() {
        if (!TRANSPORTS.isEmpty()) {
            return Stream.of(TRANSPORTS);
        }
        return SECONDS == 0 ? Stream.of("default") : Stream.of("posix", "default");
    }

    /**
     * Runs a program.
     *
     * @param program its class
     * @param seed of its choices
     * @param options of its JVM
     */
    static StressRun of(Class<?> program, long seed, String... options) {
        Path journal = folder().resolve("calls-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        Path crash = folder().resolve("hs_err_pid%p.log");
        try (ChildJvm child = ChildJvm.of(program).options("-Xmx700m", "-XX:ErrorFile=" + crash,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-D" + RandomCalls.SEED + "=" + seed,
                "-D" + RandomCalls.JOURNAL + "=" + journal).options(options).start()) {
            ChildProcess.Result result = child.result(Duration.ofSeconds(SECONDS).plus(GRACE));
            String report = "seed " + seed + ", " + String.join(" ", options) + ", exit code " + result.exitCode()
                    + "\nlast calls:\n" + lastCalls(journal) + "\noutput:\n" + result.output();
            return new StressRun(result.exitCode(), report, result.output());
        } finally {
            journal.toFile().delete();
        }
    }

    private static Path folder() {
        try {
            return Files.createDirectories(Path.of("target", "stress")).toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String lastCalls(Path journal) {
        try {
            List<String> all = Files.readAllLines(journal, StandardCharsets.UTF_8);
            return String.join("\n", all.subList(Math.max(0, all.size() - LAST_CALLS), all.size()));
        } catch (IOException e) {
            return "(no journal: " + e + ")";
        }
    }
}
