package io.reactorucx.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactorucx.UcxResources;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.message.RequestStatistics;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.TrafficStatistics;
import io.reactorucx.message.TrafficStatistics.Api;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.PeerStatistics;
import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.metrics.BoundMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The meters of one engine of some resources that are not those of every engine. */
final class EngineMeters {

    private static final List<String> STALLED_OPERATIONS = List.of("handler", "request", "message", "ucp", "memory",
            "connection", "connect", "engine");
    private static final double NANOS_PER_SECOND = 1e9;

    private static final List<Double> PHI = List.of(0.5, 0.9, 0.99, 0.999, 1.0);

    private final int engine;
    private final Tags tags;

    EngineMeters(int engine, Tags tags) {
        this.engine = engine;
        this.tags = tags;
    }

    /** The times of requests, which all registries of the same resources show. */
    record Times(Map<Integer, RequestTimes> ofEngines) {

        /** The resources do not hold what is bound to them, and the times do not hold the resources. */
        private static final Map<UcxResources, Times> KNOWN = new WeakHashMap<>();

        /** Begins to time each nth request. Returns null for 0. */
        static @Nullable Times of(UcxResources resources, int every) {
            if (every == 0) {
                resources.statistics().recordRequestTimes(0, number -> (side, outcome, nanos) -> { });
                return null;
            }
            synchronized (KNOWN) {
                Times times = KNOWN.computeIfAbsent(resources, any -> new Times(new ConcurrentHashMap<>()));
                resources.statistics().recordRequestTimes(every, times::of);
                return times;
            }
        }

        private RequestTimes of(int engine) {
            return ofEngines.computeIfAbsent(engine, number -> new RequestTimes());
        }
    }

    /** Binds the meters until the engine has closed. */
    void bind(MeterRegistry registry, UcxResources resources, @Nullable Times times, MetersBinding binding) {
        BoundMeters<UcxResources> meters = new BoundMeters<>(registry, resources);
        Mono<Void> closed = resources.statistics().onEngineClosed(engine);
        binding.addUntil(closed, meters.removal());
        traffic(meters);
        requests(meters);
        messages(meters);
        peers(meters, resources);
        memory(meters);
        stalls(meters);
        rings(meters);
        encryption(meters);
        if (times != null) {
            times(registry, times.of(engine), closed, binding);
        }
    }

    private void traffic(BoundMeters<UcxResources> meters) {
        for (Api api : Api.values()) {
            Tags of = UcxMetrics.with(tags, UcxMeters.Tag.API, api);
            meters.counter(UcxMeters.SENT_MESSAGES, of, traffic(api, TrafficStatistics::sentMessages));
            meters.counter(UcxMeters.SENT_BYTES, of, traffic(api, TrafficStatistics::sentBytes));
            meters.counter(UcxMeters.RECEIVED_MESSAGES, of, traffic(api, TrafficStatistics::receivedMessages));
            meters.counter(UcxMeters.RECEIVED_BYTES, of, traffic(api, TrafficStatistics::receivedBytes));
        }
    }

    private ToDoubleFunction<UcxResources> traffic(Api api, ToLongFunction<TrafficStatistics> value) {
        return shown -> value.applyAsLong(shown.statistics().traffic(api).get(engine));
    }

    private void requests(BoundMeters<UcxResources> meters) {
        for (Side side : Side.values()) {
            Tags ofSide = UcxMetrics.with(tags, UcxMeters.Tag.SIDE, side);
            meters.gauge(UcxMeters.REQUESTS_IN_FLIGHT, ofSide, request(side, RequestStatistics::inFlight));
            for (Outcome outcome : Outcome.values()) {
                meters.counter(UcxMeters.REQUESTS, UcxMetrics.with(ofSide, UcxMeters.Tag.OUTCOME, outcome),
                        request(side, now -> now.count(outcome)));
            }
        }
    }

    private ToDoubleFunction<UcxResources> request(Side side, ToLongFunction<RequestStatistics> value) {
        return shown -> value.applyAsLong(shown.statistics().requests(side).get(engine));
    }

