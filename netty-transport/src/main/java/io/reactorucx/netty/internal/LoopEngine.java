package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.PlacedData;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.Timeout;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.buffer.LoopBuffers;
import io.reactorucx.netty.buffer.PlacedBuffer;
import io.reactorucx.transport.DropReason;
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
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
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
    private static final SecureRandom RANDOM = new SecureRandom();

    private final UcxNettyConfig config;
    private final NetworkDevices devices;
    private final UcpContext context;
    private final ProgressEngine engine;
    private final BufferPool pool;
    private final LoopBuffers buffers;
    private final EngineResources resources;
    private final LoopLinks links;
    private final LoopCounters counters;
    private final IntObjectMap<ChannelStream> streams = new IntObjectHashMap<>();
    private final IntObjectMap<ChannelStream> pending = new IntObjectHashMap<>();
    private final Queue<ChannelStream> ready = new ArrayDeque<>();
    private final Set<ChannelStream> resuming = new LinkedHashSet<>();
    private final Queue<Runnable> delayed = new ArrayDeque<>();
    private int nextId = RANDOM.nextInt();

    private LoopEngine(UcxNettyConfig config, NetworkDevices devices, String name, int index,
            LoopCounters counters) {
        this.config = config;
        this.devices = devices;
        this.counters = counters;
        this.context = UcpContext.create(new TransportSettings(ucpConfig(config)).on(devices));
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
        this.buffers = new LoopBuffers(pool);
        this.resources = new EngineResources(List.of(engine),
                ResourceLimits.of(MAX_ENDPOINTS, MAX_ENDPOINTS, MAX_ENDPOINTS, MAX_MAPPED_BYTES, config.clientShare()),
                pool.maxLeaseBytes(), AuthenticatorLimits.DEFAULT,
                prefix -> Thread.ofPlatform().daemon().name(prefix + "-", 0).factory(),
                connections -> List.of(new Factory()));
        this.links = new LoopLinks(this, resources, config);
        try {
            engine.step(false, 0);
            startProtocols(ends);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        counters.engineStarted(this);
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
            return LoopEngine.this::place;
        }

        @Override
        public ProtocolHandler create(ConnectionCore connection) {
            return new StreamLink(connection, LoopEngine.this);
        }
    }

    /** Returns the network devices that it uses. */
    public NetworkDevices devices() {
        return devices;
    }

    LoopCounters counters() {
        return counters;
    }

    BufferPool pool() {
        return pool;
    }

    ProgressEngine engine() {
        return engine;
    }

    /** Returns the links to other loops. */
    public LoopLinks links() {
        return links;
    }

    // ---- the loop

    /** Runs one round, and returns how much was done. */
    public int step() {
        int work = engine.stepOrFail();
        if (!resuming.isEmpty()) {
            List<ChannelStream> again = List.copyOf(resuming);
            resuming.clear();
            for (ChannelStream stream : again) {
                guarded(stream, stream::resume);
            }
        }
        for (int i = delayed.size(); i > 0; i--) {
            try {
                delayed.remove().run();
            } catch (RuntimeException e) {
                LOG.error("[{}] an action threw", engine.name(), e);
            }
        }
        return work;
    }

    /** Has the channels read whose streams have something, each once, and returns how many there were. */
    public int deliver() {
        int count = ready.size();
        for (int i = 0; i < count; i++) {
            ChannelStream stream = ready.remove();
            guarded(stream, stream::deliver);
        }
        return count;
    }

    /** Does something for a stream. What that throws, the lack of memory for a buffer too, ends the stream. */
    static void guarded(ChannelStream stream, Runnable action) {
        try {
            action.run();
        } catch (Throwable t) {
            stream.fail(new IOException("the channel has failed: " + t, t));
        }
    }

    /** Returns whether nothing waits for the next round. */
    public boolean isIdle() {
        return ready.isEmpty() && delayed.isEmpty() && resuming.isEmpty();
    }

    /** Returns whether the engine has failed, and its worker is gone. */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /** Returns whether no channel is left, not even one that still sends after its close. */
    public boolean hasNoStreams() {
        return streams.isEmpty();
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

    void ready(ChannelStream stream) {
        if (stream.becomesReady()) {
            ready.add(stream);
        }
    }

    /** Has a stream go on in the next round. */
    void resumeLater(ChannelStream stream) {
        resuming.add(stream);
    }

    /** Returns how many sends may still begin. */
    int freeSends() {
        return connections().worker().activeMessages().eagerRoom();
    }

    /** Returns how many fetches may still begin. */
    int freeFetches() {
        return connections().worker().activeMessages().fetchRoom();
    }

    void later(Runnable action) {
        delayed.add(action);
    }

    /** Runs an action on the loop: at once if the caller is on it. Thread: any. */
    void execute(Runnable action) {
        engine.execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                action.run();
            }

            @Override
            public void reject(RuntimeException cause) {
                LOG.debug("[{}] the engine takes no commands", engine.name(), cause);
            }
        });
    }

    /** Runs an action after the timeout of closes, or later. */
    Timeout afterCloseTimeout(long minNanos, Runnable action) {
        return after(Math.max(minNanos, config.closeTimeout().toNanos()), action);
    }

    Timeout after(long nanos, Runnable action) {
        return engine.timer().schedule(nanos, action);
    }

    /** Runs an action after the timeout of handshakes. */
    public Timeout afterHandshakeTimeout(Runnable action) {
        return engine.timer().schedule(config.handshakeTimeout().toNanos(), action);
    }

    // ---- streams

    /** Returns whether the loop may have one more channel; counts it as refused if not. */
    public boolean hasRoomForStream() {
        if (counters.channels() >= config.maxChannels()) {
            counters.channelRefused();
            return false;
        }
        return true;
    }

    /**
     * Makes a stream that waits for its opening, unless the loop has as many channels as it may.
     *
     * @param window how many bytes the peer may be ahead of the reader
     */
    public @Nullable ChannelStream newStream(int window, StreamListener listener, StreamSocket socket) {
        if (!hasRoomForStream()) {
            return null;
        }
        while (streams.containsKey(nextId)) {
            nextId++;
        }
        ChannelStream stream = new ChannelStream(this, nextId++, RANDOM.nextLong(), window, listener, socket);
        streams.put(stream.id(), stream);
        pending.put(stream.id(), stream);
        counters.streamMade();
        return stream;
    }

    @Nullable ChannelStream pendingOpen(int id) {
        return pending.get(id);
    }

    void opened(ChannelStream stream) {
        if (pending.remove(stream.id()) != null) {
            counters.streamOpened();
        }
    }

    void ended(ChannelStream stream, boolean inOrder) {
        boolean wasPending = pending.remove(stream.id()) != null;
        resuming.remove(stream);
        if (streams.remove(stream.id()) != null) {
            counters.streamEnded(wasPending, inOrder);
        }
    }

    // ---- memory

    LoopBuffers buffers() {
        return buffers;
    }

    /**
     * Called inside UCX: finds a buffer for data. It is that of the channel which the frame names, whether or not the
     * frame is right.
     */
    private @Nullable PlacedData place(byte[] header, int length) {
        ChannelStream stream = StreamFrame.isFrame(header) ? streams.get(StreamFrame.channel(header)) : null;
        try {
            return stream == null ? null : new PlacedBuffer(stream.allocator(), length);
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.debug("no buffer for {} bytes", length, e);
            return null;
        }
    }

    /** Returns the buffer in which data was placed, as the caller's, or null. */
    @Nullable ByteBuf take(UcpActiveMessage message) {
        return connections().worker().activeMessages().take(message) instanceof PlacedBuffer placed
                ? placed.buffer() : null;
    }

    boolean fetch(UcpActiveMessage message, MemorySegment target, Completion whenDone) {
        return connections().worker().activeMessages().fetch(message, target, (@Nullable UcpMemory) null, whenDone);
    }

    /** Releases what UCX holds of a message that nobody takes. */
    void drop(UcpActiveMessage message) {
        connections().drop(message, DropReason.NO_RECEIVER);
    }

    /** Releases what UCX still holds of a message, which was counted. */
    void release(UcpActiveMessage message) {
        if (connections().worker().activeMessages().holds(message)) {
            connections().worker().activeMessages().release(message);
        }
    }

    HandshakeCounters handshakes() {
        return resources.handshakes();
    }

    EngineConnections connections() {
        return resources.engines().getFirst().connections();
    }

    // ---- the end

    /** Begins to close the links, in good order, once the streams have ended. */
    public void beginClose() {
        links.close();
        for (ConnectionCore connection : connections().connections()) {
            connection.beginClose(CloseMode.FLUSH);
        }
    }

    /** Ends the streams that have not ended. */
    public void failStreams() {
        for (ChannelStream stream : List.copyOf(streams.values())) {
            stream.fail(new IOException("the loop has ended"));
        }
    }

    /** Closes links and worker, within the timeout of closes for each. */
    public void close() {
        for (ChannelStream stream : List.copyOf(streams.values())) {
            if (engine.isClosed()) {
                // Also one that waits for its link, or has not read all: nothing would tell its channel later.
                stream.fail(new IOException("the engine of the loop has failed", engine.failure()));
            } else {
                stream.close(false);
            }
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
        counters.engineEnded(this);
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
            if (step() + deliver() == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
