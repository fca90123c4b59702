package io.reactorucx;

import io.reactorucx.buffer.LeakDetection;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.ProgressEngineGroup;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.internal.buffer.LeakReporter;
import io.reactorucx.internal.concurrent.EngineCloseListeners;
import io.reactorucx.internal.concurrent.EngineThread;
import io.reactorucx.internal.endpoint.IdleEndpointLimit;
import io.reactorucx.memory.ServedMemoryConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Collects what {@link UcxResources} are made with. */
public final class UcxResourcesBuilder {

    private static final long DEFAULT_MAX_BUFFER_BYTES = 64L << 20;
    private static final int DEFAULT_MAX_BUFFER_WAITERS = 1024;
    private static final int DEFAULT_MAX_IDLE_ENDPOINTS = 1024;

    private final UcpConfig.Builder config = UcpConfig.builder();
    private EngineConfig engine = EngineConfig.of("reactor-ucx");
    private int engineCount = 1;
    private long maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES;
    private int maxBufferWaiters = DEFAULT_MAX_BUFFER_WAITERS;
    private int maxIdleEndpoints = DEFAULT_MAX_IDLE_ENDPOINTS;
    private @Nullable LeakDetection leakDetection;
    private @Nullable BiConsumer<String, @Nullable LeakRecord> leakLog;
    private ServedMemoryConfig servedMemory = ServedMemoryConfig.DEFAULT;
    private boolean remoteMemoryAccess;
    private boolean remoteAtomics;
    private boolean streams;

    UcxResourcesBuilder() {
    }