    private void times(MeterRegistry registry, RequestTimes times, Mono<Void> closed, MetersBinding binding) {
        BoundMeters<RequestTimes> meters = new BoundMeters<>(registry, times);
        binding.addUntil(closed, meters.removal());
        for (Side side : Side.values()) {
            Tags ofSide = UcxMetrics.with(tags, UcxMeters.Tag.SIDE, side);
            for (Outcome outcome : Outcome.values()) {
                meters.timer(UcxMeters.REQUEST_TIME, UcxMetrics.with(ofSide, UcxMeters.Tag.OUTCOME, outcome),
                        shown -> shown.count(side, outcome), shown -> shown.nanos(side, outcome));
            }
            for (double phi : PHI) {
                meters.timeGauge(UcxMeters.REQUEST_PERCENTILES, ofSide.and(UcxMeters.Tag.PHI.asString(), text(phi)),
                        shown -> shown.percentile(side, phi));
            }
        }
    }

    private static String text(double phi) {
        return phi == 1 ? "1" : String.format(Locale.ROOT, "%s", phi);
    }

    private void messages(BoundMeters<UcxResources> meters) {
        meters.counter(UcxMeters.MESSAGE_BATCHES, tags, message(MessageStatistics::batches));
        meters.gauge(UcxMeters.MESSAGE_CREDIT, tags, message(MessageStatistics::sendCredit));
        meters.gauge(UcxMeters.MESSAGE_HELD_BYTES, tags, message(MessageStatistics::bufferedBytes));
        meters.gauge(UcxMeters.CREDIT_WAITERS, tags, message(MessageStatistics::creditWaiters));
        meters.timer(UcxMeters.CREDIT_WAIT, tags, shown -> now(shown).creditWaits(),
                message(MessageStatistics::creditWaitNanos));
        meters.gauge(UcxMeters.STREAMS, tags, message(MessageStatistics::openStreams));
        meters.gauge(UcxMeters.WAITING_REQUESTS, tags, message(MessageStatistics::waitingRequests));
        meters.counter(UcxMeters.DROPPED_REQUESTS, tags, message(MessageStatistics::droppedRequests));
        meters.counter(UcxMeters.VIOLATIONS, tags, message(MessageStatistics::violations));
        meters.counter(UcxMeters.FETCHED_OFFERS, tags, shown -> now(shown).fetchedOffers()
                + shown.engines().get(engine).counters().succeeded(OperationKind.AM_FETCH));
        meters.counter(UcxMeters.DROPPED_OFFERS, tags, message(MessageStatistics::droppedOffers));
    }

    private MessageStatistics now(UcxResources shown) {
        return shown.messageStatistics().get(engine);
    }

    private ToDoubleFunction<UcxResources> message(ToLongFunction<MessageStatistics> value) {
        return shown -> value.applyAsLong(now(shown));
    }

    private void peers(BoundMeters<UcxResources> meters, UcxResources resources) {
        PeerStatistics now = resources.peerStatistics().get(engine);
        meters.counter(UcxMeters.MISSED_HEARTBEATS, tags,
                shown -> shown.peerStatistics().get(engine).missedHeartbeats());
        now.liveConnections().keySet().forEach(state -> meters.gauge(UcxMeters.CONNECTIONS,
                tags.and(UcxMeters.Tag.STATE.asString(), state),
                shown -> shown.peerStatistics().get(engine).liveConnections().get(state)));
        now.establishedConnections().keySet().forEach(taken -> meters.gauge(UcxMeters.ESTABLISHED_CONNECTIONS,
                tags.and(UcxMeters.Tag.TRANSPORT.asString(), taken),
                shown -> shown.peerStatistics().get(engine).establishedConnections().get(taken)));
        now.lostConnections().keySet().forEach(cause -> meters.counter(UcxMeters.LOST_CONNECTIONS,
                tags.and(UcxMeters.Tag.CAUSE.asString(), cause),
                shown -> shown.peerStatistics().get(engine).lostConnections().get(cause)));
        now.rejectedHandshakes().keySet().forEach(reason -> meters.counter(UcxMeters.REFUSED_HANDSHAKES,
                tags.and(UcxMeters.Tag.REASON.asString(), reason),
                shown -> shown.peerStatistics().get(engine).rejectedHandshakes().get(reason)));
    }

