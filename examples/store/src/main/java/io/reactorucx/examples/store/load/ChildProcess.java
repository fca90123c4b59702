package io.reactorucx.examples.store.load;

import io.reactorucx.examples.store.StoreNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A registry or a node as a child of this process. It ends with this process, however that ends. */
final class ChildProcess implements AutoCloseable {

    /** Begins the line that names the port. */
    static final String READY = StoreNode.READY;

    /** A busy machine takes minutes for what takes a second; meanwhile the user is told. */
    private static final long READY_LIMIT_SECONDS = 300;
    private static final long SAID_AFTER_SECONDS = 10;
    private static final long EXIT_LIMIT_SECONDS = 30;

    private final String name;
    private final Process process;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        Thread.ofPlatform().daemon().name("output-of-" + name).start(this::readOutput);
    }

    static ChildProcess registry() {
        try {
            Path folder = Files.createTempDirectory("reactor-ucx-registry");
            return start("registry", RegistryProcess.class, List.of("-Xmx64m", "-Djava.io.tmpdir=" + folder),
                    List.of(folder.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a node on ports that the system chooses. */
    static ChildProcess node(int node, int nodes, int registryPort) {
        return start("node-" + node, StoreNode.class, List.of("-Xmx192m"), List.of("--store.node=" + node,
                "--store.nodes=" + nodes, "--store.registry=127.0.0.1:" + registryPort,
                "--store.end-with-input=true"));
    }

    private static ChildProcess start(String name, Class<?> main, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        // So that JAVA_OPTS of ./run hold for the children, too.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("-XX:")
                && !option.startsWith("-XX:ErrorFile")).forEach(command::add);
        String libraryPath = System.getProperty("io.reactorucx.library.path");
        if (libraryPath != null) {
            command.add("-Dio.reactorucx.library.path=" + libraryPath);
        }
        command.add(main.getName());
        command.addAll(arguments);
        try {
            return new ChildProcess(name, new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOutput() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(READY)) {
                    port.complete(Integer.valueOf(line.substring(READY.length())));
                } else {
                    System.err.println("[" + name + "] " + line);
                }
            }
        } catch (IOException e) {
            port.completeExceptionally(e);
        }
        port.completeExceptionally(new LoadFailure(name + " ended before it was ready"));
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** {@return the port, as soon as the process listens} */
    int awaitPort() {
        try {
            for (long waited = SAID_AFTER_SECONDS; waited <= READY_LIMIT_SECONDS; waited += SAID_AFTER_SECONDS) {
                try {
                    return port.get(SAID_AFTER_SECONDS, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    System.out.println(name + " is not ready after " + waited + " s");
                }
            }
            throw new LoadFailure(name + " was not ready within " + READY_LIMIT_SECONDS + " s");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LoadFailure failure ? failure : new LoadFailure(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoadFailure("interrupted");
        }
    }

    boolean isReady() {
        return port.isDone() && !port.isCompletedExceptionally() && process.isAlive();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the process by SIGKILL, and waits for its end. */
    void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    private void awaitExit() {
        try {
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new LoadFailure(name + " did not end within " + EXIT_LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends its standard input, with which it ends. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has ended before.
        }
    }

    /** Waits for the end that {@link #end()} has brought, and brings it by SIGKILL when that takes too long. */
    @Override
    public void close() {
        end();
        try {
            if (process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
