package io.reactorucx.examples.boot.load;

import io.reactorucx.examples.boot.BootExample;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The application in a process of its own, with the same Java and class path. It is ended with this process.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #close()} kills the process. <b>Errors:</b> an
 * {@link IllegalStateException} or a subclass of {@link RuntimeException} that says what the process has not done.
 */
public final class ApplicationProcess implements AutoCloseable {

    /** A busy machine takes minutes for what takes a second; meanwhile the user is told. */
    private static final long READY_LIMIT_SECONDS = 300;
    private static final long SAID_AFTER_SECONDS = 10;
    private static final long EXIT_LIMIT_SECONDS = 60;

    private final Process process;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final CompletableFuture<String> channel = new CompletableFuture<>();
    private final Thread endWithUs;

    private ApplicationProcess(Process process) {
        this.process = process;
        this.endWithUs = new Thread(process::destroyForcibly, "end-application-process");
        Runtime.getRuntime().addShutdownHook(endWithUs);
        Thread.ofPlatform().daemon().name("application-process-output").start(this::readOutput);
    }

    /**
     * Starts the application on a port that the system chooses.
     *
     * @param ucx whether over UCX
     * @param jvmOptions more options of its JVM
     * @return the process
     */
    public static ApplicationProcess start(boolean ucx, String... jvmOptions) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED",
                "-Xmx" + (Runtime.getRuntime().maxMemory() >> 20) + "m", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(jvmOptions));
        String libraryPath = System.getProperty("io.reactorucx.library.path");
        if (libraryPath != null) {
            command.add("-Dio.reactorucx.library.path=" + libraryPath);
        }
        command.addAll(List.of(BootExample.class.getName(), "--server.port=0", "--example.ucx=" + ucx));
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        try {
            return new ApplicationProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOutput() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(BootExample.READY)) {
                    port.complete(Integer.valueOf(line.substring(BootExample.READY.length())));
                } else if (line.startsWith(BootExample.CHANNEL)) {
                    channel.complete(line.substring(BootExample.CHANNEL.length()));
                } else {
                    System.out.println("[server] " + line);
                }
            }
        } catch (IOException e) {
            port.completeExceptionally(e);
            channel.completeExceptionally(e);
        }
        port.completeExceptionally(new LoadFailure("the application ended before it listened"));
        channel.completeExceptionally(new LoadFailure("the application ended before a client has connected"));
    }

    /** {@return the port, as soon as the application listens} */
    public int awaitPort() {
        return await(port, "listen");
    }

    /** {@return the type of the application's channels, as soon as it has accepted one} */
    public String awaitChannel() {
        return await(channel, "accept a channel");
    }

    private static <T> T await(CompletableFuture<T> said, String what) {
        try {
            for (long waited = SAID_AFTER_SECONDS; waited <= READY_LIMIT_SECONDS; waited += SAID_AFTER_SECONDS) {
                try {
                    return said.get(SAID_AFTER_SECONDS, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    System.out.println("the application did not yet " + what + " after " + waited + " s");
                }
            }
            throw new LoadFailure("the application did not " + what + " within " + READY_LIMIT_SECONDS + " s");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LoadFailure failure ? failure : new LoadFailure(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** Asks the application to end, by SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Kills the application, by SIGKILL. */
    public void kill() {
        process.destroyForcibly();
    }

    /** {@return whether the application runs} */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** {@return the exit code of the application, which has to end now} */
    public int awaitExit() {
        try {
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new LoadFailure("the application did not end within " + EXIT_LIMIT_SECONDS + " s");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static LoadFailure interrupted() {
        Thread.currentThread().interrupt();
        return new LoadFailure("interrupted");
    }

    @Override
    public void close() {
        process.destroyForcibly();
        Runtime.getRuntime().removeShutdownHook(endWithUs);
    }
}
