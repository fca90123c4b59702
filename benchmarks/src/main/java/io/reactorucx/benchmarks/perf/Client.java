package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.benchmarks.WarmUp;
import io.reactorucx.benchmarks.perf.load.EngineRounds;
import io.reactorucx.benchmarks.perf.load.FixedRate;
import io.reactorucx.benchmarks.perf.load.Load;
import io.reactorucx.benchmarks.perf.load.Pace;
import io.reactorucx.benchmarks.perf.load.TimerThread;
import io.reactorucx.benchmarks.turns.TurnRecorder;
import io.reactorucx.engine.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Connects, warms up, measures, and ends the server. */
final class Client {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Setup setup;
    private final EngineOptions options;
    private final String host;
    private final int port;
    /** The loads, each with the id of its engine's thread. */
    private final Map<Load, Long> loads = new LinkedHashMap<>();
    private final List<String> transports = new ArrayList<>();
    private final Set<Long> threads = ConcurrentHashMap.newKeySet();
    private long sent;

    Client(Setup setup, EngineOptions options, String host, int port) {
        this.setup = setup;
        this.options = options;
        this.host = host;
        this.port = port;
    }

    PerfResult measure(Duration warmUp, Duration measured, double rate) {
        return measureTurns(warmUp, warmUp, measured, rate, null);
    }

    /**
     * Measures while this process is stopped and continued.
     *
     * @param longest as long as the warm-up may take until the compilers of both sides have little to do
     * @param rate scheduled operations per second, 0 for a closed loop
     * @param turns records each turn of the measurement; null without turns
     */
    PerfResult measureTurns(Duration warmUp, Duration longest, Duration measured, double rate,
            @Nullable TurnRecorder turns) {
        setup.checkHere(options.peerErrors());
        try (ControlChannel server = ControlChannel.connect(host, port)) {
            try {
                int data = Integer.parseInt(server.ask("test", setup.toLine()));
                UcxResources resources = options.resources(setup);
                try {
                    connect(resources, data, rate, server);
                    warmUp(warmUp.dividedBy(WarmUp.PARTS), longest, rate, server);
                    if (turns != null) {
                        loads.keySet().forEach(load -> load.takeTurns(turns));
                        turns.start(System.nanoTime());
                    }
                    PerfResult result = measure(measured, rate, server);
                    if (turns != null) {
                        turns.endTurn();
                    }
                    return result;
                } finally {
                    resources.disposeNow();
                }
            } finally {
                server.sayLast("quit");
            }
        }
    }

    private void warmUp(Duration part, Duration longest, double rate, ControlChannel server) {
        if (part.isZero()) {
            return;
        }
        WarmUp parts = new WarmUp(longest.dividedBy(part));
        while (parts.goesOn()) {
            PerfResult result = measure(part, rate, server);
            parts.ended(result.elapsedNanos(), Math.max(result.client().compiledNanos(),
                    result.server().compiledNanos()));
        }
    }

    private void connect(UcxResources resources, int data, double rate, ControlChannel server) {
        UcxClient client = options.with(UcxClient.create(resources), setup).remoteAddress(host, data);
        for (int number = 0; number < setup.connections(); number++) {
            UcxConnection connection = client.connectNow();
            LoadMaker maker = new LoadMaker(setup, connection, number, server.ask("connected",
                    Integer.toString(number)));
            Load load = rate == 0 ? maker.closedLoop() : maker.fixedRate(rate / setup.connections(), pace(connection));
            connection.onTerminate().subscribe(ignored -> { }, load::failed);
            loads.put(load, onEngine(connection));
            threads.addAll(loads.values());
            if (transports.isEmpty()) {
                transports.addAll(connection.transports());
            }
        }
    }

    private static long onEngine(UcxConnection connection) {
        Long id = Mono.fromCallable(() -> Thread.currentThread().threadId()).subscribeOn(connection.scheduler())
                .block(TIMEOUT);
        return id == null ? -1 : id;
    }

    private Pace pace(UcxConnection connection) {
        if (options.waitStrategy() == WaitStrategy.BUSY_SPIN) {
            return new EngineRounds(connection.resources());
        }
        TimerThread timer = new TimerThread(connection);
        threads.add(timer.threadId());
        return timer;
    }

    private PerfResult measure(Duration time, double rate, ControlChannel server) {
        ProcessUse serverBefore = ProcessUse.ofLine(server.ask("use", ""));
        ProcessUse before = ProcessUse.now(threads);
        long begun = System.nanoTime();
        Histogram times = run(time, server);
        long elapsed = System.nanoTime() - begun;
        ProcessUse client = ProcessUse.now(threads).since(before);
        ProcessUse served = ProcessUse.ofLine(server.ask("use", "")).since(serverBefore);
        long operations = loads.keySet().stream().mapToLong(Load::operations).sum();
        boolean reached = loads.keySet().stream().allMatch(load -> !(load instanceof FixedRate fixed)
                || fixed.isReached());
        return new PerfResult(setup, transports, options.peerErrors(), operations, elapsed, times, client, served, rate,
                reached);
    }

    /** Runs all loads for a time, and waits until the server has received everything. */
    private @Nullable Histogram run(Duration time, ControlChannel server) {
        boolean timed = setup.mode() == PerfMode.LATENCY;
        // One histogram for each engine, written by its thread and large enough never to grow.
        Map<Long, Histogram> times = new HashMap<>();
        if (timed) {
            loads.values().forEach(engine -> times.computeIfAbsent(engine, number -> Load.histogram()));
        }
        Flux.fromIterable(loads.entrySet()).flatMap(load -> load.getKey().run(time, times.get(load.getValue())),
                loads.size()).blockLast(time.multipliedBy(3).plus(TIMEOUT));
        sent += loads.keySet().stream().mapToLong(Load::operations).sum();
        if (!timed && setup.test().isOneWay()) {
            server.ask("drain", Long.toString(sent));
        }
        return times.values().stream().reduce((sum, each) -> {
            sum.add(each);
            return sum;
        }).orElse(null);
    }
}
