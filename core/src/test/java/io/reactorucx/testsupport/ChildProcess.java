package io.reactorucx.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A program in a process of its own.
 *
 * <p>Waits are bounded; a child that is overdue is killed by its handle and reported with what it printed.
 */
public sealed class ChildProcess implements AutoCloseable permits ChildJvm {

    private static final Duration TIMEOUT = TestTime.seconds(60);

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final StringBuffer output = new StringBuffer();
    private final Thread reader;

    /**
     * How a child ended.
     *
     * @param exitCode its exit code; 128 and more for a signal
     * @param output what it printed to both of its streams
     */
    public record Result(int exitCode, String output) {
    }

    ChildProcess(ProcessBuilder builder) {
        try {
            process = builder.redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + builder.command(), e);
        }
        reader = Thread.ofPlatform().daemon().name("output of " + process.pid()).start(this::read);
    }

    /**
     * Starts a program.
     *
     * @param builder its command, folder and environment
     * @return the child, to be closed by the caller
     */
    public static ChildProcess start(ProcessBuilder builder) {
        return new ChildProcess(builder);
    }

    private void read() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                output.append(line).append('\n');
                lines.add(line);
            }
        } catch (IOException e) {
            output.append("(reading ended: ").append(e).append(")\n");
        }
    }

    /** {@return the process} */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** {@return what it has printed so far} */
    public String output() {
        return output.toString();
    }

    /**
     * Sends a line to its standard input.
     *
     * @param line the line
     */
    public void send(String line) {
        try {
            process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the child does not read; it printed:\n" + output, e);
        }
    }

    /**
     * Sends a signal to the child. The shell's own {@code kill} does it, so that no package has to be installed. After
     * {@code STOP} it waits until each thread has stopped: on a busy machine the others run on until the one that takes
     * the signal has had a processor.
     *
     * @param name the signal's name, such as {@code HUP}
     */
    public void signal(String name) {
        ProcessBuilder kill = new ProcessBuilder("sh", "-c", "kill -\"$1\" \"$2\"", "sh", name,
                Long.toString(process.pid()));
        try (ChildProcess shell = start(kill)) {
            Result result = shell.result();
            if (result.exitCode() != 0) {
                throw new AssertionError("cannot send SIG" + name + " to " + process.pid() + ": " + result.output());
            }
        }
        if (name.equals("STOP")) {
            awaitStopped();
        }
    }

    private void awaitStopped() {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!isStopped()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("the threads of " + process.pid() + " have not stopped");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private boolean isStopped() {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return threads.allMatch(ChildProcess::isStopped);
        } catch (IOException | UncheckedIOException e) {
            throw new AssertionError("the process " + process.pid() + " has ended", e);
        }
    }

    /** The state of a thread is the letter behind its name, which is in brackets. */
    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            // The thread has ended meanwhile.
            return true;
        }
    }

    /**
     * Waits until it has printed a line that starts with a text; lines before that one are skipped.
     *
     * @param start how the line starts
     * @return the line
     */
    public String awaitLine(String start) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        try {
            for (long left = TIMEOUT.toNanos(); left > 0; left = deadline - System.nanoTime()) {
                String line = lines.poll(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)), TimeUnit.NANOSECONDS);
                if (line != null && line.startsWith(start)) {
                    return line;
                }
                if (line == null && !reader.isAlive() && lines.isEmpty()) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        throw new AssertionError("the child did not print a line that starts with '" + start + "', but:\n" + output);
    }

    /**
     * Waits until it has ended.
     *
     * @return how it ended
     */
    public Result result() {
        return result(TIMEOUT);
    }

    /**
     * Waits until it has ended.
     *
     * @param timeout longest wait
     * @return how it ended
     */
    public Result result(Duration timeout) {
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("the child did not end within " + timeout + ", it printed:\n" + output);
            }
            reader.join(TIMEOUT);
            return new Result(process.exitValue(), output.toString());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for a child", e);
    }

    /** Kills it if it is alive. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }
}
