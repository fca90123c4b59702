package io.reactorucx.metrics;

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
        UcxMeters.CONNECTIONS.gauge(registry, resources, common, UcxResources::openConnections);
        UcxMeters.IDLE_ENDPOINTS.gauge(registry, resources, common, UcxResources::idleEndpoints);
        UcxMeters.IDLE_ENDPOINTS_LIMIT.gauge(registry, resources, common, UcxResources::maxIdleEndpoints);
        UcxMeters.PARKED_ENDPOINTS.gauge(registry, resources, common, UcxResources::parkedEndpoints);
        UcxMeters.PARKED_ENDPOINTS_LIMIT.gauge(registry, resources, common, UcxResources::maxParkedEndpoints);
        UcxMeters.PENDING_HANDSHAKES.gauge(registry, resources, common, UcxResources::pendingHandshakes);
        UcxMeters.FAILED_HANDSHAKES.counter(registry, resources, common, UcxResources::failedHandshakes);
        UcxMeters.QUEUED_AUTHENTICATIONS.gauge(registry, resources, common, UcxResources::queuedAuthentications);
        UcxMeters.REFUSED_AUTHENTICATIONS.counter(registry, resources, common, UcxResources::refusedAuthentications);
        connections(registry);
        UcxMeters.REGISTERED_BYTES.gauge(registry, resources, common, shown -> shown.context().registeredBytes());
        UcxMeters.LEASED_BYTES.gauge(registry, resources, common, shown -> shown.buffers().leasedBytes());
        UcxMeters.SLAB_BYTES.gauge(registry, resources, common, shown -> shown.buffers().slabBytes());
        UcxMeters.BUFFER_LIMIT.gauge(registry, resources, common, shown -> shown.buffers().maxBytes());
        UcxMeters.BUFFER_WAITERS.gauge(registry, resources, common, shown -> shown.buffers().waiters());
        UcxMeters.MAPPED_BYTES.gauge(registry, resources, common, shown -> shown.buffers().mappedBytes());
        UcxMeters.MAPPED_LIMIT.gauge(registry, resources, common, shown -> shown.buffers().maxMappedBytes());
        UcxMeters.REFUSED_MAPPINGS.counter(registry, resources, common, shown -> shown.buffers().refusedMappings());
        UcxMeters.OFFERED_MESSAGES.counter(registry, resources, common, shown -> shown.buffers().offeredMessages());
        UcxMeters.COPIED_MESSAGES.counter(registry, resources, common, shown -> shown.buffers().copiedMessages());
        UcxMeters.LEAKED_BUFFERS.counter(registry, resources, common, shown -> shown.buffers().leakedLeases());
        UcxMeters.LEAKED_MESSAGES.counter(registry, resources, common, UcxResources::leakedMessages);
        for (DropReason reason : DropReason.values()) {
            Tags ofReason = common.and(UcxMeters.Tag.REASON.asString(), reason.name().toLowerCase(Locale.ROOT));
            UcxMeters.DROPPED_MESSAGES.counter(registry, resources, ofReason, shown -> shown.droppedMessages(reason));
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
        UcxMeters.MESSAGES_SENT.counter(registry, resources, tags, message(engine, MessageStatistics::sent));
        UcxMeters.MESSAGES_RECEIVED.counter(registry, resources, tags, message(engine, MessageStatistics::received));
        UcxMeters.MESSAGE_BATCHES.counter(registry, resources, tags, message(engine, MessageStatistics::batches));
        UcxMeters.MESSAGE_CREDIT.gauge(registry, resources, tags, message(engine, MessageStatistics::sendCredit));
        UcxMeters.MESSAGE_HELD_BYTES.gauge(registry, resources, tags,
                message(engine, MessageStatistics::bufferedBytes));
        UcxMeters.STREAMS.gauge(registry, resources, tags, message(engine, MessageStatistics::openStreams));
        UcxMeters.WAITING_REQUESTS.gauge(registry, resources, tags,
                message(engine, MessageStatistics::waitingRequests));
        UcxMeters.VIOLATIONS.counter(registry, resources, tags, message(engine, MessageStatistics::violations));
        UcxMeters.DROPPED_REQUESTS.counter(registry, resources, tags,
                message(engine, MessageStatistics::droppedRequests));
    }

    private static ToDoubleFunction<UcxResources> message(int engine, ToLongFunction<MessageStatistics> value) {
        return shown -> value.applyAsLong(shown.messageStatistics().get(engine));
    }

    private void peers(MeterRegistry registry, int engine, Tags tags) {
        PeerStatistics now = resources.peerStatistics().get(engine);
        UcxMeters.MISSED_HEARTBEATS.counter(registry, resources, tags,
                shown -> shown.peerStatistics().get(engine).missedHeartbeats());
        now.lostConnections().keySet().forEach(cause -> UcxMeters.LOST_CONNECTIONS.counter(registry, resources,
                tags.and(UcxMeters.Tag.CAUSE.asString(), cause),
                shown -> shown.peerStatistics().get(engine).lostConnections().get(cause)));
        now.rejectedHandshakes().keySet().forEach(reason -> UcxMeters.REFUSED_HANDSHAKES.counter(registry, resources,
                tags.and(UcxMeters.Tag.REASON.asString(), reason),
                shown -> shown.peerStatistics().get(engine).rejectedHandshakes().get(reason)));
    }

    private void connections(MeterRegistry registry) {
        UcxMeters.SERVER_CONNECTIONS_LIMIT.gauge(registry, resources, common,
                connection(ConnectionStatistics::maxServerConnections));
        UcxMeters.REJECTED_CONNECTIONS.counter(registry, resources, common,
                connection(ConnectionStatistics::rejectedConnections));
        UcxMeters.RECONNECTS.counter(registry, resources, common, connection(ConnectionStatistics::reconnects));
        UcxMeters.PENDING_RECONNECTS.gauge(registry, resources, common,
                connection(ConnectionStatistics::pendingReconnects));
        UcxMeters.ACQUIRED_CONNECTIONS.gauge(registry, resources, common,
                connection(ConnectionStatistics::acquiredConnections));
        UcxMeters.IDLE_CONNECTIONS.gauge(registry, resources, common,
                connection(ConnectionStatistics::idleConnections));
        UcxMeters.PENDING_ACQUIRES.gauge(registry, resources, common,
                connection(ConnectionStatistics::pendingAcquires));
        UcxMeters.POOLED_CONNECTIONS_LIMIT.gauge(registry, resources, common,
                connection(ConnectionStatistics::maxPooledConnections));
    }

    private static ToDoubleFunction<UcxResources> connection(ToLongFunction<ConnectionStatistics> value) {
        return shown -> value.applyAsLong(shown.connectionStatistics());
    }

    private void memory(MeterRegistry registry) {
        String outcome = UcxMeters.Tag.OUTCOME.asString();
        UcxMeters.MEMORY_WINDOWS.gauge(registry, resources, common, shown -> shown.servedMemory().windows());
        UcxMeters.MEMORY_WINDOW_LIMIT.gauge(registry, resources, common, shown -> shown.servedMemory().maxWindows());
        UcxMeters.MEMORY_REQUESTS.counter(registry, resources,
                common.and(outcome, "success"), shown -> shown.servedMemory().served());
        UcxMeters.MEMORY_REQUESTS.counter(registry, resources,
                common.and(outcome, "error"), shown -> shown.servedMemory().refused());
        UcxMeters.MEMORY_BYTES.counter(registry, resources, common, shown -> shown.servedMemory().bytes());
        UcxMeters.MEMORY_VIOLATIONS.counter(registry, resources, common, shown -> shown.servedMemory().violations());
    }
}
