package io.reactorucx.benchmarks.perf;

import io.reactorucx.benchmarks.HelpOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The server of a measurement. It serves one client, or with {@code --keep} one after the other. */
@Command(name = "server", description = "Serves a client of perf and ends with it, or after --seconds, or by a signal."
        + " It needs neither a terminal nor a standard input.")
final class ServerCommand implements Callable<Integer> {

    /** Start of the line that this program prints when it listens; the port follows. */
    static final String READY = "READY ";

    private static final int DEFAULT_PORT = 13_337;
    private static final int MAX_PORT = 65_535;
    private static final double MAX_SECONDS = 1e9;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Mixin
    private EngineOptions options = new EngineOptions();
    @Option(names = "--port", paramLabel = "PORT",
            description = "Port for clients, by default 13337; 0 for a free port.")
    private int port = DEFAULT_PORT;
    @Option(names = "--bind", paramLabel = "ADDRESS", description = "Address to listen at, by default 127.0.0.1.")
    private String address = "127.0.0.1";
    @Option(names = "--connections", paramLabel = "N",
            description = "Maximum of a client's connections, by default 1024.")
    private int connections = 1024;
    @Option(names = "--keep", description = "Serve the next client after the first one has ended.")
    private boolean keep;
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "End after this time, also amid a measurement;"
            + " by default never.")
    private @Nullable Double seconds;
    @Option(names = "--until-input-ends", description = "End when the standard input ends: for a program that starts"
            + " the server and may end before it.")
    private boolean untilInputEnds;

    @Override
    public Integer call() {
        return PerfCommand.run(spec, this::serve);
    }

    private void serve() throws IOException {
        options.check();
        if (port < 0 || port > MAX_PORT) {
            throw new PerfLimit("--port " + port + ": must be in 0.." + MAX_PORT);
        }
        if (connections < 1) {
            throw new PerfLimit("--connections " + connections + ": must be at least 1");
        }
        Double limit = seconds;
        if (limit != null && !(limit > 0 && limit <= MAX_SECONDS)) {
            throw new PerfLimit("--seconds " + limit + ": must be more than 0 and at most " + MAX_SECONDS);
        }
        try (ServerSocket listening = new ServerSocket(port, 0, InetAddress.getByName(address))) {
            if (untilInputEnds) {
                Thread.ofPlatform().daemon().name("perf-stdin").start(ServerCommand::endWithInput);
            }
            if (limit != null) {
                Thread.ofPlatform().daemon().name("perf-seconds").start(() -> endAfter(limit));
            }
            spec.commandLine().getOut().println(READY + listening.getLocalPort());
            boolean more = true;
            while (more) {
                try (Socket client = listening.accept(); ControlChannel channel = new ControlChannel(client)) {
                    more = !talk(channel);
                } catch (IOException e) {
                    System.err.println("perf server: lost the client: " + e.getMessage());
                    more = keep;
                }
            }
        }
    }

    private static void endAfter(double seconds) {
        try {
            Thread.sleep((long) (seconds * TimeUnit.SECONDS.toMillis(1)));
            System.err.println("perf server: ends after " + seconds + " s");
        } catch (InterruptedException e) {
            System.err.println("perf server: interrupted");
        }
        Runtime.getRuntime().halt(0);
    }

    /** Ends this process when the process that started it has closed the standard input, or has ended. */
    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            System.err.println("perf server: ends with its standard input");
        } catch (IOException e) {
            System.err.println("perf server: " + e.getMessage());
        }
        Runtime.getRuntime().halt(0);
    }

    /** Serves one client. Returns whether it was the last one. */
    private boolean talk(ControlChannel channel) throws IOException {
        ServedTest test = null;
        try {
            for (String line = channel.read(); line != null; line = channel.read()) {
                String word = line.substring(0, Math.max(0, line.indexOf(' ')));
                String arguments = line.substring(word.length()).strip();
                try {
                    if (word.equals("quit")) {
                        return !keep;
                    }
                    if (word.equals("test") && test == null) {
                        test = begin(arguments, channel);
                    }
                    channel.say(word, answer(word, arguments, test));
                } catch (RuntimeException e) {
                    channel.say(ControlChannel.FAILED, PerfCommand.inOneLine(e));
                }
            }
            return !keep;
        } finally {
            if (test != null) {
                test.close();
            }
        }
    }

    private ServedTest begin(String arguments, ControlChannel channel) {
        Setup setup = Setup.ofLine(arguments);
        if (setup.connections() > connections) {
            throw new PerfLimit("--connections " + setup.connections() + ": the server allows at most " + connections);
        }
        return new ServedTest(setup, options, channel.localAddress());
    }

    private static String answer(String word, String arguments, @Nullable ServedTest test) {
        if (test == null) {
            throw new IllegalStateException("'" + word + "' before there is a test");
        }
        switch (word) {
            case "test" -> {
                return Integer.toString(test.port());
            }
            case "connected" -> {
                return test.awaitWindow(Integer.parseInt(arguments));
            }
            case "drain" -> {
                test.awaitReceived(Long.parseLong(arguments));
                return arguments;
            }
            case "use" -> {
                return test.use().toLine();
            }
            default -> throw new IllegalStateException("'" + word + "' is not understood");
        }
    }
}
