package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A program of this module in a process, as {@code ./run} starts it, with separate output streams and its own working
 * directory.
 *
 * <p>Every process that the program starts inherits the directory, by which the test finds processes that are left
 * over. Errors go to a file there: Java closes its end of a pipe when the program ends, but the processes that it
 * started may still write.
 */
final class DemoProcess implements AutoCloseable {

    static final Duration TIMEOUT = TestTime.seconds(120);

    private static final String ERRORS = "errors.txt";

    private final Process process;
    private final Path directory;
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
    private final CompletableFuture<List<String>> out;

    /**
     * How it ended.
     *
     * @param exitCode its exit code; 128 and more for a signal
     * @param out lines of the standard output
     * @param err lines of the standard error, those of the processes that it started included
     */
    record Ended(int exitCode, List<String> out, List<String> err) {

        List<String> linesOfOut(String start) {
            return out.stream().filter(line -> line.startsWith(start)).toList();
        }

        String text() {
            return "exit code " + exitCode + ", output:\n" + String.join("\n", out) + "\nerrors:\n"
                    + String.join("\n", err);
        }
    }

    private DemoProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
        this.out = CompletableFuture.supplyAsync(this::read, reading -> Thread.ofPlatform().daemon()
                .name("output of the demo").start(reading));
    }

    static DemoProcess start(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString(), "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx256m",
                // It runs for seconds, in which much of the time would be that of the better compiler.
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        try {
            return new DemoProcess(new ProcessBuilder(command).directory(directory.toFile())
                    .redirectError(directory.resolve(ERRORS).toFile()).start(), directory);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
    }

    static Ended run(Path directory, String... arguments) {
        try (DemoProcess demo = start(directory, arguments)) {
            return demo.ended();
        }
    }

    private List<String> read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            return lines.lines().peek(unread::add).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a line with this start; skips the lines before it. */
    String awaitLine(String start) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        try {
            while (System.nanoTime() < deadline && !(out.isDone() && unread.isEmpty())) {
                String line = unread.poll(50, TimeUnit.MILLISECONDS);
                if (line != null && line.startsWith(start)) {
                    return line;
                }
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        throw new AssertionError("no line that starts with '" + start + "'"
                + (process.isAlive() ? "" : ", " + ended().text()));
    }

    /** Waits for the end of the program and of every process that it started. */
    Ended ended() {
        try {
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the program did not end within " + TIMEOUT);
            }
            await().atMost(TIMEOUT).untilAsserted(() -> assertThat(workingIn(directory)).isEmpty());
            return new Ended(process.exitValue(), out.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS),
                    withoutStalls(Files.readAllLines(directory.resolve(ERRORS))));
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("the output of the program did not end", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves out, with their stacks, the warnings that an engine got no processor, as on a busy machine. */
    private static List<String> withoutStalls(List<String> lines) {
        List<String> others = new ArrayList<>();
        boolean stall = false;
        for (String line : lines) {
            stall = line.startsWith("[reactor-ucx-watch] WARN ") || stall && line.startsWith("\tat ");
            if (!stall) {
                others.add(line);
            }
        }
        return others;
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for the demo", e);
    }

    /** Running processes whose working directory this is; a zombie has none. */
    static List<ProcessHandle> workingIn(Path directory) {
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.filter(process -> directory.equals(directoryOf(process))).toList();
        }
    }

    private static Path directoryOf(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"));
        } catch (IOException e) {
            // The process has ended, or belongs to another user.
            return Path.of("/");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        workingIn(directory).forEach(ProcessHandle::destroyForcibly);
        try {
            process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }
}
