package io.reactorucx.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Java program in a process of its own, with the Java and the class path of this one: for what happens once in a process, or ends it.
 *
 * <p>Waits are bounded; a child that is overdue is killed by its handle and reported with what it printed.
 */
public final class ChildJvm implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

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

    /** Collects what a child is started with. */
    public static final class Builder {

        private final String mainClass;
        private final List<String> options = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final Map<String, Optional<String>> environment = new HashMap<>();
        private boolean nativeAccess = true;

        private Builder(String mainClass) {
            this.mainClass = mainClass;
        }

        /**
         * Adds options of the JVM.
         *
         * @param more options, such as {@code -Dkey=value}
         * @return this
         */
        public Builder options(String... more) {
            options.addAll(List.of(more));
            return this;
        }

        /**
         * Adds arguments of the program.
         *
         * @param more arguments
         * @return this
         */
        public Builder arguments(String... more) {
            arguments.addAll(List.of(more));
            return this;
        }

        /**
         * Sets a variable of the environment; the others are inherited.
         *
         * @param name its name
         * @param value its value
         * @return this
         */
        public Builder environment(String name, String value) {
            environment.put(name, Optional.of(value));
            return this;
        }

        /**
         * Takes a variable out of the environment.
         *
         * @param name its name
         * @return this
         */
        public Builder withoutEnvironment(String name) {
            environment.put(name, Optional.empty());
            return this;
        }

        /**
         * Leaves out {@code --enable-native-access}.
         *
         * @return this
         */
        public Builder withoutNativeAccess() {
            nativeAccess = false;
            return this;
        }

        /**
         * Starts the child.
         *
         * @return the child, to be closed by the caller
         */
        public ChildJvm start() {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            if (nativeAccess) {
                command.add("--enable-native-access=ALL-UNNAMED");
            }
            command.addAll(options);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
            command.addAll(arguments);
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            environment.forEach((name, value) -> value.ifPresentOrElse(text -> builder.environment().put(name, text),
                    () -> builder.environment().remove(name)));
            try {
                return new ChildJvm(builder.start());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start " + command, e);
            }
        }

        /**
         * Starts the child and waits until it has ended.
         *
         * @return how it ended
         */
        public Result run() {
            try (ChildJvm child = start()) {
                return child.result();
            }
        }
    }

    private ChildJvm(Process process) {
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().name("output of " + process.pid()).start(this::read);
    }

    /**
     * A child with a main class.
     *
     * @param mainClass its main class, may be package-private
     * @return a builder
     */
    public static Builder of(Class<?> mainClass) {
        return new Builder(mainClass.getName());
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
     * Waits until it has printed a line that starts with a text; lines before that one are skipped.
     *
     * @param start how the line starts
     * @return the line
     */
    public String awaitLine(String start) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            for (long left = PATIENCE.toNanos(); left > 0; left = deadline - System.nanoTime()) {
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
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the child did not end within " + PATIENCE + ", it printed:\n" + output);
            }
            reader.join(PATIENCE);
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
            process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }
}
