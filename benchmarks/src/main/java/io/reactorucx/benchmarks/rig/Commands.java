package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.Main;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.rig.cases.Contender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The commands of the programs in Java. */
final class Commands {

    /** Options of the JVM of every program in Java. */
    static final List<String> JVM_OPTIONS = List.of("--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Xms256m", "-Xmx1g");
    private static final String LIBRARY_PATH = "io.reactorucx.library.path";

    private final Cpus cpus;
    private final Timing timing;
    private final List<String> moreOptions;

    /**
     * Commands of programs in Java.
     *
     * @param moreOptions of each JVM
     */
    Commands(Cpus cpus, Timing timing, List<String> moreOptions) {
        this.cpus = cpus;
        this.timing = timing;
        this.moreOptions = moreOptions;
    }

    List<String> server(Contender contender) throws IOException {
        List<String> arguments = new ArrayList<>(program(contender, "server"));
        arguments.addAll(List.of("--port", contender.needsPort() ? Integer.toString(freePort()) : "0"));
        arguments.addAll(serverArguments(contender));
        return java(cpus.server(), contender.collector(), processors(arguments), arguments);
    }

    /**
     * The command of a client.
     *
     * @param port the server's port
     * @param serverId the server's process id
     * @param turns whether it runs until its input ends, and prints the figures of each turn
     */
    List<String> client(Contender contender, String port, long serverId, boolean turns) {
        List<String> arguments = new ArrayList<>(program(contender, "client"));
        arguments.addAll(List.of("--connect", "127.0.0.1:" + port));
        arguments.addAll(clientArguments(contender, turns));
        List<String> options = new ArrayList<>(processors(arguments));
        options.add("-Dio.reactorucx.benchmarks.server=" + serverId);
        return java(cpus.client(), contender.collector(), options, arguments);
    }

    /**
     * Options for programs of Netty over either transport: in a process with a single processor no loop over UCX spins,
     * since its peer may need that. Here the peer has another one, as on the machine without the rig.
     */
    private static List<String> processors(List<String> arguments) {
        return arguments.getFirst().equals("peer") && arguments.get(1).equals("netty")
                ? List.of("-XX:ActiveProcessorCount=" + Math.max(2, Runtime.getRuntime().availableProcessors()))
                : List.of();
    }

    /** The command of a measurement in one process. */
    List<String> alone(Contender contender) {
        List<String> arguments = new ArrayList<>(List.of("layers"));
        arguments.addAll(contender.arguments());
        arguments.addAll(times(contender));
        return java(cpus.client(), contender.collector(), List.of(), arguments);
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
        List<String> all = contender.ofProgram();
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

    private List<String> clientArguments(Contender contender, boolean turns) {
        List<String> all = new ArrayList<>(contender.ofProgram());
        if (contender.tool() == Contender.Tool.IDLE) {
            all.addAll(List.of("--seconds", Double.toString(timing.secondsOf(contender))));
            return all;
        }
        if (contender.tool() != Contender.Tool.PERF) {
            all.removeFirst();
        }
        if (turns) {
            all.add("--turns");
            all.addAll(List.of("--seconds", Long.toString(TimeUnit.DAYS.toSeconds(1)),
                    "--warmup-seconds", Double.toString(timing.warmupOf(contender))));
        } else {
            all.addAll(times(contender));
        }
        if (contender.tool() == Contender.Tool.PERF) {
            all.addAll(List.of("--warmup-limit-seconds", Double.toString(timing.longestWarmupOf(contender))));
        }
        all.addAll(List.of("--format", "json"));
        return all;
    }

    /**
     * Options for an archive of a program's classes. The first process of a kind writes it, and the next ones start in
     * half the time.
     */
    private static List<String> classArchive(String collector, List<String> arguments) {
        Path jar = Path.of(URI.create(Main.class.getProtectionDomain().getCodeSource().getLocation().toString()));
        if (Files.isDirectory(jar)) {
            return List.of(); // The JVM archives classes of jars alone.
        }
        String kind = String.join("-", arguments.subList(0, Math.min(arguments.getFirst().equals("peer") ? 3 : 2,
                arguments.size())));
        Path archive = jar.resolveSibling("../classes-of-" + kind + "-" + collector + ".jsa").normalize();
        return List.of("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + archive, "-Xlog:disable",
                "-Xlog:all=off");
    }

    private List<String> java(String cpus, String collector, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(Cpus.prefix(cpus));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(moreOptions);
        command.add("-XX:+Use" + collector + "GC");
        command.addAll(classArchive(collector, arguments));
        command.addAll(options);
        if (System.getProperty(LIBRARY_PATH) != null) {
            command.add("-D" + LIBRARY_PATH + "=" + System.getProperty(LIBRARY_PATH));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(arguments);
        return command;
    }

    static Map<String, String> environment(Contender contender) {
        return environment(contender.tool() == Contender.Tool.UCX_PEER, contender.isOverTcp());
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
}
