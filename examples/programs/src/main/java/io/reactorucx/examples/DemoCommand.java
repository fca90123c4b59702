package io.reactorucx.examples;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.core.Ucx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Two processes move a real file and remote memory over UCX. */
@Command(name = "demo", description = "Starts a second process and moves a file and remote memory between the two over"
        + " UCX: handshake, latency of request and reply, a file by rendezvous active messages, the file back by remote"
        + " reads, a remote write. The data is checked by SHA-256.")
final class DemoCommand implements Callable<Integer> {

    private static final int MAX_PORT = 65_535;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--tcp", description = "Use TCP only. Otherwise UCX chooses, shared memory where it can.")
    private boolean tcp;
    @Option(names = "--file", paramLabel = "PATH", description = "The file to move, by default the JDK's lib/modules.")
    private @Nullable Path file;
    @Option(names = "--port", paramLabel = "PORT", description = "The server's port, by default a free one.")
    private int port;
    @Option(names = "--json", paramLabel = "PATH", description = "Also write the figures and the meters to this file.")
    private @Nullable Path json;
    @Option(names = "--meters", description = "Also print the client's meters.")
    private boolean meters;

    @Override
    public Integer call() {
        Path source = file != null ? file : Path.of(System.getProperty("java.home"), "lib", "modules");
        check(source);
        try (MemoryUse memoryUse = new MemoryUse()) {
            run(source, memoryUse);
            System.out.println("demo: OK");
            return 0;
        } catch (RuntimeException e) {
            spec.commandLine().getErr().println("demo: FAILED: " + Failures.inOneLine(e));
            return 1;
        }
    }

    /** Refuses arguments that cannot work, before anything is started. */
    private void check(Path source) {
        if (port < 0 || port > MAX_PORT) {
            throw new ParameterException(spec.commandLine(), "--port " + port + ": must be in 0.." + MAX_PORT);
        }
        if (!Files.isRegularFile(source) || !Files.isReadable(source)) {
            throw new ParameterException(spec.commandLine(), "--file " + source + ": not a file that can be read");
        }
        if (json != null && !isWritable(json)) {
            throw new ParameterException(spec.commandLine(), "--json " + json + ": not a file that can be written");
        }
    }

    private static boolean isWritable(Path json) {
        Path folder = json.toAbsolutePath().getParent();
        return Files.exists(json) ? Files.isWritable(json) && !Files.isDirectory(json)
                : folder != null && Files.isWritable(folder);
    }

    private void run(Path source, MemoryUse memoryUse) {
        List<String> serverArguments = new ArrayList<>(List.of("--port", Integer.toString(port)));
        if (tcp) {
            serverArguments.add("--tcp");
        }
        try (ServerProcess server = ServerProcess.start("demo-server", serverArguments)) {
            UcxResources resources = resources(tcp);
            try {
                String[] ready = server.awaitReady().split(" ");
                DemoReport report = new DemoReport();
                UcxConnection connection = UcxClient.create(resources)
                        .remoteAddress("127.0.0.1", Integer.parseInt(ready[0])).connectNow();
                System.out.println("(1) connected: UCX " + Ucx.version() + " here (pid "
                        + ProcessHandle.current().pid() + "), UCX " + connection.peerVersion().orElseThrow()
                        + " there (pid " + server.pid() + "), over " + String.join(", ", connection.transports()));
                report.fact("ucx", Ucx.version().toString());
                report.fact("transports", String.join(",", connection.transports()));
                report.fact("file", source.toString());
                new DemoClient(connection, resources, report).run(source, source.toFile().length());
                report.memory("client", memoryUse.peak());
                connection.disposeNow();
                if (server.awaitExit() != 0) {
                    throw new DemoFailure("the server process failed: " + server.reason());
                }
                report.print(meters);
                if (json != null) {
                    report.write(json);
                }
            } finally {
                resources.disposeNow();
            }
        }
    }

    static UcxResources resources(boolean tcp) {
        UcxResourcesBuilder builder = UcxResources.builder();
        if (tcp) {
            builder.transports("tcp");
        }
        return builder.build();
    }
}
