package io.reactorucx.transport.connect;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.engine.EngineWatch;
import io.reactorucx.engine.ProgressEngineGroup;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.buffer.LeaseFactory;
import io.reactorucx.transport.command.EngineCloseListeners;
import io.reactorucx.transport.config.DeviceNeed;
import io.reactorucx.transport.config.NetworkDevices;
import io.reactorucx.transport.config.TransportSettings;
import io.reactorucx.transport.connection.EngineConnections;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts UCX contexts, their engines and buffers, with the settings of a builder.
 *
 * <p>Thread: any.
 *
 * @param named the network devices that the application has named, null if they follow addresses
 * @param threads makes the threads of engines, whose names begin with a text
 */
public record DeviceStarter(TransportSettings transports, @Nullable NetworkDevices named, LeakReporter leaks,
        EngineConfig engine, int engineCount, BufferSettings buffers, Duration stallThreshold,
        Function<String, ThreadFactory> threads) {

    private static final Logger LOG = LoggerFactory.getLogger(DeviceStarter.class);
    private static final Set<UcpFeature> ONE_SIDED = Set.of(UcpFeature.RMA, UcpFeature.AMO32, UcpFeature.AMO64);

    /** The objects that depend on the network devices that UCX uses. */
    public record Started(UcpContext context, ProgressEngineGroup engines, EngineCloseListeners closeListeners,
            BufferPool buffers, boolean ownsBuffers, NetworkDevices devices, EngineWatch watch) {

        /** Returns how each engine is, from what is known of its connections. */
        List<EngineHealth> health(List<EngineConnections> connections) {
            return IntStream.range(0, connections.size())
                    .mapToObj(i -> watch.health(i, connections.get(i).oldestOperation())).toList();
        }

        /** Starts the protocols, and says on which ports UCX listens. Closes all of this when that fails. */
        void connect(EngineResources connecting, Consumer<CompletableFuture<@Nullable Void>> await) {
            connecting.watchAges();
            try {
                await.accept(connecting.start(closeListeners));
            } catch (RuntimeException e) {
                close();
                throw e;
            }
            String name = engines.engines().getFirst().config().name();
            List<InetSocketAddress> listening = connecting.listeningAddresses();
            if (listening.isEmpty()) {
                LOG.debug("[{}] UCX listens on no port", name);
            } else {
                LOG.info("[{}] UCX listens on {} (tcp, devices: {}); docs/spec/security.md says what that opens", name,
                        listening, devices);
            }
        }

        /** Closes what nothing uses. */
        void close() {
            engines.close();
            watch.close();
            if (ownsBuffers) {
                buffers.close(context::close);
            } else {
                context.close();
            }
        }
    }

    /**
     * The settings of a buffer pool.
     *
     * @param leases makes its leases
     */
    public record BufferSettings(LeaseFactory leases, long maxBytes, int maxWaiters, boolean shared,
            long maxMappedBytes) {

        BufferPool pool(UcpContext context, LeakReporter leaks) {
            return new BufferPool(context, leases, maxBytes, maxWaiters, shared, maxMappedBytes, leaks);
        }
    }

    /** Starts a context with its engines and buffers. */
    Started start(NetworkDevices devices) {
        return start(UcpContext.create(transports.on(devices)), engine, null, devices);
    }

    /** Starts another context, whose engines use the buffers of the first one; there are so many before it. */
    Started startBeside(Started first, NetworkDevices devices, int before) {
        EngineConfig renamed = engine.withName(engine.name() + "-net" + before);
        return start(UcpContext.createBeside(transports.on(devices), first.context()), renamed, first.buffers(),
                devices);
    }

    /** Returns whether there can be several contexts: UCX's own keys of memory are those of one. */
    boolean allowsSeveralContexts() {
        return Collections.disjoint(transports.base().features(), ONE_SIDED);
    }

    private Started start(UcpContext context, EngineConfig config, @Nullable BufferPool lent,
            NetworkDevices devices) {
        List<AutoCloseable> undo = new ArrayList<>();
        undo.add(context);
        try {
            EngineCloseListeners ends = new EngineCloseListeners();
            ProgressEngineGroup group = ProgressEngineGroup.start(context, config, engineCount,
                    threads.apply(config.name()), ends);
            undo.addFirst(group);
            BufferPool pool = lent != null ? lent : buffers.pool(context, leaks);
            return new Started(context, group, ends, pool, lent == null, devices, EngineWatch.start(
                    group.engines(), stallThreshold,
                    Thread.ofPlatform().daemon().name(config.name() + "-watch").factory(), ends));
        } catch (RuntimeException e) {
            undo.forEach(each -> close(each, e));
            throw e;
        }
    }

    /** Returns the devices to start with. */
    NetworkDevices initialDevices() {
        return named != null ? named : transports.wantsTcp() ? NetworkDevices.LOOPBACK : NetworkDevices.NONE;
    }

    /**
     * Returns whether the devices follow an address. Throws if the application has named devices with which it cannot
     * be served.
     */
    boolean follows(DeviceNeed need) {
        if (!transports.followAddresses()) {
            return false;
        }
        if (named != null) {
            need.requireNamed(named);
        }
        return named == null;
    }

    /** Returns whether the devices follow addresses, because the application has named none. */
    public boolean followsAddresses() {
        return named == null && transports.followAddresses();
    }

    /** Returns whether peers of this host use tcp, because the transports were chosen so. */
    public boolean usesTcpWithinHost() {
        return transports.wantsTcp();
    }

    private static void close(AutoCloseable resource, RuntimeException reason) {
        try {
            resource.close();
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }
}
