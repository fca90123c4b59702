package io.reactorucx;

import static io.reactorucx.BadInput.thrown;

import io.reactorucx.BadInput.Tried;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import reactor.util.retry.Retry;

/** Wrong settings and waits of hooks, server stops, reconnecting connections and pools. */
final class BadLifecycles {

    private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
    private static final Duration TOO_LONG = Duration.ofDays(366);

    private final List<BadInput> cases = new ArrayList<>();

    private BadLifecycles() {
        hooksAndStop();
        reconnecting();
        pool();
    }

    static List<BadInput> all() {
        return new BadLifecycles().cases;
    }

    private void missing(String method, String argument, Function<Tried, Object> use) {
        cases.add(thrown(method, "null", NullPointerException.class, use, argument));
    }

    private void count(String method, String argument, int min, BiFunction<Tried, Integer, Object> use) {
        for (int bad : new int[] {min - 1, Integer.MIN_VALUE}) {
            cases.add(thrown(method, "count " + bad, ILLEGAL, tried -> use.apply(tried, bad),
                    argument + " " + bad + ": must be at least " + min));
        }
    }

    private void time(String method, String argument, boolean zeroAllowed, BiFunction<Tried, Duration, Object> use) {
        missing(method, "", tried -> use.apply(tried, null));
        List<Duration> bad = new ArrayList<>(List.of(Duration.ofNanos(-1), TOO_LONG));
        if (!zeroAllowed) {
            bad.add(Duration.ZERO);
        }
        for (Duration value : bad) {
            cases.add(thrown(method, value.toString(), ILLEGAL, tried -> use.apply(tried, value),
                    argument + " " + value + ": must be"));
        }
    }

    private void hooksAndStop() {
        missing("UcxClient.doOnConnected(Consumer)", "action", tried -> tried.client().doOnConnected(null));
        missing("UcxClient.doOnDisconnected(Consumer)", "action", tried -> tried.client().doOnDisconnected(null));
        missing("UcxServer.doOnConnection(Consumer)", "action", tried -> tried.server().doOnConnection(null));
        missing("UcxClient.connect(Function)", "wrap", tried -> tried.client().connect(null));
        missing("UcxServer.bind(Function)", "wrap", tried -> tried.server().bind(null));
        count("UcxServer.maxConnectionsPerClient(int)", "maxConnectionsPerClient",
                1, (tried, value) -> tried.server().maxConnectionsPerClient(value));
        count("UcxServer.maxConnections(int)", "maxConnections",
                1, (tried, value) -> tried.server().maxConnections(value));
        String stop = "UcxBoundServer.disposeLater(Duration,Duration)";
        time(stop, "timeout", false, (tried, value) -> tried.peers.server().disposeLater(Duration.ZERO, value));
        time(stop, "gracePeriod", true, (tried, value) -> tried.peers.server()
                .disposeLater(value, Duration.ofMinutes(1)));
        cases.add(thrown(stop, "more grace than time", ILLEGAL, tried -> tried.peers.server()
                .disposeLater(Duration.ofSeconds(3),
                Duration.ofSeconds(2)), "gracePeriod PT3S: must be in 0..timeout, PT2S"));
    }

    private static UcxReconnectingClient reconnecting(Tried tried) {
        return tried.client().reconnect(Retry.max(0));
    }

    private static <T> T withReconnecting(Tried tried, Function<UcxReconnectingConnection, T> use) {
        UcxReconnectingConnection connection = reconnecting(tried).connectNow(Waits.PATIENCE);
        try {
            return use.apply(connection);
        } finally {
            connection.disposeNow(Waits.PATIENCE);
        }
    }

