package io.reactorucx.examples.dashboard;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The service with the live page in this process, and its peer in another one. */
@Command(name = "dashboard", description = "Serves a page with live meters at http://127.0.0.1:8088/, and the same"
        + " meters for Prometheus at /actuator/prometheus. The service talks over UCX to a second process, which is"
        + " started again when it ends. Ends with Ctrl-C.")
final class DashboardCommand implements Callable<Integer> {

    /** Begins the line that names the address of the page. */
    static final String PAGE = "page: ";
    /** Begins the line that names the address of the peer's meters. */
    static final String PEER = "meters of the peer: ";
    /** Begins the line that says that the peer has ended. */
    static final String PEER_ENDED = "the peer has ended";
    /** Begins the line that says that the peer listens. */
    static final String PEER_READY = "the peer listens";

    private static final int MAX_PORT = 65_535;
    private static final double MAX_SECONDS = 86_400;
    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;
    /** After which part of the time, or after which time, the peer is killed. */
    private static final int PART_BEFORE_KILL = 3;
    private static final Duration TIME_BEFORE_KILL = Duration.ofSeconds(20);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Print this text.")
    private boolean help;
    @Option(names = "--kill", description = "Kill the peer once: after a third of --seconds, or after 20 s.")
    private boolean kill;
    @Option(names = "--load", description = "Make a load that rises and falls: requests, messages and HTTP calls."
            + " Without it the service asks its peer twice a second.")
    private boolean load;
    @Option(names = "--port", paramLabel = "PORT", description = "Port of the page, by default 8088; 0 for any.")
    private int port = 8088;
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "End after this time, by default never. May have"
            + " a fraction.")
    private @Nullable Double seconds;

    @Override
    public Integer call() {
        check();
        try (PeerSupervisor peer = PeerSupervisor.start(out()::println);
                ConfigurableApplicationContext page = startPage(peer.ports())) {
            out().println(PAGE + "http://127.0.0.1:" + page.getEnvironment().getProperty("local.server.port") + "/");
            out().println(PEER + "http://127.0.0.1:" + peer.ports().http() + "/actuator/prometheus");
            Thread kills = new Thread(() -> killLater(peer), "kills-the-peer");
            kills.setDaemon(true);
            kills.start();
            peer.superviseUntil(System.nanoTime() + (seconds == null ? FOREVER_NANOS : nanos(seconds)),
                    out()::println);
        }
        out().println("dashboard: OK");
        return 0;
    }

    private void check() {
        if (port < 0 || port > MAX_PORT) {
            throw new ParameterException(spec.commandLine(), "--port " + port + ": must be 0 to " + MAX_PORT);
        }
        if (seconds != null && !(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new ParameterException(spec.commandLine(), "--seconds " + seconds + ": must be above 0 and at most "
                    + Math.round(MAX_SECONDS));
        }
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private ConfigurableApplicationContext startPage(PeerPorts peer) {
        return new SpringApplicationBuilder(PageApplication.class).run("--server.port=" + port,
                "--dashboard.load=" + load, "--dashboard.peer.port=" + peer.ucx(),
                "--dashboard.peer.http-port=" + peer.http());
    }

    private void killLater(PeerSupervisor peer) {
        if (!kill) {
            return;
        }
        Duration time = seconds == null ? TIME_BEFORE_KILL : Duration.ofNanos(nanos(seconds) / PART_BEFORE_KILL);
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            return;
        }
        out().println("killing the peer");
        peer.kill();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
