package io.reactorucx.examples;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The second process of a program here, with the same Java and class path. It is ended with this process. */
public final class ServerProcess implements AutoCloseable {

    /** A busy machine takes minutes for what takes a second; meanwhile the user is told. */
    private static final long READY_LIMIT_SECONDS = 300;
    private static final long SAID_AFTER_SECONDS = 10;
    private static final long EXIT_LIMIT_SECONDS = 60;

    private final Process process;
    private volatile CompletableFuture<String> ready = new CompletableFuture<>();
    private final Thread endWithUs;
    private volatile String reason = "it gave no reason";

    private ServerProcess(Process process) {
        this.process = process;
        this.endWithUs = new Thread(process::destroyForcibly, "end-server-process");
        Runtime.getRuntime().addShutdownHook(endWithUs);
        Thread.ofPlatform().daemon().name("server-process-output").start(this::readOutput);
    }

    /**
     * Starts a program of {@link Main} in a process of its own.
     *
     * @param program the program's name, such as {@code demo-server}
     * @param arguments the program's arguments
     * @return the process
     */
    public static ServerProcess start(String program, List<String> arguments) {
        return start(program, arguments, ProcessBuilder.Redirect.from(new File("/dev/null")));
    }

    /**
     * Starts a program of {@link Main} that reads its standard input, for {@link #ask}.
     *
     * @param program the program's name
     * @param arguments the program's arguments
     * @return the process
     */
    public static ServerProcess startWithInput(String program, List<String> arguments) {
        return start(program, arguments, ProcessBuilder.Redirect.PIPE);
    }

    private static ServerProcess start(String program, List<String> arguments, ProcessBuilder.Redirect input) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-Xmx" + (Runtime.getRuntime().maxMemory() >> 20) + "m", "-cp", System.getProperty("java.class.path")));
        // Such as those of the compiler and the collector.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(each -> each.startsWith("-XX:"))
                .forEach(command::add);
        String libraryPath = System.getProperty("io.reactorucx.library.path");
        if (libraryPath != null) {
            command.add("-Dio.reactorucx.library.path=" + libraryPath);
        }
        command.add(Main.class.getName());
        command.add(program);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(input)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        // UCX also logs what it returns as a status, but the reason of a failure is printed as one line.
        builder.environment().putIfAbsent("UCX_LOG_LEVEL", "fatal");
        try {
            return new ServerProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOutput() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(DemoServer.READY)) {
                    ready.complete(line.substring(DemoServer.READY.length()));
                } else if (line.startsWith(DemoServer.FAILED)) {
                    reason = line.substring(DemoServer.FAILED.length());
                } else {
                    System.out.println("[server] " + line);
                }
            }
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
        ready.completeExceptionally(new DemoFailure("the server process ended before it was ready: " + reason));
    }

    /** {@return the reason that the server printed when it failed} */
    public String reason() {
        return reason;
    }

    /** {@return the rest of the line that the server printed when it began to listen: the port and more} */
    public String awaitReady() {
        try {
            for (long waited = SAID_AFTER_SECONDS; waited <= READY_LIMIT_SECONDS; waited += SAID_AFTER_SECONDS) {
                try {
                    return ready.get(SAID_AFTER_SECONDS, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    System.out.println("    the server process is not ready after " + waited + " s, " + load());
                }
            }
            throw new DemoFailure("the server process was not ready within " + READY_LIMIT_SECONDS + " s, " + load());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof DemoFailure failure ? failure : new DemoFailure(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailure("interrupted");
        }
    }

    private static String load() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        return String.format(Locale.ROOT, "%.1f threads want one of %d processors", system.getSystemLoadAverage(),
                system.getAvailableProcessors());
    }

    /**
     * Writes a line to the standard input of the server, and waits for what it prints when it is ready for it.
     *
     * @param line the line
     * @return the rest of the line that the server printed
     */
    public String ask(String line) {
        ready = new CompletableFuture<>();
        try {
            process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
        } catch (IOException e) {
            throw new DemoFailure("the server process has ended: " + reason);
        }
        return awaitReady();
    }

    /** Ends the standard input of the server. */
    public void endInput() {
        try {
            process.outputWriter(StandardCharsets.UTF_8).close();
        } catch (IOException e) {
            throw new DemoFailure("the server process has ended: " + reason);
        }
    }

    /**
     * For the server itself: it is ready.
     *
     * @param what the port and more
     */
    public static void ready(String what) {
        System.out.println(DemoServer.READY + what);
    }

    /**
     * For the server itself: it has failed.
     *
     * @param error why
     */
    public static void failed(Throwable error) {
        System.out.println(DemoServer.FAILED + Failures.inOneLine(error));
    }

    /** {@return the id of the server's process} */
    public long pid() {
        return process.pid();
    }

    /** {@return the exit code of the server, which has to end within a few seconds} */
    public int awaitExit() {
        try {
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new DemoFailure("the server process did not end within " + EXIT_LIMIT_SECONDS + " s");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailure("interrupted");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        Runtime.getRuntime().removeShutdownHook(endWithUs);
    }
}
