package io.reactorucx.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The process of one side of a measurement. Its output is kept, with the times at which its lines arrived.
 *
 * <p>It ends with this process, also while it is stopped: at an orderly end or a signal this process kills it; where
 * this process is killed itself, the kernel does (by {@code setpriv}, where that is installed).
 */
public final class ChildProcess implements AutoCloseable {

    private static final List<String> ENDS_WITH_US = Cpus.onPath("setpriv")
            .map(setpriv -> List.of(setpriv.toString(), "--pdeathsig", "KILL")).orElse(List.of());
    private static final long END_SECONDS = 5;
    private static final int KEPT_LINES = 2000;
    private static final long NANOS_OF_A_TICK = 10_000_000;

    private final Process process;
    private final String readyStart;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Deque<Line> output = new ArrayDeque<>();
    private final Deque<Line> errors = new ArrayDeque<>();
    private final Thread readsOutput;
    private final Thread readsErrors;
    private final Thread endsWithUs;

    /**
     * A line of output.
     *
     * @param nanos the {@link System#nanoTime()} at which this process read it
     * @param text the line
     */
    public record Line(long nanos, String text) {
    }

    /**
     * Starts a process.
     *
     * @param command program and arguments
     * @param environment variables besides those of this process
     * @param readyStart how the line begins by which it says that it is ready
     * @throws IOException when it cannot be started
     */
    public ChildProcess(List<String> command, Map<String, String> environment, String readyStart) throws IOException {
        List<String> words = new ArrayList<>(ENDS_WITH_US);
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(environment);
        this.process = builder.start();
        this.readyStart = readyStart;
        this.endsWithUs = new Thread(process::destroyForcibly, "end-child");
        Runtime.getRuntime().addShutdownHook(endsWithUs);
        this.readsOutput = reader(process.inputReader(StandardCharsets.UTF_8), output);
        this.readsErrors = reader(process.errorReader(StandardCharsets.UTF_8), errors);
    }

    private Thread reader(BufferedReader from, Deque<Line> to) {
        return Thread.ofPlatform().daemon().name("child-reader").start(() -> read(from, to));
    }

    private void read(BufferedReader from, Deque<Line> to) {
        try (from) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                synchronized (to) {
                    to.add(new Line(System.nanoTime(), line));
                    to.notifyAll();
                    if (to.size() > KEPT_LINES) {
                        to.removeFirst();
                    }
                }
                if (to == output && line.startsWith(readyStart)) {
                    ready.countDown();
                }
            }
        } catch (IOException e) {
            synchronized (to) {
                to.add(new Line(System.nanoTime(), e.toString()));
            }
        }
        if (to == output) {
            ready.countDown();
        }
    }

    /**
     * The processor time of all child processes that have ended, from {@code /proc}.
     *
     * @return nanoseconds
     * @throws IOException when it cannot be read
     */
    public static long cpuNanosOfEnded() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        // The program's name, in brackets, may have any characters; cutime and cstime follow.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * NANOS_OF_A_TICK;
    }

    /**
     * The id of the process.
     *
     * @return the id
     */
    public long pid() {
        return process.pid();
    }

    /**
     * The processor time that the process has used.
     *
     * @return nanoseconds, 0 after its end
     */
    public long cpuNanos() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    /**
     * Whether the process has not ended; a stopped one has not.
     *
     * @return true until its end
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Stops all threads of the process. */
    public void stop() {
        ProcessSignal.STOP.sendTo(process);
    }

    /** Continues the process after {@link #stop}. */
    public void resume() {
        ProcessSignal.CONTINUE.sendTo(process);
    }

    /** Closes the standard input of the process. */
    public void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has already ended.
        }
    }

    /**
     * Waits for the line by which the process says that it is ready.
     *
     * @param seconds how long
     * @return the rest of the line
     * @throws InterruptedException when this thread is interrupted
     */
    public String awaitReady(long seconds) throws InterruptedException {
        if (!ready.await(seconds, TimeUnit.SECONDS)) {
            throw new MeasurementFailure("it was not ready within " + seconds + " s" + lastWords());
        }
        String line = textOf(lines()).stream().filter(each -> each.startsWith(readyStart)).findFirst().orElse(null);
        if (line == null) {
            // The lines of standard error are read by another thread.
            readsErrors.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
            throw new MeasurementFailure("it ended before it was ready" + lastWords());
        }
        return line.substring(readyStart.length()).strip();
    }

    /**
     * Waits until the process has ended with 0.
     *
     * @param seconds how long
     * @return its output
     * @throws InterruptedException when this thread is interrupted
     */
    public List<String> awaitOutput(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new MeasurementFailure("the client did not end within " + seconds + " s" + lastWords());
        }
        readsOutput.join();
        readsErrors.join();
        if (process.exitValue() != 0) {
            throw new MeasurementFailure("the client ended with " + process.exitValue() + lastWords());
        }
        return textOf(lines());
    }

    /**
     * Waits for a line of output.
     *
     * @param enough says whether the lines so far are enough
     * @param seconds how long
     * @return whether there were enough
     * @throws InterruptedException when this thread is interrupted
     */
    public boolean awaitLines(Predicate<List<Line>> enough, double seconds) throws InterruptedException {
        long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        synchronized (output) {
            while (!enough.test(new ArrayList<>(output))) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0 || !process.isAlive()) {
                    return false;
                }
                output.wait(left);
            }
            return true;
        }
    }

    /**
     * The output so far.
     *
     * @return the lines
     */
    public List<Line> lines() {
        synchronized (output) {
            return new ArrayList<>(output);
        }
    }

    private static List<String> textOf(List<Line> lines) {
        return lines.stream().map(Line::text).toList();
    }

    /**
     * The first line on the standard error of the process.
     *
     * @return the line with a colon before it; empty without one
     */
    public String lastWords() {
        synchronized (errors) {
            return errors.stream().map(Line::text).filter(line -> !line.startsWith("\t") && !line.isBlank()).findFirst()
                    .map(line -> ": " + line).orElse("");
        }
    }

    /** Ends the process without asking it to. */
    public void kill() {
        process.destroyForcibly();
        close();
    }

    /** Continues the process, closes its standard input, at which a server ends, and kills it if it does not end. */
    @Override
    public void close() {
        resume();
        endInput();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(END_SECONDS, TimeUnit.SECONDS);
            }
            Runtime.getRuntime().removeShutdownHook(endsWithUs);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            process.destroyForcibly(); // This process is ending.
        }
    }
}
