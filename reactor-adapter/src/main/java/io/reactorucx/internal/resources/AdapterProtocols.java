package io.reactorucx.internal.resources;

import io.reactorucx.connection.UcxStatistics;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.concurrent.EngineThread;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.mapped.MappedProtocolFactory;
import io.reactorucx.internal.memory.MemoryProtocolFactory;
import io.reactorucx.internal.memory.WindowRegistry;
import io.reactorucx.internal.message.MessageProtocolFactory;
import io.reactorucx.internal.ucp.ActiveMessageRouter;
import io.reactorucx.internal.ucp.ByteStreamReceiver;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.config.AuthenticatorLimits;
import io.reactorucx.transport.connect.ConnectingEngine;
import io.reactorucx.transport.connect.DeviceStarter;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connect.EngineStacks;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.encryption.EncryptionProtocolFactory;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.ring.RingProtocolFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The engines of the adapter. No other class knows all protocols.
 *
 * <p>Thread: any.
 */
public final class AdapterProtocols implements EngineStacks.Content {

    private final LeasePool pool;
    private final LeakReporter leaks;
    private final ResourceLimits limits;
    private final FairLimit encryptedBytes;
    private final WindowRegistry windows;
    private final EngineResources engines;
    private final int maxInFlight;
    private final EngineStatistics statistics;

    /** Makes the protocols of the engines of a context. */
    public AdapterProtocols(DeviceStarter.Started started, ResourceLimits limits, LeakReporter leaks,
            ServedMemoryConfig memory, UnaryOperator<UcpMemory> owned, AuthenticatorLimits authenticators) {
        this.pool = new LeasePool(started.buffers());
        this.leaks = leaks;
        this.limits = limits;
        this.encryptedBytes = limits.shared(started.buffers().maxBytes());
        this.windows = new WindowRegistry(started.context(), memory, owned);
        this.maxInFlight = started.engines().engines().getFirst().config().maxInFlight();
        this.engines = new EngineResources(started.engines().engines(), limits, started.buffers().maxLeaseBytes(),
                authenticators, EngineThread::factory, this::protocols);
        this.statistics = new EngineStatistics(engines);
    }

    private List<ProtocolFactory> protocols(EngineConnections connections) {
        ProtocolCounters counts = new ProtocolCounters();
        List<ProtocolFactory> made = new ArrayList<>();
        if (limits.ringBytes() > 0) {
            made.add(new RingProtocolFactory(connections, limits, pool.buffers().mapped()));
        }
        made.addFirst(new EncryptionProtocolFactory(connections, encryptedBytes));
        made.addAll(List.of(new MessageProtocolFactory(pool, counts, connections.engine(), maxInFlight),
                new MemoryProtocolFactory(windows, counts), new ActiveMessageRouter(connections, leaks, counts),
                ByteStreamReceiver::new, new MappedProtocolFactory(pool.buffers(), limits.mappedBytes())));
        return made;
    }

    @Override
    public EngineResources engines() {
        return engines;
    }

    @Override
    public void enginesAdded(List<ConnectingEngine> added) {
        statistics.added(added);
    }

    @Override
    public void close() {
        windows.close();
    }

    /** Returns the pool of the first context. */
    public LeasePool pool() {
        return pool;
    }

    /** Returns the exported memory. */
    public WindowRegistry windows() {
        return windows;
    }

    /** Returns what the engines count. */
    public UcxStatistics statistics() {
        return statistics;
    }

    /** Returns what each engine counts of flow-controlled messages. */
    public List<MessageStatistics> messageStatistics() {
        return engines.engines().stream().map(AdapterProtocols::messageStatistics).toList();
    }

    /** Returns what the rings of each engine count. */
    public List<RingStatistics> ringStatistics() {
        return engines.engines().stream().map(each -> RingProtocolFactory.statistics(each.protocols())).toList();
    }

    /** Returns what each engine has encrypted. */
    public List<EncryptionStatistics> encryptionStatistics() {
        return engines.engines().stream().map(each -> EncryptionProtocolFactory.statistics(each.protocols())).toList();
    }

    private static MessageStatistics messageStatistics(ConnectingEngine engine) {
        MessageProtocolFactory messages = engine.protocol(MessageProtocolFactory.class);
        return messages.counters().snapshot(messages.counts(), engine.connections().droppedOffers());
    }
}
