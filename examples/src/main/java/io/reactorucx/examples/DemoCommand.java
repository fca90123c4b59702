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
import picocli.CommandLine.Option;

/** Two processes move a real file and remote memory over UCX. */
@Command(name = "demo", mixinStandardHelpOptions = true, description = {
    "Starts a second process and moves a file and remote memory between the two over UCX:",
    "handshake, request/reply latency, a file by rendezvous active messages, the file back",
    "by remote reads, a remote write; all checked by SHA-256."})
final class DemoCommand implements Callable<Integer> {

    @Option(names = "--tcp", description = "Use TCP only; otherwise UCX chooses, shared memory where it can.")
    private boolean tcp;
    @Option(names = "--file", paramLabel = "PATH", description = "The file to move; the JDK's lib/modules by default.")
    private @Nullable Path file;
    @Option(names = "--port", paramLabel = "PORT", description = "Port of the server; one that is free by default.")
    private int port;
    @Option(names = "--json", paramLabel = "PATH", description = "Write the figures to this file, too.")
    private @Nullable Path json;

    @Override
    public Integer call() {
        try (MemoryUse memoryUse = new MemoryUse()) {
            run(memoryUse);
            System.out.println("demo: OK");
            return 0;
        } catch (RuntimeException e) {
            System.out.println("demo: FAILED: " + Failures.inOneLine(e));
            return 1;
        }
    }

    private void run(MemoryUse memoryUse) {
        Path source = file != null ? file : Path.of(System.getProperty("java.home"), "lib", "modules");
        long size = size(source);
        if (json != null) {
            checkWritable(json);
        }
        List<String> serverArguments = new ArrayList<>(List.of("--port", Integer.toString(port)));
        if (tcp) {
            serverArguments.add("--tcp");
        }
        try (ServerProcess server = ServerProcess.start("demo-server", serverArguments)) {
            UcxResources resources = resources(tcp);
            try {
                String[] ready = server.awaitReady().split(" ");
                DemoReport report = new DemoReport();
                UcxConnection connection = UcxClient.create(resources).remoteAddress("127.0.0.1", Integer.parseInt(ready[0])).connectNow();
                System.out.println("(1) connected: UCX " + Ucx.version() + " here (pid " + ProcessHandle.current().pid() + "), UCX "
                        + connection.peerVersion().orElseThrow() + " there (pid " + server.pid() + "), over "
                        + String.join(", ", connection.transports()));
                report.fact("ucx", Ucx.version().toString());
                report.fact("transports", String.join(",", connection.transports()));
                report.fact("file", source.toString());
                new DemoClient(connection, resources, report).run(source, size);
                report.memory("client", memoryUse.most());
                connection.disposeNow();
                if (server.awaitExit() != 0) {
                    throw new DemoFailure("the server process gave up: " + server.reason());
                }
                report.print();
                if (json != null) {
                    report.write(json);
                }
            } finally {
                resources.disposeNow();
            }
        }
    }

    private static long size(Path source) {
        if (!Files.isRegularFile(source) || !Files.isReadable(source)) {
            throw new DemoFailure(source + " is no file that can be read");
        }
        return source.toFile().length();
    }

    /** Before the work: nobody wants to learn after it that the figures are lost. */
    private static void checkWritable(Path json) {
        Path folder = json.toAbsolutePath().getParent();
        boolean writable = Files.exists(json) ? Files.isWritable(json) && !Files.isDirectory(json) : folder != null && Files.isWritable(folder);
        if (!writable) {
            throw new DemoFailure(json + " is no file that can be written");
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
