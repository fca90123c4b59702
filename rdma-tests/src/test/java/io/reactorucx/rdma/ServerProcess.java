package io.reactorucx.rdma;

import io.reactorucx.core.ErrorMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@link EchoServer} in a process of the other host. */
final class ServerProcess implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration END_LIMIT = Duration.ofSeconds(60);
    private static final Pattern LISTENS = Pattern.compile("listens at port (\\d+)");
    private static final AtomicInteger PORTS =
            new AtomicInteger(24_000 + (int) (ProcessHandle.current().pid() % 4_000));
    private static final AtomicInteger SERVERS = new AtomicInteger();

    private final Path log;
    private final long pid;
    private final int port;

    private ServerProcess(Path log, long pid, int port) {
        this.log = log;
        this.pid = pid;
        this.port = port;
    }

    /** Starts one, and waits until it listens. The arguments are those of {@link EchoServer}. */
    static ServerProcess start(Verbs verbs, String... arguments) {
        return start(verbs.transport(), arguments);
    }

    /** Starts one with other transports beside. */
    static ServerProcess start(String transports, String... arguments) {
        return start("", transports, PORTS.incrementAndGet(), arguments);
    }

    /** Starts one that may lock some memory, without the capability that lifts the limit. */
    static ServerProcess startLimited(int lockedKibibytes, Verbs verbs, String... arguments) {
        return start("ulimit -l " + lockedKibibytes + "; export JAVA=\"setpriv --bounding-set=-ipc_lock"
                + " --inh-caps=-ipc_lock $JAVA\";", verbs.transport(), PORTS.incrementAndGet(), arguments);
    }

    private static ServerProcess start(String before, String transports, int port, String... arguments) {
        String name = "server-" + ProcessHandle.current().pid() + "-" + SERVERS.incrementAndGet() + ".log";
        Path log = OtherHost.folder().resolve(name);
        String command = "{ (" + before + " exec $JAVA " + EchoServer.class.getName() + " " + OtherHost.address() + " "
                + port + " " + transports + " " + String.join(" ", arguments) + ") & echo $! > " + log + ".pid;"
                + " wait $!; echo process has ended with $?; } > " + log + " 2>&1 < /dev/null &"
                + " while [ ! -s " + log + ".pid ]; do sleep 0.1; done; cat " + log + ".pid";
        long pid = Long.parseLong(OtherHost.run(command).require().strip());
        Matcher listens = LISTENS.matcher("");
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (!listens.reset(read(log)).find()) {
            if (System.nanoTime() > end || hasEnded(log)) {
                OtherHost.run("kill -9 " + pid);
                throw new AssertionError("the server does not listen: " + read(log));
            }
            pause();
        }
        return new ServerProcess(log, pid, Integer.parseInt(listens.group(1)));
    }

    /** Starts another one at the port of one that has ended. */
    static ServerProcess restart(ServerProcess ended, Verbs verbs) {
        return start("", verbs.transport(), ended.port);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String read(Path log) {
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    String log() {
        return read(log);
    }

    /** Sends a signal, such as {@code KILL}. */
    void signal(String name) {
        OtherHost.run("kill -" + name + " " + pid).require();
    }

    boolean isAlive() {
        return !hasEnded(log);
    }

    private static boolean hasEnded(Path log) {
        return read(log).contains("process has ended with");
    }

    /**
     * Lets it end in its own way; fails when it has crashed, or does not end. Without failure detection its close of an
     * endpoint waits for a client that has gone, and its worker is left to the process.
     */
    void end(ErrorMode mode) {
        OtherHost.run("kill -TERM " + pid);
        long end = System.nanoTime() + END_LIMIT.toNanos();
        while (!hasEnded(log)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the server does not end: " + log());
            }
            pause();
        }
        if (!log().contains(mode == ErrorMode.PEER ? "ended, 0 leases, 0 contexts" : "server: ended, ")) {
            throw new AssertionError("the server has not ended as it should: " + log());
        }
    }

    /** How much memory RDMA devices have locked for it. */
    long lockedKibibytes() {
        return Long.parseLong(OtherHost.run("grep VmPin /proc/" + pid + "/status").require().replaceAll("\\D", ""));
    }

    /** Ends it at once, if it has not ended. */
    void kill() {
        OtherHost.run("kill -9 " + pid + " 2> /dev/null");
    }

    @Override
    public void close() {
        kill();
    }
}
