package io.reactorucx.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.connection.UcxStatistics.SharedLimit;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.metrics.BoundMeters;
import io.reactorucx.transport.metrics.UcxEngineMetrics;
import io.reactorucx.transport.metrics.UcxMeters;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Binds the meters of some resources to a registry: those of {@link UcxMeters}. All but the times of requests are
 * counters that the engines keep anyway, and are read when the registry is asked; {@link #timingRequests(int)} says
 * which requests are timed. The meters of an engine that has closed, and of resources that have, are removed.
 *
 * <p>A module that uses this class also says {@code requires micrometer.core}. Times of requests need
 * {@code org.hdrhistogram:HdrHistogram}, which {@code micrometer-core} brings.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold the resources weakly; the resources hold the
 * registry until they close, or the binding is disposed of. <b>Errors:</b> {@link #bind} says which.
 */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class UcxMetrics implements MeterBinder {

    /** Which requests are timed unless {@link #timingRequests(int)} says otherwise: each so-manieth of an engine. */
    public static final int TIMED_EVERY = 128;

    private static final int MAX_PEERS = 10_000;
    private static final int MAX_EVERY = 1_000_000;

    private final UcxResources resources;
    private final Tags common;
    private final int timedEvery;
    private final int maxPeers;

    /**
     * Meters of the only resources that are shown in a registry.
     *
     * @param resources what to show
     */
    public UcxMetrics(UcxResources resources) {
        this(resources, Tags.empty());
    }

    /**
     * Meters of some resources, beside those of others in the same registry.
     *
     * @param resources what to show
     * @param tags what tells their meters from those of other resources
     */
    public UcxMetrics(UcxResources resources, Iterable<Tag> tags) {
        this(Objects.requireNonNull(resources, "resources"), Tags.of(Objects.requireNonNull(tags, "tags")),
                TIMED_EVERY, 0);
    }

    private UcxMetrics(UcxResources resources, Tags common, int timedEvery, int maxPeers) {
        this.resources = resources;
        this.common = common;
        this.timedEvery = timedEvery;
        this.maxPeers = maxPeers;
    }

    /**
     * Sets how many requests are timed. A request that is takes two readings of the clock and one entry in a histogram
     * on each side that times it; {@code docs/notes/performance.md} has the cost. An engine times at most 1024
     * requests at once. Resources have one setting: the last that was bound.
     *
     * @param every 1 for all requests, n for each nth of an engine, at most 1,000,000; 0 for none, and no such meters
     * @return a changed copy
     */
    public UcxMetrics timingRequests(int every) {
        if (every < 0 || every > MAX_EVERY) {
            throw new IllegalArgumentException("every " + every + ": must be in 0.." + MAX_EVERY);
        }
        return new UcxMetrics(resources, common, every, maxPeers);
    }

    /**
     * Shows the number of connections by the host of the peer, of which there is no such meter otherwise: strangers
     * would choose its tags.
     *
     * @param peers how many hosts are shown, 1 to 10,000; all others are {@code other}
     * @return a changed copy
     */
    public UcxMetrics showingPeers(int peers) {
        if (peers < 1 || peers > MAX_PEERS) {
            throw new IllegalArgumentException("maxPeers " + peers + ": must be in 1.." + MAX_PEERS);
        }
        return new UcxMetrics(resources, common, timedEvery, peers);
    }

    /** Binds the meters until the resources close, see {@link #bind}. */
    @Override
    public void bindTo(MeterRegistry registry) {
        bind(registry);
    }

    /**
     * Binds the meters. They take the place of those that were bound to the registry before, of the same resources with
     * the same tags.
     *
     * @param registry where they are registered; it is held until they are removed
     * @return removes the meters, which the resources do when they close
     * @throws IllegalStateException if the registry has the meters of other resources with the same tags
     */
    public Disposable bind(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        // Outside of the lock, because the engines may have to start.
        List<ProgressEngine> engines = resources.engines();
        return MetersBinding.replace(registry, common, resources, binding -> bind(registry, engines, binding));
    }

    private void bind(MeterRegistry registry, List<ProgressEngine> engines, MetersBinding binding) {
        BoundMeters<UcxResources> meters = new BoundMeters<>(registry, resources);
        binding.add(meters.removal());
        connections(meters);
        buffers(meters);
        meters.counter(UcxMeters.LEAKED_OFFERS, common, UcxResources::leakedMessages);
        for (DropReason reason : DropReason.values()) {
            meters.counter(UcxMeters.DROPPED_MESSAGES, with(common, UcxMeters.Tag.REASON, reason),
                    shown -> shown.droppedMessages(reason));
        }
        memory(meters);
        if (maxPeers > 0) {
            PeerMeters<UcxResources> peers = new PeerMeters<>(registry, common, maxPeers,
                    shown -> shown.statistics().connectionsByHost());
            binding.add(peers::removeAll);
            peers.bind(meters);
        }
        engines(registry, engines, binding);
        binding.addUntil(resources.onDispose(), binding::dispose);
    }

    private void engines(MeterRegistry registry, List<ProgressEngine> engines, MetersBinding binding) {
        EngineMeters.Times times = EngineMeters.Times.of(resources, timedEvery);
        for (int i = 0; i < engines.size(); i++) {
            engine(registry, i, engines.get(i), times, binding);
        }
        // The binding does not hold the resources.
        WeakReference<UcxResources> shown = new WeakReference<>(resources);
        binding.addWhen(resources.statistics().onEngineAdded(), i -> {
            UcxResources living = shown.get();
            if (living != null) {
                new UcxMetrics(living, common, timedEvery, maxPeers)
                        .engine(registry, i, living.engines().get(i), times, binding);
            }
        });
    }

    private void engine(MeterRegistry registry, int number, ProgressEngine engine, EngineMeters.@Nullable Times times,
            MetersBinding binding) {
        Mono<Void> closed = resources.statistics().onEngineClosed(number);
        new UcxEngineMetrics(engine, common).bind(registry, removal -> binding.addUntil(closed, removal));
        new EngineMeters(number, common.and(UcxMeters.Tag.ENGINE.asString(), engine.name()))
                .bind(registry, resources, times, binding);
    }

    static Tags with(Tags tags, UcxMeters.Tag key, Enum<?> value) {
        return tags.and(key.asString(), value.name().toLowerCase(Locale.ROOT));
    }

    private void connections(BoundMeters<UcxResources> meters) {
        meters.gauge(UcxMeters.IDLE_ENDPOINTS, common, UcxResources::idleEndpoints);
        meters.gauge(UcxMeters.IDLE_ENDPOINTS_LIMIT, common, UcxResources::maxIdleEndpoints);
        meters.gauge(UcxMeters.PARKED_ENDPOINTS, common, UcxResources::parkedEndpoints);
        meters.gauge(UcxMeters.PARKED_ENDPOINTS_LIMIT, common, UcxResources::maxParkedEndpoints);
        share(meters, SharedLimit.IDLE_ENDPOINTS, UcxMeters.CLIENT_IDLE_ENDPOINTS,
                UcxMeters.CLIENT_IDLE_ENDPOINTS_LIMIT);
        share(meters, SharedLimit.PARKED_ENDPOINTS, UcxMeters.CLIENT_PARKED_ENDPOINTS,
                UcxMeters.CLIENT_PARKED_ENDPOINTS_LIMIT);
        meters.gauge(UcxMeters.UNBOUND_ENDPOINTS, common, shown -> shown.statistics().unboundEndpoints());
        meters.gauge(UcxMeters.UNBOUND_ENDPOINTS_LIMIT, common, shown -> shown.statistics().maxUnboundEndpoints());
        meters.gauge(UcxMeters.PENDING_HANDSHAKES, common, UcxResources::pendingHandshakes);
        meters.counter(UcxMeters.FAILED_HANDSHAKES, common, UcxResources::failedHandshakes);
        meters.gauge(UcxMeters.QUEUED_AUTHENTICATIONS, common, UcxResources::queuedAuthentications);
        meters.gauge(UcxMeters.QUEUED_AUTHENTICATIONS_LIMIT, common,
                shown -> shown.statistics().maxQueuedAuthentications());
        meters.counter(UcxMeters.REFUSED_AUTHENTICATIONS, common, UcxResources::refusedAuthentications);
        meters.gauge(UcxMeters.SERVER_CONNECTIONS, common, connection(ConnectionStatistics::serverConnections));
        meters.gauge(UcxMeters.SERVER_CONNECTIONS_LIMIT, common,
                connection(ConnectionStatistics::maxServerConnections));
        meters.gauge(UcxMeters.CLIENT_CONNECTIONS, common, connection(ConnectionStatistics::largestClient));
        meters.gauge(UcxMeters.CLIENT_CONNECTIONS_LIMIT, common,
                connection(ConnectionStatistics::maxConnectionsPerClient));
        meters.counter(UcxMeters.REJECTED_CONNECTIONS, common, connection(ConnectionStatistics::rejectedConnections));
        meters.counter(UcxMeters.RECONNECTS, common, connection(ConnectionStatistics::reconnects));
        meters.gauge(UcxMeters.PENDING_RECONNECTS, common, connection(ConnectionStatistics::pendingReconnects));
        meters.gauge(UcxMeters.ACQUIRED_CONNECTIONS, common, connection(ConnectionStatistics::acquiredConnections));
        meters.gauge(UcxMeters.IDLE_CONNECTIONS, common, connection(ConnectionStatistics::idleConnections));
        meters.gauge(UcxMeters.PENDING_ACQUIRES, common, connection(ConnectionStatistics::pendingAcquires));
        meters.gauge(UcxMeters.POOLED_CONNECTIONS_LIMIT, common,
                connection(ConnectionStatistics::maxPooledConnections));
    }

    private void share(BoundMeters<UcxResources> meters, SharedLimit of, UcxMeters largest, UcxMeters limit) {
        meters.gauge(largest, common, shown -> shown.statistics().clientShare(of).largest());
        meters.gauge(limit, common, shown -> shown.statistics().clientShare(of).limit());
    }

    private static ToDoubleFunction<UcxResources> connection(ToLongFunction<ConnectionStatistics> value) {
        return shown -> value.applyAsLong(shown.connectionStatistics());
    }

    private void buffers(BoundMeters<UcxResources> meters) {
        meters.gauge(UcxMeters.LEASED_BYTES, common, pool(UcxBufferPool::leasedBytes));
        meters.gauge(UcxMeters.SLAB_BYTES, common, pool(UcxBufferPool::slabBytes));
        meters.gauge(UcxMeters.SLAB_LIMIT, common, pool(UcxBufferPool::maxBytes));
        meters.gauge(UcxMeters.BUFFER_WAITERS, common, pool(UcxBufferPool::waiters));
        meters.gauge(UcxMeters.BUFFER_WAITERS_LIMIT, common, pool(UcxBufferPool::maxWaiters));
        meters.timer(UcxMeters.BUFFER_WAIT, common, shown -> shown.buffers().waits(), pool(UcxBufferPool::waitNanos));
        meters.gauge(UcxMeters.MAPPED_BYTES, common, pool(UcxBufferPool::mappedBytes));
        meters.gauge(UcxMeters.MAPPED_LIMIT, common, pool(UcxBufferPool::maxMappedBytes));
        share(meters, SharedLimit.MAPPED_BYTES, UcxMeters.CLIENT_MAPPED_BYTES, UcxMeters.CLIENT_MAPPED_BYTES_LIMIT);
        meters.counter(UcxMeters.REFUSED_MAPPINGS, common, pool(UcxBufferPool::refusedMappings));
        meters.counter(UcxMeters.OFFERED_MESSAGES, common, pool(UcxBufferPool::offeredMessages));
        meters.counter(UcxMeters.COPIED_MESSAGES, common, pool(UcxBufferPool::copiedMessages));
        meters.counter(UcxMeters.LEAKED_BUFFERS, common, pool(UcxBufferPool::leakedLeases));
    }

    private static ToDoubleFunction<UcxResources> pool(ToLongFunction<UcxBufferPool> value) {
        return shown -> value.applyAsLong(shown.buffers());
    }

    private void memory(BoundMeters<UcxResources> meters) {
        String outcome = UcxMeters.Tag.OUTCOME.asString();
        meters.gauge(UcxMeters.MEMORY_WINDOWS, common, shown -> shown.servedMemory().windows());
        meters.gauge(UcxMeters.MEMORY_WINDOW_LIMIT, common, shown -> shown.servedMemory().maxWindows());
        for (Access access : Access.values()) {
            Tags tags = with(common, UcxMeters.Tag.ACCESS, access);
            meters.counter(UcxMeters.SERVED_REQUESTS, tags.and(outcome, "success"),
                    shown -> shown.servedMemory().of(access).served());
            meters.counter(UcxMeters.SERVED_REQUESTS, tags.and(outcome, "error"),
                    shown -> shown.servedMemory().of(access).refused());
            meters.counter(UcxMeters.SERVED_BYTES, tags, shown -> shown.servedMemory().of(access).bytes());
        }
        meters.counter(UcxMeters.MEMORY_VIOLATIONS, common, shown -> shown.servedMemory().violations());
        meters.gauge(UcxMeters.REGISTERED_BYTES, common, shown -> shown.context().registeredBytes());
    }
}
