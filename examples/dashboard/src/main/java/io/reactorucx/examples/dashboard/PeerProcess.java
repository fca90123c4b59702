package io.reactorucx.examples.dashboard;

import java.io.BufferedReader;
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
import java.util.function.Consumer;

/** {@link PeerApplication} in a process of its own, with the same Java and class path. It ends with this process. */
final class PeerProcess {

    private static final long SAID_AFTER_SECONDS = 10;

    private final Process process;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    private PeerProcess(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().name("peer-output").start(this::readOutput);
    }

    static PeerProcess start(PeerPorts wanted) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-Xmx" + (Runtime.getRuntime().maxMemory() >> 20) + "m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        String libraryPath = System.getProperty("io.reactorucx.library.path");
        if (libraryPath != null) {
            command.add("-Dio.reactorucx.library.path=" + libraryPath);
        }
        command.addAll(List.of(PeerApplication.class.getName(), "--server.port=" + wanted.http(),
                "--peer.port=" + wanted.ucx()));
        try {
            return new PeerProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOutput() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(PeerApplication.READY)) {
                    ready.complete(null);
                } else {
                    System.out.println("[peer] " + line);
                }
            }
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
        ready.completeExceptionally(new DashboardFailure("the peer ended before it listened"));
    }

    /** Waits until it listens, which takes minutes on a busy machine, and says so. Returns whether it does in time. */
    boolean awaitReady(long nanos, Consumer<String> says) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            long left = nanos - (System.nanoTime() - start);
            try {
                ready.get(Math.min(left, TimeUnit.SECONDS.toNanos(SAID_AFTER_SECONDS)), TimeUnit.NANOSECONDS);
                return true;
            } catch (ExecutionException e) {
                throw e.getCause() instanceof DashboardFailure failure ? failure
                        : new DashboardFailure(String.valueOf(e.getCause()));
            } catch (TimeoutException e) {
                if (left <= TimeUnit.SECONDS.toNanos(SAID_AFTER_SECONDS)) {
                    return false;
                }
                says.accept("the peer does not listen yet, after "
                        + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + " s");
            }
        }
    }

    /** Waits for the end of the process; returns whether it has ended in time. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return process.waitFor(nanos, TimeUnit.NANOSECONDS);
    }

    int exitValue() {
        return process.exitValue();
    }

    /** Kills the process, by SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }
}
