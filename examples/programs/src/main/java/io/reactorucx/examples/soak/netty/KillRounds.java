package io.reactorucx.examples.soak.netty;

import io.reactorucx.examples.DemoFailure;
import io.reactorucx.examples.ServerProcess;
import io.reactorucx.examples.soak.Levels;
import io.reactorucx.examples.soak.netty.NettySoak.Ports;
import io.reactorucx.netty.UcxNettyConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Server processes that are killed, or stopped and continued, amid traffic. What is left of each is counted here. */
final class KillRounds {

    /** The time that may come on top of each limit below: this machine may be busy. */
    private static final Duration SLACK = Duration.ofSeconds(2);
    /** A peer of a link is noticed to be gone after at most 1.75 intervals of its heartbeats. */
    private static final Duration NOTICED_WITHIN = SoakLoops.HEARTBEAT.multipliedBy(7).dividedBy(4).plus(SLACK);
    /** A channel that has no link yet has this. */
    private static final Duration OPEN_WITHIN = UcxNettyConfig.DEFAULT.handshakeTimeout().plus(SLACK);
    /** The longest wait for what was written before a close, and a little. */
    private static final Duration IDLE_WITHIN = UcxNettyConfig.DEFAULT.closeTimeout().plus(SLACK);
    private static final Duration TRAFFIC_WITHIN = Duration.ofSeconds(30);
    private static final long BYTES_BEFORE = 1 << 20;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final NettySoak soak;
    private final SoakLoops loops;
    private final SplittableRandom random;
    private final List<String> failures = new ArrayList<>();
    private final Count killed = new Count("killed");
    private final Count stopped = new Count("stopped amid traffic");
    private final Count stoppedEarly = new Count("stopped while channels open");

    KillRounds(NettySoak soak, SoakLoops loops) {
        this.soak = soak;
        this.loops = loops;
        random = new SplittableRandom(soak.seed());
    }

    /** Rounds of one kind. */
    private static final class Count {

        private final String name;
        private int rounds;
        private int channels;
        private long longestNanos;

        Count(String name) {
            this.name = name;
        }

        void ended(int count, long nanos) {
            rounds++;
            channels += count;
            longestNanos = Math.max(longestNanos, nanos);
        }

        void print() {
            System.out.printf("%-28s %5d servers, %6d channels, all ended within %5d ms%n", name, rounds, channels,
                    TimeUnit.NANOSECONDS.toMillis(longestNanos));
        }
    }

    boolean run(Duration time) {
        // Lets classes, mappings and pools reach their final size.
        round(false);
        round(true);
        Levels[] before = levels();
        long start = System.nanoTime();
        do {
            round(random.nextBoolean());
        } while (failures.isEmpty() && System.nanoTime() - start < time.toNanos());
        if (soak.leak()) {
            LeakReports.plant();
        }
        Levels[] after = levels();
        killed.print();
        stopped.print();
        stoppedEarly.print();
        failures.forEach(each -> System.out.println("    " + each));
        return failures.isEmpty() & NettySoak.compare(before, after);
    }

    private Levels[] levels() {
        return new Levels[] {Objects.requireNonNull(loops.settled().block())};
    }

    private void round(boolean stop) {
        try (ServerProcess server = soak.start()) {
            Ports ports = Ports.of(server);
            InetSocketAddress echo = new InetSocketAddress(NettySoak.HOST, ports.echo());
            // Some are amid the handshake.
            long least = random.nextBoolean() ? BYTES_BEFORE : 0;
            Duration limit = least == 0 ? OPEN_WITHIN : NOTICED_WITHIN;
            List<StreamChannel.Open> all = traffic(echo, least);
            long start = System.nanoTime();
            signal(server, stop ? "STOP" : "KILL");
            for (StreamChannel.Open each : all) {
                Duration left = limit.minusNanos(System.nanoTime() - start);
                check(each.endsWithin(left), () -> "a channel has not ended within " + limit);
                each.channel().close();
                check(each.stream().error() instanceof IOException, () -> "a channel has ended with "
                        + each.stream().error());
            }
            (stop ? least == 0 ? stoppedEarly : stopped : killed).ended(all.size(), System.nanoTime() - start);
            check(within(IDLE_WITHIN, loops::isIdle), () -> loops.inUse() + " are left of a server that was "
                    + (stop ? "stopped" : "killed"));
            if (stop) {
                signal(server, "CONT");
                check(within(IDLE_WITHIN, ports::isIdle), () -> ports.ask(NettySoakServer.IN_USE)
                        + " are left in a server that was stopped " + (least == 0 ? "while channels open" :
                        "amid traffic") + ", and continued");
                again(echo);
            }
        }
    }

    private List<StreamChannel.Open> traffic(InetSocketAddress server, long least) {
        List<StreamChannel.Open> all = new ArrayList<>();
        for (int i = 0; i < soak.connections(); i++) {
            all.add(StreamChannel.connect(loops.group(), server, random.nextLong()));
        }
        check(within(TRAFFIC_WITHIN, () -> all.stream().allMatch(each -> each.stream().received() >= least)),
                () -> "no traffic within " + TRAFFIC_WITHIN);
        return all;
    }

    /** A server that was continued takes new channels. */
    private void again(InetSocketAddress server) {
        StreamChannel.Open next = StreamChannel.connect(loops.group(), server, random.nextLong());
        check(within(TRAFFIC_WITHIN, () -> next.stream().received() >= BYTES_BEFORE),
                () -> "no traffic with a server that was continued: " + next.stream().error());
        next.channel().close().syncUninterruptibly();
        check(within(IDLE_WITHIN, loops::isIdle), () -> loops.inUse()
                + " are left of the channel to a server that was continued");
    }

    private static boolean within(Duration limit, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                return false;
            }
            Mono.delay(Duration.ofNanos(LOOK_NANOS)).block();
        }
        return true;
    }

    private void check(boolean holds, Supplier<String> failure) {
        if (!holds) {
            failures.add(failure.get());
        }
    }

    private static void signal(ServerProcess server, String name) {
        try {
            // The shell's own, so that no package has to be installed.
            Process kill = new ProcessBuilder("sh", "-c", "kill -\"$1\" \"$2\"", "sh", name,
                    String.valueOf(server.pid())).inheritIO().start();
            if (kill.waitFor() != 0) {
                throw new DemoFailure("the server process cannot be sent the signal " + name);
            }
        } catch (IOException e) {
            throw new DemoFailure("no shell can be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailure("interrupted");
        }
    }
}
