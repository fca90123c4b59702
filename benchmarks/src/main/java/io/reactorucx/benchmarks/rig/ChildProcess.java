package io.reactorucx.benchmarks.rig;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The process of one side of a measurement. Its output is kept, and it is ended with this process. */
final class ChildProcess implements AutoCloseable {

    private static final long END_SECONDS = 5;
    private static final int KEPT_LINES = 2000;
    private static final long NANOS_OF_A_TICK = 10_000_000;

    private final Process process;
    private final String readyStart;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Deque<String> output = new ArrayDeque<>();
    private final Deque<String> errors = new ArrayDeque<>();
    private final Thread readsOutput;
    private final Thread readsErrors;
    private final Thread endsWithUs;

    ChildProcess(List<String> command, Map<String, String> environment, String readyStart) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        this.process = builder.start();
        this.readyStart = readyStart;
        this.endsWithUs = new Thread(process::destroyForcibly, "end-child");
        Runtime.getRuntime().addShutdownHook(endsWithUs);
        this.readsOutput = reader(process.inputReader(StandardCharsets.UTF_8), output);
        this.readsErrors = reader(process.errorReader(StandardCharsets.UTF_8), errors);
    }

    private Thread reader(BufferedReader from, Deque<String> to) {
        return Thread.ofPlatform().daemon().name("child-reader").start(() -> read(from, to));
    }

    private void read(BufferedReader from, Deque<String> to) {
        try (from) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                synchronized (to) {
                    to.add(line);
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
                to.add(e.toString());
            }
        }
        if (to == output) {
            ready.countDown();
        }
    }

    /** {@return the processor time of all child processes that have ended, from {@code /proc}} */
    static long cpuNanosOfEnded() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        // The program's name, in brackets, may have any characters; cutime and cstime follow.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * NANOS_OF_A_TICK;
    }

    long pid() {
        return process.pid();
    }

    /** {@return the rest of the line that the process prints when it is ready} */
    String awaitReady(long seconds) throws InterruptedException {
        if (!ready.await(seconds, TimeUnit.SECONDS)) {
            throw new MeasurementFailure("the server was not ready within " + seconds + " s" + lastWords());
        }
        return output().stream().filter(line -> line.startsWith(readyStart)).findFirst()
                .map(line -> line.substring(readyStart.length()).strip())
                .orElseThrow(() -> new MeasurementFailure("the server ended before it was ready" + lastWords()));
    }

    /** {@return the output of the process, after it has ended with 0} */
    List<String> awaitOutput(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new MeasurementFailure("the client did not end within " + seconds + " s" + lastWords());
        }
        readsOutput.join();
        readsErrors.join();
        if (process.exitValue() != 0) {
            throw new MeasurementFailure("the client ended with " + process.exitValue() + lastWords());
        }
        return output();
    }

    private List<String> output() {
        synchronized (output) {
            return new ArrayList<>(output);
        }
    }

    /** {@return the first line on the standard error of the process, with a colon before it; empty without one} */
    String lastWords() {
        synchronized (errors) {
            return errors.stream().filter(line -> !line.startsWith("\t") && !line.isBlank()).findFirst()
                    .map(line -> ": " + line).orElse("");
        }
    }

    /** Closes the standard input of the process, at which a server ends; kills a process that does not end. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has already ended.
        }
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
