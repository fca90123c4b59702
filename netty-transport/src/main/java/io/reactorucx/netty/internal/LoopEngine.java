package io.reactorucx.netty.internal;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.buffer.LoopBuffers;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.command.EngineCloseListeners;
import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.config.AuthenticatorLimits;
import io.reactorucx.transport.config.NetworkDevices;
import io.reactorucx.transport.config.TransportSettings;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.encryption.EncryptionProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.ring.RingProtocolFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one loop, for one set of network devices, and the streams of its channels.
 *
 * <p>Thread: loop.
 */
public final class LoopEngine {

    private static final Logger LOG = LoggerFactory.getLogger(LoopEngine.class);
    private static final String KEEPALIVE_INTERVAL = "KEEPALIVE_INTERVAL";
    private static final int MAX_ENDPOINTS = 1024;
    private static final int MAX_WAITERS = 1024;
    private static final long MAX_MAPPED_BYTES = 4L << 30;

    private final UcxNettyConfig config;
    private final NetworkDevices devices;
    private final UcpContext context;
    private final ProgressEngine engine;
    private final BufferPool pool;
    private final EngineResources resources;
    private final LoopLinks links;
    private final LoopCounters counters;
    private final LoopCounters.Engine counted;
    private final LoopRounds rounds;
    private final StreamContext streamContext;
    private final ChannelStreams streams;

