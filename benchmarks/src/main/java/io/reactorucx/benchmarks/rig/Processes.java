package io.reactorucx.benchmarks.rig;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import io.reactorucx.benchmarks.Main;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures a contender with a new server and a new client, each on its processors. */
final class Processes implements Rounds.Gauge {

    static final long READY_SECONDS = 30;
    /** Options of the JVM of every program in Java. */
    static final List<String> JVM_OPTIONS = List.of("--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-XX:+UseSerialGC", "-Xms256m", "-Xmx1g");
    private static final double PERCENT = 100;
    private static final String LIBRARY_PATH = "io.reactorucx.library.path";

    private final Cpus cpus;
    private final Timing timing;
    private final PerftestProcesses inC;
    private final Map<List<String>, Double> rates = new HashMap<>();

    Processes(Cpus cpus, Timing timing) {
        this.cpus = cpus;
        this.timing = timing;
        this.inC = new PerftestProcesses(cpus, timing);
    }

    @Override
    public double secondsOf(Contender contender) {
        return timing.estimateOf(contender);
    }

    @Override
    public double hopNanos() throws InterruptedException {
        return inC.hopNanos();
    }

    @Override
    public Measurement measure(Contender contender) throws InterruptedException {
        try {
            return Measurement.of(contender.perftest() != null ? inC.measure(contender, contender.perftest())
                    : contender.tool() == Contender.Tool.LAYERS ? alone(contender)
                    : contender.load() > 0 ? inJava(atLoad(contender)) : closedLoop(contender));
        } catch (MeasurementFailure | IOException | IllegalStateException | JsonSyntaxException e) {
            return Measurement.failed(String.valueOf(e.getMessage()));
        }
    }

    private JsonObject closedLoop(Contender contender) throws IOException, InterruptedException {
        JsonObject figures = inJava(contender);
        if (figures.has(Metric.RATE.field())) {
            rates.put(contender.arguments(), figures.get(Metric.RATE.field()).getAsDouble());
        }
        return figures;
    }

    /** Measures the rate of the closed loop first, unless it is known. */
    private Contender atLoad(Contender contender) throws IOException, InterruptedException {
        List<String> closed = contender.argumentsOfClosedLoop();
        Double rate = rates.get(closed);
        if (rate == null) {
            rate = closedLoop(new Contender(contender.name(), contender.tool(), closed, null)).get(Metric.RATE.field())
                    .getAsDouble();
        }
        return contender.atRate(rate * contender.load() / PERCENT);
    }

    private JsonObject inJava(Contender contender) throws IOException, InterruptedException {
        Map<String, String> environment = environment(contender.tool() == Contender.Tool.UCX_PEER,
                contender.isOverTcp());
        List<String> ofServer = new ArrayList<>(program(contender, "server"));
        ofServer.addAll(List.of("--port", contender.needsPort() ? Integer.toString(freePort()) : "0"));
        ofServer.addAll(serverArguments(contender));
        try (ChildProcess server = new ChildProcess(java(cpus.server(), List.of(), ofServer), environment, "READY ")) {
            String port = server.awaitReady(READY_SECONDS);
            List<String> ofClient = new ArrayList<>(program(contender, "client"));
            ofClient.addAll(List.of("--connect", "127.0.0.1:" + port));
            ofClient.addAll(clientArguments(contender));
            List<String> serverId = List.of("-Dio.reactorucx.benchmarks.server=" + server.pid());
            try (ChildProcess client = new ChildProcess(java(cpus.client(), serverId, ofClient), environment,
                    "never")) {
                return lastLine(client.awaitOutput(timing.limitSeconds()));
            } catch (MeasurementFailure e) {
                throw new MeasurementFailure(e.getMessage() + (server.lastWords().isEmpty() ? ""
                        : "; the server" + server.lastWords()));
            }
        }
    }

