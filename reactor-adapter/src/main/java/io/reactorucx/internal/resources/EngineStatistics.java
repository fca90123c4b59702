package io.reactorucx.internal.resources;

import io.reactorucx.connection.UcxStatistics;
import io.reactorucx.engine.EngineCounters;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.message.MessageProtocolFactory;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.memory.ServedMemoryStatistics.Requests;
import io.reactorucx.message.RequestStatistics;
import io.reactorucx.message.TrafficStatistics;
import io.reactorucx.transport.connect.ConnectingEngine;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.handshake.FairLimit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Puts together what the parts of engines count. Any thread. */
final class EngineStatistics implements UcxStatistics {

    /** Stands for all peers that have connected by the address of their worker, which names no host. */
    private static final String BY_WORKER = "worker";
    private static final int MAX_EVERY = 1_000_000;

    private static final Timing NO_TIMING = new Timing(0, number -> (side, outcome, nanos) -> { });

    private final EngineResources resources;
    private final Sinks.Many<Integer> added = Sinks.many().multicast().directBestEffort();
    private Timing timing = NO_TIMING;

    /** How the times of requests are measured. */
    private record Timing(int every, IntFunction<RequestStatistics.Recorder> recorder) {
    }

    EngineStatistics(EngineResources resources) {
        this.resources = resources;
    }

    @Override
    public long unboundEndpoints() {
        return resources.limits().unboundEndpoints().count();
    }

    @Override
    public long maxUnboundEndpoints() {
        return resources.limits().unboundEndpoints().limit();
    }

    @Override
    public List<TrafficStatistics> traffic(TrafficStatistics.Api api) {
        Objects.requireNonNull(api, "api");
        return resources.engines().stream().map(engine -> traffic(engine, api)).toList();
    }

    @Override
    public List<RequestStatistics> requests(RequestStatistics.Side side) {
        Objects.requireNonNull(side, "side");
        return resources.engines().stream().map(engine -> messages(engine).requests().snapshot(side)).toList();
    }

    @Override
    public synchronized void recordRequestTimes(int every, IntFunction<RequestStatistics.Recorder> recorder) {
        Objects.requireNonNull(recorder, "recorder");
        if (every < 0 || every > MAX_EVERY) {
            throw new IllegalArgumentException("every " + every + ": must be in 0.." + MAX_EVERY);
        }
        timing = new Timing(every, recorder);
        for (int i = 0; i < resources.engines().size(); i++) {
            record(i);
        }
    }

    private void record(int engine) {
        messages(resources.engines().get(engine)).requests().record(timing.every,
                Objects.requireNonNull(timing.recorder.apply(engine), "recorder"));
    }

    /** The last engines are new. */
    void added(List<ConnectingEngine> engines) {
        int count = resources.engines().size();
        for (int i = count - engines.size(); i < count; i++) {
            synchronized (this) {
                record(i);
            }
            added.tryEmitNext(i);
        }
    }

    @Override
    public Flux<Integer> onEngineAdded() {
        return added.asFlux();
    }

    @Override
    public List<Requests> memoryAccesses(Access access, MemoryPath path) {
        Objects.requireNonNull(access, "access");
        if (path != MemoryPath.SERVED && path != MemoryPath.ONE_SIDED) {
            throw new IllegalArgumentException("path " + path + ": must be SERVED or ONE_SIDED");
        }
        return resources.engines().stream().map(engine -> accesses(engine, access, path)).toList();
    }

    @Override
    public Map<String, Integer> connectionsByHost() {
        Map<String, Integer> counts = new TreeMap<>();
        for (EngineConnections engine : resources.connections()) {
            for (ConnectionCore connection : engine.connections()) {
                counts.merge(host(connection.peer()), 1, Integer::sum);
            }
        }
        return counts;
    }

    @Override
    public Mono<Void> onEngineClosed(int engine) {
        return EndMono.of(resources.connections().get(Objects.checkIndex(engine, resources.engines().size()))
                .engineEnd());
    }

    @Override
    public ClientShare clientShare(SharedLimit of) {
        FairLimit limit = switch (of) {
            case IDLE_ENDPOINTS -> resources.limits().idleEndpoints();
            case PARKED_ENDPOINTS -> resources.limits().parkedEndpoints();
            case MAPPED_BYTES -> resources.limits().mappedBytes();
        };
        return new ClientShare(limit.largestCount(), limit.share());
    }

    @Override
    public int maxQueuedAuthentications() {
        return resources.serverAuthenticators().maxQueued() + resources.clientAuthenticators().maxQueued();
    }

    /** Returns the traffic of one part of the API: that of protocols, or of operations of UCX where each is a call. */
    private static TrafficStatistics traffic(ConnectingEngine engine, TrafficStatistics.Api api) {
        EngineCounters counters = engine.engine().counters();
        return switch (api) {
            case MESSAGES -> messages(engine).messages().snapshot();
            case REQUESTS -> messages(engine).requestMessages().snapshot();
            case ACTIVE_MESSAGES -> {
                TrafficStatistics arrived = counts(engine).activeMessages().snapshot();
                yield new TrafficStatistics(counters.succeeded(OperationKind.AM_SEND),
                        counters.bytes(OperationKind.AM_SEND), arrived.receivedMessages(),
                        arrived.receivedBytes() + counters.bytes(OperationKind.AM_FETCH));
            }
            case TAGS -> new TrafficStatistics(
                    counters.succeeded(OperationKind.TAG_SEND) + counters.succeeded(OperationKind.TAG_SEND_SYNC),
                    counters.bytes(OperationKind.TAG_SEND) + counters.bytes(OperationKind.TAG_SEND_SYNC),
                    counters.succeeded(OperationKind.TAG_RECEIVE), counters.bytes(OperationKind.TAG_RECEIVE));
            case STREAMS -> new TrafficStatistics(counters.succeeded(OperationKind.STREAM_SEND),
                    counters.bytes(OperationKind.STREAM_SEND), counters.succeeded(OperationKind.STREAM_RECEIVE),
                    counters.bytes(OperationKind.STREAM_RECEIVE));
        };
    }

    /** Returns the accesses to memory of peers: all are operations, and those that peers serve are counted apart. */
    private static Requests accesses(ConnectingEngine engine, Access access, MemoryPath path) {
        ProtocolCounters counts = counts(engine);
        if (path == MemoryPath.SERVED) {
            return new Requests(counts.served(access), 0, counts.servedBytes(access));
        }
        OperationKind kind = switch (access) {
            case PUT -> OperationKind.PUT;
            case GET -> OperationKind.GET;
            case ATOMIC -> OperationKind.ATOMIC;
        };
        EngineCounters counters = engine.engine().counters();
        return new Requests(counts.oneSided(access, counters.succeeded(kind)), 0,
                counts.oneSidedBytes(access, counters.bytes(kind)));
    }

    private static ProtocolCounters counts(ConnectingEngine engine) {
        return engine.protocol(MessageProtocolFactory.class).counts();
    }

    private static MessageCounters messages(ConnectingEngine engine) {
        return engine.protocol(MessageProtocolFactory.class).counters();
    }

    private static String host(String peer) {
        int port = peer.lastIndexOf(':');
        return port < 0 ? BY_WORKER : peer.substring(0, port);
    }
}
