package io.reactorucx.benchmarks.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The side that is measured against: takes one client after the other until one of them ends it. */
@Command(name = "server", mixinStandardHelpOptions = true, description = "Waits for a client, and ends with it, or with its standard input.")
final class ServerCommand implements Callable<Integer> {

    /** What it says when it listens, followed by the port. */
    static final String READY = "READY ";

    private static final int DEFAULT_PORT = 13_337;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private EngineOptions options = new EngineOptions();
    @Option(names = "--port", paramLabel = "P", description = "Port for clients, 0 for any that is free; 13337 by default.")
    private int port = DEFAULT_PORT;
    @Option(names = "--bind", paramLabel = "ADDRESS", defaultValue = "127.0.0.1", description = "Address to listen at; 127.0.0.1 by default.")
    private String address = "127.0.0.1";
    @Option(names = "--connections", paramLabel = "N", description = "Most connections of a client; 1024 by default.")
    private int connections = 1024;
    @Option(names = "--keep", description = "Wait for another client when one has gone.")
    private boolean keep;

    @Override
    public Integer call() {
        return PerfCommand.run(spec, this::serve);
    }

    private void serve() throws IOException {
        options.check();
        try (ServerSocket listening = new ServerSocket(port, 0, InetAddress.getByName(address))) {
            Thread.ofPlatform().daemon().name("perf-stdin").start(() -> endWithInput());
            spec.commandLine().getOut().println(READY + listening.getLocalPort());
            boolean more = true;
            while (more) {
                try (Socket client = listening.accept(); ControlChannel channel = new ControlChannel(client)) {
                    more = !talk(channel);
                } catch (IOException e) {
                    System.err.println("perf server: the client has gone: " + e.getMessage());
                    more = keep;
                }
            }
        }
    }

    /** Whoever started this process has gone, or wants it to go. */
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

    /** Answers one client; answers whether that was the last one. */
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
            throw new PerfLimit("--connections " + setup.connections() + ": the server was started with at most " + connections);
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