    private JsonObject alone(Contender contender) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("layers"));
        arguments.addAll(contender.arguments());
        arguments.addAll(times(contender));
        try (ChildProcess process = new ChildProcess(java(cpus.client(), List.of(), arguments),
                environment(false, false), "never")) {
            return lastLine(process.awaitOutput(timing.limitSeconds()));
        }
    }

    private List<String> times(Contender contender) {
        return List.of("--seconds", Double.toString(timing.secondsOf(contender)),
                "--warmup-seconds", Double.toString(timing.warmupOf(contender)));
    }

    private static List<String> program(Contender contender, String role) {
        return switch (contender.tool()) {
            case PERF -> List.of("perf", role);
            case IDLE -> List.of("idle", role);
            default -> List.of("peer", contender.arguments().getFirst(), role);
        };
    }

    /** The arguments of the server: those that {@code perf}'s server needs at its start; all for the peers' servers. */
    private static List<String> serverArguments(Contender contender) {
        List<String> all = contender.arguments();
        return switch (contender.tool()) {
            case PERF -> {
                List<String> some = new ArrayList<>();
                for (int i = 0; i < all.size(); i++) {
                    switch (all.get(i)) {
                        case "--tcp" -> some.add("--tcp");
                        case "--error-mode", "--strategy", "--engines", "--connections" ->
                            some.addAll(all.subList(i, i + 2));
                        default -> { }
                    }
                }
                some.add("--until-input-ends");
                yield some;
            }
            case IDLE -> all;
            default -> all.subList(1, all.size());
        };
    }

    private List<String> clientArguments(Contender contender) {
        List<String> all = new ArrayList<>(contender.arguments());
        if (contender.tool() == Contender.Tool.IDLE) {
            all.addAll(List.of("--seconds", Double.toString(timing.secondsOf(contender))));
            return all;
        }
        if (contender.tool() != Contender.Tool.PERF) {
            all.removeFirst();
        }
        all.addAll(times(contender));
        all.addAll(List.of("--format", "json"));
        return all;
    }

    /**
     * Options for an archive of a program's classes. The first process of a kind writes it, and the next ones start in
     * half the time.
     */
    private static List<String> classArchive(List<String> arguments) {
        Path jar = Path.of(URI.create(Main.class.getProtectionDomain().getCodeSource().getLocation().toString()));
        if (Files.isDirectory(jar)) {
            return List.of(); // The JVM archives classes of jars alone.
        }
        String kind = String.join("-", arguments.subList(0, Math.min(arguments.getFirst().equals("peer") ? 3 : 2,
                arguments.size())));
        Path archive = jar.resolveSibling("../classes-of-" + kind + ".jsa").normalize();
        return List.of("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + archive, "-Xlog:disable",
                "-Xlog:all=off");
    }

    private static List<String> java(String cpus, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(Cpus.prefix(cpus));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(classArchive(arguments));
        command.addAll(options);
        if (System.getProperty(LIBRARY_PATH) != null) {
            command.add("-D" + LIBRARY_PATH + "=" + System.getProperty(LIBRARY_PATH));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(arguments);
        return command;
    }

    /** The environment, which selects the transports for peers over UCX that have no option for it. */
    static Map<String, String> environment(boolean toldByEnvironment, boolean tcp) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("UCX_LOG_LEVEL", "fatal");
        if (toldByEnvironment && tcp) {
            environment.put("UCX_TLS", "tcp");
        }
        String libraries = System.getProperty(LIBRARY_PATH);
        if (toldByEnvironment && libraries != null) {
            String before = System.getenv("LD_LIBRARY_PATH");
            environment.put("LD_LIBRARY_PATH", before == null ? libraries : libraries + ":" + before);
        }
        return environment;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static JsonObject lastLine(List<String> output) {
        return output.reversed().stream().filter(line -> line.startsWith("{")).findFirst()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .orElseThrow(() -> new MeasurementFailure(
                        "no line of JSON in its output: " + String.join(" | ", output)));
    }
}
