package io.reactorucx.benchmarks.layers;

import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import reactor.core.publisher.Mono;

/** Measures two processes with an idle connection in the default settings. */
@Command(name = "idle", hidden = true, description = "A connection through which nothing goes.")
public final class IdleCommand implements Callable<Integer> {

    /** Of a core: compilation of what a start has used goes on for tens of seconds, at a few wake-ups a second. */
    private static final double LITTLE_TO_COMPILE = 0.001;
    private static final long LOOK_MILLIS = 5000;
    private static final int MOST_LOOKS = 12;

    @Parameters(index = "0", description = "server or client")
    private String role = "";
    @Option(names = "--port")
    private int port;
    @Option(names = "--connect")
    private String connect = "";
    @Option(names = "--seconds")
    private double seconds = 10;

    @Override
    public Integer call() throws IOException, InterruptedException {
        UcxResources resources = UcxResources.create();
        if (role.equals("server")) {
            UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", port)
                    .handle((in, out) -> Mono.never()).bindNow();
            System.out.println("READY " + server.port());
            System.in.transferTo(OutputStream.nullOutputStream());
            server.disposeNow();
        } else {
            int colon = connect.lastIndexOf(':');
            UcxConnection connection = UcxClient.create(resources).remoteAddress(connect.substring(0, colon),
                    Integer.parseInt(connect.substring(colon + 1))).connectNow();
            System.out.println(measure());
            connection.disposeNow();
        }
        resources.disposeNow();
        return 0;
    }

    private String measure() throws InterruptedException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        settle();
        long start = System.nanoTime();
        long ours = system.getProcessCpuTime();
        long servers = serverCpuNanos();
        Thread.sleep((long) (seconds * TimeUnit.SECONDS.toMillis(1)));
        double nanos = System.nanoTime() - start;
        double ourShare = (system.getProcessCpuTime() - ours) / nanos;
        double serverShare = (serverCpuNanos() - servers) / nanos;
        JsonObject json = new JsonObject();
        json.addProperty("who", "reactor-ucx");
        json.addProperty("test", "idle");
        json.addProperty("seconds", nanos / TimeUnit.SECONDS.toNanos(1));
        json.addProperty("client_cpu_share", ourShare);
        json.addProperty("server_cpu_share", serverShare);
        json.addProperty("cpu_share", Math.max(ourShare, serverShare));
        return json.toString();
    }

    /** Waits until this process compiles hardly any more. What the server's compiler does is not seen from here. */
    private static void settle() throws InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long compiled;
        int looks = 0;
        do {
            compiled = compiler.getTotalCompilationTime();
            Thread.sleep(LOOK_MILLIS);
        } while (++looks < MOST_LOOKS
                && compiler.getTotalCompilationTime() - compiled > LITTLE_TO_COMPILE * LOOK_MILLIS);
    }

    private static long serverCpuNanos() {
        return ProcessHandle.of(Long.getLong("io.reactorucx.benchmarks.server", -1))
                .flatMap(server -> server.info().totalCpuDuration()).map(Duration::toNanos).orElse(0L);
    }
}
