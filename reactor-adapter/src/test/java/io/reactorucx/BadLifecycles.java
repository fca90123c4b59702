package io.reactorucx;

import static io.reactorucx.BadInput.thrown;

import io.reactorucx.BadInput.Tried;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Wrong settings and waits of hooks and of a server's stop. */
final class BadLifecycles {

    private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
    private static final Duration TOO_LONG = Duration.ofDays(366);

    private final List<BadInput> cases = new ArrayList<>();

    private BadLifecycles() {
        hooksAndStop();
    }

    static List<BadInput> all() {
        return new BadLifecycles().cases;
    }

    private void missing(String method, String argument, Function<Tried, Object> use) {
        cases.add(thrown(method, "null", NullPointerException.class, use, argument));
    }

    private void count(String method, String argument, int min, BiFunction<Tried, Integer, Object> use) {
        for (int bad : new int[] {min - 1, Integer.MIN_VALUE}) {
            cases.add(thrown(method, "count " + bad, ILLEGAL, tried -> use.apply(tried, bad), argument + " " + bad + ": at least " + min));
        }
    }

    private void time(String method, String argument, boolean zeroAllowed, BiFunction<Tried, Duration, Object> use) {
        missing(method, "", tried -> use.apply(tried, null));
        List<Duration> bad = new ArrayList<>(List.of(Duration.ofNanos(-1), TOO_LONG));
        if (!zeroAllowed) {
            bad.add(Duration.ZERO);
        }
        for (Duration value : bad) {
            cases.add(thrown(method, value.toString(), ILLEGAL, tried -> use.apply(tried, value), argument + " " + value + ": must be"));
        }
    }

    private void hooksAndStop() {
        missing("UcxClient.doOnConnected(Consumer)", "action", tried -> tried.client().doOnConnected(null));
        missing("UcxClient.doOnDisconnected(Consumer)", "action", tried -> tried.client().doOnDisconnected(null));
        missing("UcxServer.doOnConnection(Consumer)", "action", tried -> tried.server().doOnConnection(null));
        count("UcxServer.maxConnections(int)", "maxConnections", 1, (tried, value) -> tried.server().maxConnections(value));
        String stop = "UcxBoundServer.disposeLater(Duration,Duration)";
        time(stop, "timeout", false, (tried, value) -> tried.peers.server().disposeLater(Duration.ZERO, value));
        time(stop, "gracePeriod", true, (tried, value) -> tried.peers.server().disposeLater(value, Duration.ofMinutes(1)));
        cases.add(thrown(stop, "more grace than time", ILLEGAL, tried -> tried.peers.server().disposeLater(Duration.ofSeconds(3),
                Duration.ofSeconds(2)), "gracePeriod PT3S: must be in 0..timeout, PT2S"));
    }
}