    /**
     * How many engines, each a thread with a worker.
     *
     * @param count at least 1
     * @return this
     */
    public UcxResourcesBuilder engines(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("engines " + count + ": at least 1");
        }
        engineCount = count;
        return this;
    }

    /**
     * What an idle engine does. One that never sleeps needs no wake-up, which some transports do not have: {@code self}
     * is only found with {@link WaitStrategy#BUSY_SPIN}.
     *
     * @param strategy the strategy, {@link WaitStrategy#ADAPTIVE} by default
     * @return this
     */
    public UcxResourcesBuilder waitStrategy(WaitStrategy strategy) {
        engine = engine.withWaitStrategy(strategy);
        return this;
    }

    /**
     * All limits and habits of the engines.
     *
     * @param value replaces what was set before
     * @return this
     */
    public UcxResourcesBuilder engineConfig(EngineConfig value) {
        engine = Objects.requireNonNull(value, "value");
        return this;
    }

    /**
     * Which transports may be used; all by default.
     *
     * @param names such as {@code tcp}, {@code posix}; listeners need {@code tcp} or {@code rdmacm} among them
     * @return this
     */
    public UcxResourcesBuilder transports(String... names) {
        for (String name : Objects.requireNonNull(names, "names")) {
            Objects.requireNonNull(name, "names: each");
        }
        config.transports(names);
        return this;
    }

    /**
     * One of UCX's settings.
     *
     * @param key name, such as {@code RNDV_THRESH}
     * @param value its value in UCX's form
     * @return this
     */
    public UcxResourcesBuilder setting(String key, String value) {
        config.setting(key, value);
        return this;
    }

    /**
     * Whether peers may reach this process's memory with UCX's own put and get; windows that are exported are served
     * without it. Where the transport only emulates them, over tcp and shared memory, UCX checks neither keys nor
     * bounds: every connected peer can then read, write and crash this process, whatever was exported to it and with
     * whichever rights.
     *
     * @param allowed false by default
     * @return this
     */
    public UcxResourcesBuilder remoteMemoryAccess(boolean allowed) {
        remoteMemoryAccess = allowed;
        return this;
    }

    /**
     * Whether peers may change words of this process's memory with atomic operations; the same trust as
     * {@link #remoteMemoryAccess(boolean)}. From UCX 1.16 on they work only with
     * {@link UcxClient#peerFailureDetection(boolean)} off.
     *
     * @param allowed false by default
     * @return this
     */
    public UcxResourcesBuilder remoteAtomics(boolean allowed) {
        remoteAtomics = allowed;
        return this;
    }

    /**
     * Whether connections have byte streams. What a peer sends into one while nobody receives waits in UCX, without a
     * limit.
     *
     * @param wanted false by default
     * @return this
     */
    public UcxResourcesBuilder streams(boolean wanted) {
        streams = wanted;
        return this;
    }

    /**
     * Most memory that the buffer pool may take.
     *
     * @param bytes at least 4 MiB; 64 MiB by default
     * @return this
     */
    public UcxResourcesBuilder maxBufferBytes(long bytes) {
        maxBufferBytes = BufferPool.checkMaxBytes(bytes);
        return this;
    }

    /**
     * Most subscribers that may wait for memory of the buffer pool ({@link UcxBufferPool#acquireLater(long)}).
     *
     * @param count at least 0; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder maxBufferWaiters(int count) {
        maxBufferWaiters = BufferPool.checkMaxWaiters(count);
        return this;
    }

    /**
     * Most endpoints that are kept for the next connection to the same peer when the one that had them has ended;
     * beyond, they are closed.
     *
     * @param count at least 0; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder maxIdleEndpoints(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("maxIdleEndpoints " + count + ": at least 0");
        }
        maxIdleEndpoints = count;
        return this;
    }

    /**
     * How closely is looked for leaks.
     *
     * @param level that of the system property {@value LeakDetection#PROPERTY} by default, else
     * {@link LeakDetection#SIMPLE}
     * @return this
     */
    public UcxResourcesBuilder leakDetection(LeakDetection level) {
        leakDetection = Objects.requireNonNull(level, "level");
        return this;
    }

    /** Where leaks are told, instead of the log. */
    UcxResourcesBuilder leakLog(BiConsumer<String, @Nullable LeakRecord> log) {
        leakLog = log;
        return this;
    }

    private LeakReporter leaks() {
        LeakDetection level = leakDetection == null ? LeakReporter.defaultLevel() : leakDetection;
        return leakLog == null ? new LeakReporter(level) : new LeakReporter(level, leakLog);
    }

    /**
     * Limits of memory that this side exports, and of its requests for that of peers.
     *
     * @param value {@link ServedMemoryConfig#DEFAULT} by default
     * @return this
     */
    public UcxResourcesBuilder servedMemory(ServedMemoryConfig value) {
        servedMemory = Objects.requireNonNull(value, "value");
        return this;
    }

    /** {@return the resources, with their threads running} */
    public UcxResources build() {
        LeakReporter leaks = leaks();
        config.features(UcpFeature.AM, UcpFeature.TAG);
        if (remoteMemoryAccess) {
            config.feature(UcpFeature.RMA);
        }
        if (remoteAtomics) {
            config.feature(UcpFeature.AMO32).feature(UcpFeature.AMO64);
        }
        if (streams) {
            config.feature(UcpFeature.STREAM);
        }
        if (engine.waitStrategy() != WaitStrategy.BUSY_SPIN) {
            config.feature(UcpFeature.WAKEUP);
        }
        UcpContext context = UcpContext.create(config.build());
        List<AutoCloseable> undo = new ArrayList<>();
        undo.add(context);
        try {
            EngineCloseListeners ends = new EngineCloseListeners();
            ProgressEngineGroup group = ProgressEngineGroup.start(context, engine, engineCount,
                    EngineThread.factory(engine.name()), ends);
            undo.addFirst(group);
            return new UcxResources(context, group, ends, new BufferPool(context, maxBufferBytes, maxBufferWaiters,
                    leaks),
                    new IdleEndpointLimit(maxIdleEndpoints), leaks,
                    servedMemory);
        } catch (RuntimeException e) {
            undo.forEach(each -> close(each, e));
            throw e;
        }
    }

    private static void close(AutoCloseable resource, RuntimeException reason) {
        try {
            resource.close();
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }
}
