package io.reactorucx.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The host that a test talks to: the other machine, or this one. Commands reach the other machine through a folder that
 * both share, so that they do without the network that a test breaks.
 */
final class OtherHost {

    private static final Path FOLDER = Path.of(System.getProperty("io.reactorucx.rdma.folder", "/job"));
    private static final String ADDRESS = System.getProperty("io.reactorucx.rdma.other", "127.0.0.1");
    private static final boolean HERE = Boolean.getBoolean("io.reactorucx.rdma.one-host");
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final AtomicInteger COMMANDS = new AtomicInteger();

    private OtherHost() {
    }

    /**
     * What a command has printed, and how it ended.
     *
     * @param code its exit status
     * @param text its standard output and error
     */
    record Result(int code, String text) {

        /** The text of a command that has to have succeeded. */
        String require() {
            if (code != 0) {
                throw new AssertionError("exit status " + code + ": " + text);
            }
            return text;
        }
    }

    /** The address of its device, which the other host reaches. */
    static String address() {
        return ADDRESS;
    }

    /** Whether it is this host. */
    static boolean isHere() {
        return HERE;
    }

    /** Where files are that both hosts see. */
    static Path folder() {
        return FOLDER;
    }

    /** Runs a command of bash, and waits for its end. */
    static Result run(String command) {
        return run(command, LIMIT);
    }

    static Result run(String command, Duration limit) {
        String name = "command-" + ProcessHandle.current().pid() + "-" + COMMANDS.incrementAndGet();
        try {
            return HERE ? here(name, command, limit) : there(name, command, limit);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Result here(String name, String command, Duration limit)
            throws IOException, InterruptedException {
        Path output = FOLDER.resolve(name + ".out");
        Process process = new ProcessBuilder("bash", "-c", command).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command + " has not ended within " + limit);
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    /** The other machine runs each file with the name {@code .sh}, and then writes its exit status. */
    private static Result there(String name, String command, Duration limit)
            throws IOException, InterruptedException {
        Path folder = FOLDER.resolve("commands");
        Path draft = Files.writeString(folder.resolve(name + ".draft"), command + "\n");
        Files.move(draft, folder.resolve(name + ".sh"), StandardCopyOption.ATOMIC_MOVE);
        Path code = folder.resolve(name + ".code");
        long end = System.nanoTime() + limit.toNanos();
        while (!Files.exists(code)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(command + " has not ended within " + limit);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return new Result(Integer.parseInt(Files.readString(code).strip()),
                Files.readString(folder.resolve(name + ".out")));
    }
}