    private void stalls(BoundMeters<UcxResources> meters) {
        String key = UcxMeters.Tag.OPERATION.asString();
        for (String operation : STALLED_OPERATIONS) {
            meters.counter(UcxMeters.STALLS, tags.and(key, operation),
                    shown -> shown.health().get(engine).stallsOf(operation));
        }
        meters.counter(UcxMeters.STALLS, tags.and(key, "other"), shown -> {
            EngineHealth health = shown.health().get(engine);
            return health.stalls() - STALLED_OPERATIONS.stream().mapToLong(health::stallsOf).sum();
        });
        meters.gauge(UcxMeters.LONGEST_STALL, tags,
                shown -> shown.health().get(engine).longestStall().toNanos() / NANOS_PER_SECOND);
    }

    private void rings(BoundMeters<UcxResources> meters) {
        meters.gauge(UcxMeters.RINGS, tags, ring(RingStatistics::pairs));
        meters.counter(UcxMeters.RING_SENT_RECORDS, tags, ring(RingStatistics::sentRecords));
        meters.counter(UcxMeters.RING_RECEIVED_RECORDS, tags, ring(RingStatistics::receivedRecords));
        meters.counter(UcxMeters.RING_WAITS, tags, ring(RingStatistics::waits));
        meters.counter(UcxMeters.RING_WAKE_UPS, tags, ring(RingStatistics::wakeUps));
        meters.counter(UcxMeters.DECLINED_RINGS, tags, ring(RingStatistics::declinedConnections));
    }

    private ToDoubleFunction<UcxResources> ring(ToLongFunction<RingStatistics> value) {
        return shown -> value.applyAsLong(shown.ringStatistics().get(engine));
    }

    private void encryption(BoundMeters<UcxResources> meters) {
        meters.counter(UcxMeters.ENCRYPTED_CONNECTIONS, tags, encrypted(EncryptionStatistics::encryptedConnections));
        meters.counter(UcxMeters.BROKEN_ENCRYPTION, tags, encrypted(EncryptionStatistics::brokenConnections));
        meters.counter(UcxMeters.SEALED_RECORDS, tags, encrypted(EncryptionStatistics::sealedRecords));
        meters.counter(UcxMeters.SEALED_BYTES, tags, encrypted(EncryptionStatistics::sealedBytes));
        meters.counter(UcxMeters.OPENED_RECORDS, tags, encrypted(EncryptionStatistics::openedRecords));
        meters.counter(UcxMeters.OPENED_BYTES, tags, encrypted(EncryptionStatistics::openedBytes));
        meters.gauge(UcxMeters.ENCRYPTION_MEMORY, tags, encrypted(EncryptionStatistics::memoryBytes));
    }

    private ToDoubleFunction<UcxResources> encrypted(ToLongFunction<EncryptionStatistics> value) {
        return shown -> value.applyAsLong(shown.encryptionStatistics().get(engine));
    }

    private void memory(BoundMeters<UcxResources> meters) {
        for (Access access : Access.values()) {
            for (MemoryPath path : List.of(MemoryPath.ONE_SIDED, MemoryPath.SERVED)) {
                Tags of = UcxMetrics.with(UcxMetrics.with(tags, UcxMeters.Tag.ACCESS, access), UcxMeters.Tag.PATH,
                        path);
                meters.counter(UcxMeters.MEMORY_ACCESSES, of,
                        shown -> shown.statistics().memoryAccesses(access, path).get(engine).served());
                meters.counter(UcxMeters.MEMORY_ACCESSED, of,
                        shown -> shown.statistics().memoryAccesses(access, path).get(engine).bytes());
            }
        }
    }
}
