package io.reactorucx.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.UcxResources;
import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.connection.PeerStatistics;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.message.DropReason;
import io.reactorucx.message.MessageStatistics;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Binds the meters of some resources to a registry. Nothing is added to the path of a message: the meters read counters
 * that the engines keep anyway, when the registry is scraped.
 *
 * <p>A module that uses this class also says {@code requires micrometer.core}.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold the resources weakly. <b>Errors:</b> none.
 */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class UcxMetrics implements MeterBinder {

    private final UcxResources resources;
    private final Tags common;

    /**
     * Meters of the only resources that are shown in a registry.
     *
     * @param resources what to show
     */
    public UcxMetrics(UcxResources resources) {
        this(resources, Tags.empty());
    }

    /**
     * Meters of some resources. A registry keeps the first of several meters that are called the same and have the same
     * tags.
     *
     * @param resources what to show
     * @param tags what tells their meters from those of other resources
     */
    public UcxMetrics(UcxResources resources, Iterable<Tag> tags) {
        this.resources = Objects.requireNonNull(resources, "resources");
        this.common = Tags.of(Objects.requireNonNull(tags, "tags"));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        gauge(registry, UcxMeters.CONNECTIONS, resources, common, UcxResources::openConnections);
        gauge(registry, UcxMeters.IDLE_ENDPOINTS, resources, common, UcxResources::idleEndpoints);
        gauge(registry, UcxMeters.IDLE_ENDPOINTS_LIMIT, resources, common, UcxResources::maxIdleEndpoints);
        gauge(registry, UcxMeters.PARKED_ENDPOINTS, resources, common, UcxResources::parkedEndpoints);
        gauge(registry, UcxMeters.PARKED_ENDPOINTS_LIMIT, resources, common, UcxResources::maxParkedEndpoints);
        gauge(registry, UcxMeters.PENDING_HANDSHAKES, resources, common, UcxResources::pendingHandshakes);
        counter(registry, UcxMeters.FAILED_HANDSHAKES, resources, common, UcxResources::failedHandshakes);
        gauge(registry, UcxMeters.QUEUED_AUTHENTICATIONS, resources, common, UcxResources::queuedAuthentications);
        counter(registry, UcxMeters.REFUSED_AUTHENTICATIONS, resources, common, UcxResources::refusedAuthentications);
        connections(registry);
        gauge(registry, UcxMeters.REGISTERED_BYTES, resources, common, shown -> shown.context().registeredBytes());
        gauge(registry, UcxMeters.LEASED_BYTES, resources, common, shown -> shown.buffers().leasedBytes());
        gauge(registry, UcxMeters.SLAB_BYTES, resources, common, shown -> shown.buffers().slabBytes());
        gauge(registry, UcxMeters.BUFFER_LIMIT, resources, common, shown -> shown.buffers().maxBytes());
        gauge(registry, UcxMeters.BUFFER_WAITERS, resources, common, shown -> shown.buffers().waiters());
        gauge(registry, UcxMeters.MAPPED_BYTES, resources, common, shown -> shown.buffers().mappedBytes());
        gauge(registry, UcxMeters.MAPPED_LIMIT, resources, common, shown -> shown.buffers().maxMappedBytes());
        counter(registry, UcxMeters.REFUSED_MAPPINGS, resources, common, shown -> shown.buffers().refusedMappings());
        counter(registry, UcxMeters.OFFERED_MESSAGES, resources, common, shown -> shown.buffers().offeredMessages());
        counter(registry, UcxMeters.COPIED_MESSAGES, resources, common, shown -> shown.buffers().copiedMessages());
        counter(registry, UcxMeters.LEAKED_BUFFERS, resources, common, shown -> shown.buffers().leakedLeases());
        counter(registry, UcxMeters.LEAKED_MESSAGES, resources, common, UcxResources::leakedMessages);
        for (DropReason reason : DropReason.values()) {
            Tags ofReason = common.and(UcxMeters.Tag.REASON.asString(), reason.name().toLowerCase(Locale.ROOT));
            counter(registry, UcxMeters.DROPPED_MESSAGES, resources, ofReason, shown -> shown.droppedMessages(reason));
        }
        memory(registry);
        for (int i = 0; i < resources.engines().size(); i++) {
            ProgressEngine engine = resources.engines().get(i);
            Tags tags = common.and(UcxMeters.Tag.ENGINE.asString(), engine.name());
            new UcxEngineMetrics(engine, common).bindTo(registry);
            peers(registry, i, tags);
            messages(registry, i, tags);
        }
    }

    private void messages(MeterRegistry registry, int engine, Tags tags) {
        counter(registry, UcxMeters.MESSAGES_SENT, resources, tags, message(engine, MessageStatistics::sent));
        counter(registry, UcxMeters.MESSAGES_RECEIVED, resources, tags, message(engine, MessageStatistics::received));
        counter(registry, UcxMeters.MESSAGE_BATCHES, resources, tags, message(engine, MessageStatistics::batches));
        gauge(registry, UcxMeters.MESSAGE_CREDIT, resources, tags, message(engine, MessageStatistics::sendCredit));
        gauge(registry, UcxMeters.MESSAGE_HELD_BYTES, resources, tags,
                message(engine, MessageStatistics::bufferedBytes));
        gauge(registry, UcxMeters.STREAMS, resources, tags, message(engine, MessageStatistics::openStreams));
        gauge(registry, UcxMeters.WAITING_REQUESTS, resources, tags,
                message(engine, MessageStatistics::waitingRequests));
        counter(registry, UcxMeters.VIOLATIONS, resources, tags, message(engine, MessageStatistics::violations));
        counter(registry, UcxMeters.DROPPED_REQUESTS, resources, tags,
                message(engine, MessageStatistics::droppedRequests));
    }

    private static ToDoubleFunction<UcxResources> message(int engine, ToLongFunction<MessageStatistics> value) {
        return shown -> value.applyAsLong(shown.messageStatistics().get(engine));
    }

    private void peers(MeterRegistry registry, int engine, Tags tags) {
        PeerStatistics now = resources.peerStatistics().get(engine);
        counter(registry, UcxMeters.MISSED_HEARTBEATS, resources, tags,
                shown -> shown.peerStatistics().get(engine).missedHeartbeats());
        now.lostConnections().keySet().forEach(cause -> counter(registry, UcxMeters.LOST_CONNECTIONS, resources,
                tags.and(UcxMeters.Tag.CAUSE.asString(), cause),
                shown -> shown.peerStatistics().get(engine).lostConnections().get(cause)));
        now.rejectedHandshakes().keySet().forEach(reason -> counter(registry, UcxMeters.REFUSED_HANDSHAKES, resources,
                tags.and(UcxMeters.Tag.REASON.asString(), reason),
                shown -> shown.peerStatistics().get(engine).rejectedHandshakes().get(reason)));
    }

    private void connections(MeterRegistry registry) {
        gauge(registry, UcxMeters.SERVER_CONNECTIONS_LIMIT, resources, common,
                connection(ConnectionStatistics::maxServerConnections));
        counter(registry, UcxMeters.REJECTED_CONNECTIONS, resources, common,
                connection(ConnectionStatistics::rejectedConnections));
        counter(registry, UcxMeters.RECONNECTS, resources, common, connection(ConnectionStatistics::reconnects));
        gauge(registry, UcxMeters.PENDING_RECONNECTS, resources, common,
                connection(ConnectionStatistics::pendingReconnects));
        gauge(registry, UcxMeters.ACQUIRED_CONNECTIONS, resources, common,
                connection(ConnectionStatistics::acquiredConnections));
        gauge(registry, UcxMeters.IDLE_CONNECTIONS, resources, common,
                connection(ConnectionStatistics::idleConnections));
        gauge(registry, UcxMeters.PENDING_ACQUIRES, resources, common,
                connection(ConnectionStatistics::pendingAcquires));
        gauge(registry, UcxMeters.POOLED_CONNECTIONS_LIMIT, resources, common,
                connection(ConnectionStatistics::maxPooledConnections));
    }

    private static ToDoubleFunction<UcxResources> connection(ToLongFunction<ConnectionStatistics> value) {
        return shown -> value.applyAsLong(shown.connectionStatistics());
    }

    private void memory(MeterRegistry registry) {
        String outcome = UcxMeters.Tag.OUTCOME.asString();
        gauge(registry, UcxMeters.MEMORY_WINDOWS, resources, common, shown -> shown.servedMemory().windows());
        gauge(registry, UcxMeters.MEMORY_WINDOW_LIMIT, resources, common, shown -> shown.servedMemory().maxWindows());
        counter(registry, UcxMeters.MEMORY_REQUESTS, resources,
                common.and(outcome, "success"), shown -> shown.servedMemory().served());
        counter(registry, UcxMeters.MEMORY_REQUESTS, resources,
                common.and(outcome, "error"), shown -> shown.servedMemory().refused());
        counter(registry, UcxMeters.MEMORY_BYTES, resources, common, shown -> shown.servedMemory().bytes());
        counter(registry, UcxMeters.MEMORY_VIOLATIONS, resources, common, shown -> shown.servedMemory().violations());
    }

    private static <T> void gauge(MeterRegistry registry, UcxMeters meter, T source, Tags tags,
            ToDoubleFunction<T> value) {
        Gauge.builder(meter.getName(), source, value).tags(tags).register(registry);
    }

    private static <T> void counter(MeterRegistry registry, UcxMeters meter, T source, Tags tags,
            ToDoubleFunction<T> value) {
        FunctionCounter.builder(meter.getName(), source, value).tags(tags).register(registry);
    }
}