    private void reconnecting() {
        missing("UcxClient.reconnect(Retry)", "retry", tried -> tried.client().reconnect(null));
        count("UcxReconnectingClient.pendingMaxCount(int)", "pendingMaxCount",
                0, (tried, value) -> reconnecting(tried).pendingMaxCount(value));
        time("UcxReconnectingClient.pendingTimeout(Duration)", "pendingTimeout", false,
                (tried, value) -> reconnecting(tried).pendingTimeout(value));
        missing("UcxReconnectingClient.onConnected(Function)", "setup", tried -> reconnecting(tried).onConnected(null));
        String wait = "UcxReconnectingClient.connectNow(Duration)";
        missing(wait, "timeout", tried -> reconnecting(tried).connectNow(null));
        cases.add(thrown(wait, "0", ILLEGAL, tried -> reconnecting(tried).connectNow(Duration.ZERO),
                "timeout PT0S: must be"));
        missing("UcxReconnectingConnection.withConnection(Function)", "use",
                tried -> withReconnecting(tried, connection -> connection.withConnection(null)));
        missing("UcxReconnectingConnection.withConnectionMany(Function)", "use",
                tried -> withReconnecting(tried, connection -> connection.withConnectionMany(null)));
        cases.add(thrown("UcxReconnectingConnection.disposeNow(Duration)", "0",
                ILLEGAL, tried -> withReconnecting(tried, connection -> {
                    connection.disposeNow(Duration.ZERO);
                    return connection;
                }), "timeout PT0S: must be"));
    }

    private static UcxConnectionPoolBuilder builder(Tried tried) {
        return UcxConnectionPool.builder(tried.client());
    }

    private static Object withPool(Tried tried, Function<UcxConnectionPool, Object> use) {
        UcxConnectionPool pool = builder(tried).build();
        try {
            return Objects.requireNonNull(use.apply(pool));
        } finally {
            pool.disposeNow(Waits.PATIENCE);
        }
    }

    private void pool() {
        missing("UcxConnectionPool.builder(UcxClient)", "client", tried -> UcxConnectionPool.builder(null));
        count("UcxConnectionPoolBuilder.minConnections(int)", "minConnections",
                0, (tried, value) -> builder(tried).minConnections(value));
        count("UcxConnectionPoolBuilder.maxConnections(int)", "maxConnections",
                1, (tried, value) -> builder(tried).maxConnections(value));
        count("UcxConnectionPoolBuilder.pendingAcquireMaxCount(int)", "pendingAcquireMaxCount", 0,
                (tried, value) -> builder(tried).pendingAcquireMaxCount(value));
        time("UcxConnectionPoolBuilder.pendingAcquireTimeout(Duration)", "pendingAcquireTimeout", false,
                (tried, value) -> builder(tried).pendingAcquireTimeout(value));
        time("UcxConnectionPoolBuilder.maxIdleTime(Duration)", "maxIdleTime",
                false, (tried, value) -> builder(tried).maxIdleTime(value));
        time("UcxConnectionPoolBuilder.maxLifeTime(Duration)", "maxLifeTime",
                false, (tried, value) -> builder(tried).maxLifeTime(value));
        time("UcxConnectionPoolBuilder.evictInBackground(Duration)", "evictInBackground", true,
                (tried, value) -> builder(tried).evictInBackground(value));
        cases.add(thrown("UcxConnectionPoolBuilder.build()", "more at least than at most", ILLEGAL,
                tried -> builder(tried).minConnections(2).maxConnections(1).build(), "minConnections 2",
                "maxConnections, 1"));
        time("UcxConnectionPool.disposeLater(Duration)", "gracePeriod", true,
                (tried, value) -> withPool(tried, pool -> pool.disposeLater(value)));
        missing("UcxConnectionPool.withConnection(Function)",
                "use", tried -> withPool(tried, pool -> pool.withConnection(null)));
        missing("UcxConnectionPool.withConnectionMany(Function)",
                "use", tried -> withPool(tried, pool -> pool.withConnectionMany(null)));
        String wait = "UcxConnectionPool.disposeNow(Duration)";
        cases.add(thrown(wait, "0", ILLEGAL, tried -> withPool(tried, pool -> {
            pool.disposeNow(Duration.ZERO);
            return pool;
        }), "timeout PT0S: must be"));
    }
}
