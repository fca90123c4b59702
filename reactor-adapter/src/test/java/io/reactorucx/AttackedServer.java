package io.reactorucx;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A server in a process of its own, which strangers attack. It tells the numbers of its mappings and of its descriptors
 * for each line of its input.
 */
final class AttackedServer {

    static final String READY = "ready ";
    static final String COUNTS = "counts ";

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private AttackedServer() {
    }

    /**
     * The process.
     *
     * @param args the transports or {@code default}
     */
    public static void main(String[] args) throws IOException {
        UcxResourcesBuilder builder = UcxResources.builder().engines(2);
        if (!args[0].equals("default")) {
            builder.transports(args[0].split(","));
        }
        UcxResources resources = builder.build();
        UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0)
                .closeTimeout(Duration.ofSeconds(1))
                .handle(connection -> connection.outbound().send(connection.inbound().receive())).bindNow();
        System.out.println(READY + server.port());
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (in.readLine() != null) {
                System.out.println(COUNTS + mappings() + " " + descriptors() + " " + resources.pendingHandshakes());
            }
        }
        resources.disposeNow();
    }

    /** Memory of UCX that is shared with others; the Java virtual machine maps more and less of its own. */
    private static long mappings() throws IOException {
        List<String> lines = Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1);
        return lines.stream().filter(line -> line.contains("/SYSV") || line.contains("ucx_shm")).count();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.count();
        }
    }
}