    private LoopEngine(UcxNettyConfig config, NetworkDevices devices, String name, int index,
            LoopCounters counters) {
        this.config = config;
        this.devices = devices;
        this.counters = counters;
        TransportSettings transports = new TransportSettings(ucpConfig(config));
        this.context = UcpContext.create(transports.on(devices));
        LeakReporter leaks = new LeakReporter(LeakReporter.defaultLevel());
        EngineCloseListeners ends = new EngineCloseListeners();
        try {
            this.engine = new ProgressEngine(context, EngineConfig.of(name).withCloseTimeout(config.closeTimeout()),
                    index, ends);
            this.pool = new BufferPool(context, Lease::new, config.maxBufferBytes(), MAX_WAITERS,
                    config.sharedBuffers(), MAX_MAPPED_BYTES, leaks);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
        this.rounds = new LoopRounds(engine.name());
        this.streamContext = new StreamContext(config, counters, rounds, engine, new LoopBuffers(pool));
        this.streams = new ChannelStreams(streamContext);
        ResourceLimits limits = ResourceLimits.of(MAX_ENDPOINTS, MAX_ENDPOINTS, MAX_ENDPOINTS, MAX_MAPPED_BYTES,
                config.clientShare()).withRings(RingProtocolFactory.ringBytes(config.ringBytes(), transports));
        this.resources = new EngineResources(List.of(engine), limits, pool.maxLeaseBytes(), AuthenticatorLimits.DEFAULT,
                prefix -> Thread.ofPlatform().daemon().name(prefix + "-", 0).factory(),
                connections -> protocols(connections, limits));
        this.links = new LoopLinks(resources, rounds, counters, config);
        List<ProtocolFactory> protocols = resources.engines().getFirst().protocols();
        this.counted = new LoopCounters.Engine(engine, resources.handshakes(), pool, links.limit(),
                () -> RingProtocolFactory.statistics(protocols),
                () -> EncryptionProtocolFactory.statistics(protocols));
        try {
            engine.step(false, 0);
            startProtocols(ends);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        counters.engineStarted(counted);
    }

    private List<ProtocolFactory> protocols(EngineConnections connections, ResourceLimits limits) {
        List<ProtocolFactory> made = new ArrayList<>();
        if (limits.ringBytes() > 0) {
            made.add(new RingProtocolFactory(connections, limits, pool.mapped()));
        }
        made.addFirst(new EncryptionProtocolFactory(connections, limits.shared(pool.maxBytes())));
        made.add(new Factory());
        return made;
    }

    /** Starts the protocols within the call, because this thread is the engine's. */
    private void startProtocols(EngineCloseListeners ends) {
        CompletableFuture<?> started = resources.start(ends);
        if (started.isCompletedExceptionally()) {
            Throwable cause = EngineFuture.cause(started.exceptionNow());
            throw new IllegalStateException("the protocols of a loop could not be started: " + cause.getMessage(),
                    cause);
        }
    }

    /** Makes the engine of the calling thread, which is a loop's. */
    public static LoopEngine open(UcxNettyConfig config, NetworkDevices devices, String name,
            int index, LoopCounters counters) {
        return new LoopEngine(config, devices, name, index, counters);
    }

    /** Returns the configuration of UCX, whose devices are set where they follow addresses. */
    public static UcpConfig ucpConfig(UcxNettyConfig config) {
        UcpConfig.Builder made = UcpConfig.builder().features(UcpFeature.AM, UcpFeature.TAG, UcpFeature.WAKEUP);
        if (System.getenv("UCX_" + KEEPALIVE_INTERVAL) == null) {
            // Links have heartbeats of their own.
            made.setting(KEEPALIVE_INTERVAL, "inf");
        }
        if (!config.transports().isEmpty()) {
            made.transports(config.transports().toArray(String[]::new));
        }
        return made.build();
    }

    /** Makes the handlers of streams. */
    private final class Factory implements ProtocolFactory {

        @Override
        public int reservedId() {
            return ReservedMessageIds.CHANNELS;
        }

        @Override
        public DataPlacement placement() {
            return streams::place;
        }

        @Override
        public ProtocolHandler create(ConnectionCore connection) {
            return new StreamLink(connection, streams, streamContext, pool.isSharing());
        }
    }

    /** Returns the network devices that it uses. */
    public NetworkDevices devices() {
        return devices;
    }

    ProgressEngine engine() {
        return engine;
    }

    /** Returns the links to other loops. */
    public LoopLinks links() {
        return links;
    }

    /** Returns the streams of channels. */
    public ChannelStreams streams() {
        return streams;
    }

    /** Runs one round, in which each channel reads once whose stream has something. Returns how much was done. */
    public int round() {
        int work = engine.stepOrFail();
        rounds.resume();
        return work + rounds.deliver();
    }

    /** Returns whether nothing waits for the next round. */
    public boolean isIdle() {
        return rounds.isIdle();
    }

    /** Returns whether the engine has failed, and its worker is gone. */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /** See {@link ProgressEngine#park()}. */
    public boolean park() {
        return engine.park();
    }

    /** See {@link ProgressEngine#unpark()}. */
    public void unpark() {
        engine.unpark();
    }

    /** See {@link ProgressEngine#longestSleepNanos()}. */
    public long longestSleepNanos() {
        return engine.longestSleepNanos();
    }

    /** See {@link ProgressEngine#eventFd()}. */
    public int eventFd() {
        return engine.eventFd();
    }

    UcpActiveMessages messages() {
        return connections().worker().activeMessages();
    }

    private EngineConnections connections() {
        return resources.engines().getFirst().connections();
    }

    /** Begins to close the links, in good order, once the streams have ended. */
    private void beginClose() {
        links.close();
        for (ConnectionCore connection : connections().connections()) {
            connection.beginClose(CloseMode.FLUSH);
        }
    }

    /** Ends the streams that have not ended. */
    public void failStreams() {
        streams.fail("the loop has ended", null);
    }

    /** Closes links and worker, within the timeout of closes for each. */
    public void close() {
        if (engine.isClosed()) {
            // Also one that waits for its link, or has not read all: nothing would tell its channel later.
            streams.fail("the engine of the loop has failed", engine.failure());
        } else {
            streams.close();
        }
        resources.dispose();
        long timeout = config.closeTimeout().toNanos();
        stepUntil(System.nanoTime() + timeout, streams::isEmpty);
        failStreams();
        if (!engine.isClosed()) {
            beginClose();
            stepUntil(System.nanoTime() + timeout, () -> connections().connections().isEmpty());
        }
        engine.closeAsync();
        stepUntil(System.nanoTime() + timeout + TimeUnit.SECONDS.toNanos(1), engine::isClosed);
        if (!engine.isClosed()) {
            LOG.error("[{}] the worker has not closed in time and is left to the process", engine.name());
        }
        counters.engineEnded(counted);
        resources.closeSockets();
        // An application may keep what it has received.
        pool.closeWithLast(this::closeContext);
    }

    private void closeContext() {
        try {
            context.close();
        } catch (IllegalStateException e) {
            LOG.error("[{}] the context stays open: {}", engine.name(), e.getMessage());
        }
    }

    private void stepUntil(long deadlineNanos, BooleanSupplier done) {
        while (!done.getAsBoolean() && System.nanoTime() - deadlineNanos < 0) {
            if (round() == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
