package io.reactorucx;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.EngineWatch;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.internal.concurrent.EngineThread;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.config.AuthenticatorLimits;
import io.reactorucx.transport.config.NetworkDevices;
import io.reactorucx.transport.config.TransportSettings;
import io.reactorucx.transport.connect.DeviceStarter;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.ring.RingProtocolFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds {@link UcxResources}.
 *
 * <p><b>Threading:</b> one thread at a time. <b>Ownership:</b> none. <b>Errors:</b> setters throw
 * {@link IllegalArgumentException} for a wrong value.
 */
public final class UcxResourcesBuilder {

    private static final long DEFAULT_MAX_BUFFER_BYTES = 64L << 20;
    private static final long DEFAULT_MAX_MAPPED_BYTES = 4L << 30;
    private static final int DEFAULT_MAX_BUFFER_WAITERS = 1024;
    private static final int DEFAULT_MAX_IDLE_ENDPOINTS = 1024;
    private static final int DEFAULT_MAX_PARKED_ENDPOINTS = 1024;
    private static final int DEFAULT_MAX_UNBOUND_ENDPOINTS = 1024;
    private static final int MAX_ENGINES = 1024;
    private static final String KEEPALIVE_INTERVAL = "KEEPALIVE_INTERVAL";

    private final UcpConfig.Builder config = UcpConfig.builder();
    private EngineConfig engine = EngineConfig.of("reactor-ucx");
    private int engineCount = 1;
    private long maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES;
    private boolean sharedBuffers = true;
    private long maxMappedBytes = DEFAULT_MAX_MAPPED_BYTES;
    private @Nullable Integer ringBytes;
    private int maxBufferWaiters = DEFAULT_MAX_BUFFER_WAITERS;
    private int maxIdleEndpoints = DEFAULT_MAX_IDLE_ENDPOINTS;
    private int maxParkedEndpoints = DEFAULT_MAX_PARKED_ENDPOINTS;
    private int maxUnboundEndpoints = DEFAULT_MAX_UNBOUND_ENDPOINTS;
    private double clientShare = FairLimit.HALF;
    private @Nullable LeakDetection leakDetection;
    private @Nullable BiConsumer<String, @Nullable LeakRecord> leakLog;
    private AuthenticatorLimits authenticators = AuthenticatorLimits.DEFAULT;
    private ServedMemoryConfig servedMemory = ServedMemoryConfig.DEFAULT;
    private @Nullable NetworkDevices networkDevices;
    private boolean remoteMemoryAccess;
    private boolean remoteAtomics;
    private boolean streams;
    private Duration stallThreshold = EngineWatch.DEFAULT_THRESHOLD;

    UcxResourcesBuilder() {
        // Framework peers have heartbeats, and UCX 1.13 may crash when it checks an endpoint that is being closed.
        if (System.getenv("UCX_" + KEEPALIVE_INTERVAL) == null) {
            config.setting(KEEPALIVE_INTERVAL, "inf");
        }
    }

    /**
     * Sets the number of engines. Each is a thread with a UCX worker.
     *
     * @param count 1 to 1024
     * @return this
     */
    public UcxResourcesBuilder engines(int count) {
        if (count < 1 || count > MAX_ENGINES) {
            throw new IllegalArgumentException("engines " + count + ": must be in 1.." + MAX_ENGINES);
        }
        engineCount = count;
        return this;
    }

    /**
     * Sets what an idle engine does. An engine that never sleeps needs no wake-up, which some transports do not
     * support: {@code self} is only available with {@link WaitStrategy#BUSY_SPIN}.
     *
     * @param strategy the strategy, {@link WaitStrategy#ADAPTIVE} by default
     * @return this
     */
    public UcxResourcesBuilder waitStrategy(WaitStrategy strategy) {
        engine = engine.withWaitStrategy(strategy);
        return this;
    }

    /**
     * Sets all limits of the engines, and their wait strategy.
     *
     * @param value replaces earlier settings of the engines
     * @return this
     */
    public UcxResourcesBuilder engineConfig(EngineConfig value) {
        engine = Objects.requireNonNull(value, "value");
        return this;
    }

    /**
     * Sets how long a round of an engine may take before it counts as stalled: a handler, or whatever else runs on the
     * engine's thread, blocks all its connections meanwhile. A thread of the resources looks at the engines twice
     * within this time. Stalls are logged with what blocks, counted, and shown by {@link UcxResources#health()}.
     *
     * @param threshold 1 ms to 1 h, 500 ms by default; {@link Duration#ZERO} to look for none
     * @return this
     */
    public UcxResourcesBuilder stallThreshold(Duration threshold) {
        stallThreshold = EngineWatch.checkThreshold(Objects.requireNonNull(threshold, "threshold"));
        return this;
    }

    /**
     * Sets the transports that UCX may use; all by default.
     *
     * @param names such as {@code tcp}, {@code posix}; listeners need {@code tcp} or {@code rdmacm} among them
     * @return this
     */
    public UcxResourcesBuilder transports(String... names) {
        for (String name : Objects.requireNonNull(names, "names")) {
            if (Objects.requireNonNull(name, "names: each").isBlank()) {
                throw new IllegalArgumentException("names: '" + name + "' is no name of a transport");
            }
        }
        config.transports(names);
        return this;
    }

    /**
     * Names the only network devices on which UCX may use tcp, where it listens on ports of its choice. A server or
     * client whose address they do not reach fails with {@link io.reactorucx.core.error.UcxUnsupportedException}.
     * Without this the devices follow the servers and clients: none for peers of this host, which connect over shared
     * memory, else those of the address that is bound or routed to, for which another UCX context may be made.
     * Processes that connect to these ports can write to any memory of this process, unless a filter of the kernel
     * holds them off: only peers that were authenticated, or connect to a server without an authenticator, pass it. No
     * effect where the transports exclude tcp, or NET_DEVICES is set.
     *
     * @param names the kernel's names, such as {@code eth0}; none for shared memory and RDMA alone. Ports of RDMA
     *     devices, such as {@code mlx5_0:1}, are chosen by {@code setting("NET_DEVICES", ..)}
     * @return this
     */
    public UcxResourcesBuilder networkDevices(String... names) {
        for (String name : Objects.requireNonNull(names, "names")) {
            if (Objects.requireNonNull(name, "names: each").isBlank() || name.contains(",")) {
                throw new IllegalArgumentException("names: '" + name + "' is no name of a network device");
            }
            if (name.contains(":")) {
                throw new IllegalArgumentException("names: '" + name + "' is no name of a network device but of a port"
                        + " of an RDMA device: setting(\"NET_DEVICES\", ..) chooses among all devices");
            }
        }
        networkDevices = new NetworkDevices(Set.of(names));
        return this;
    }

    /**
     * Sets one setting of UCX. Some have other defaults than UCX's own: {@code KEEPALIVE_INTERVAL} is {@code inf},
     * because framework peers have heartbeats, so that the death of a raw peer that was reached by its worker address
     * over shared memory is only noticed with a finite one; {@code ZCOPY_THRESH} is {@code inf}, or from UCX 1.16 on
     * {@code PROTOS} a part of UCX's ways to send, where messages may go over tcp, because UCX's tcp may abort the
     * process when the peer of a send without a copy dies; then {@code TCP_TX_SEG_SIZE} is {@code 64k}, because tcp is
     * slow with a copy into smaller buffers; {@code TCP_PUT_ENABLE} is {@code n}, because a PUT over tcp may be written
     * into memory that the application has got back; from UCX 1.16 on {@code RNDV_THRESH} is {@code 8k}, because
     * messages of any size would fill the memory of a receiver that has not asked for them; and {@code
     * UD_VERBS_ETH_DGID_CHECK} is {@code n} with RDMA devices on Ethernet besides mlx5's, because UCX's datagrams do
     * not arrive otherwise.
     *
     * @param key the name, such as {@code RNDV_THRESH}
     * @param value the value in UCX's syntax
     * @return this
     */
    public UcxResourcesBuilder setting(String key, String value) {
        config.setting(key, value);
        return this;
    }

    /**
     * Sets whether peers may access this process's memory with UCX's own put and get; exported windows are served
     * without it. Over tcp and shared memory, where UCX only emulates put and get, it checks neither keys nor bounds:
     * every connected peer can then read, write and crash this process, whatever was exported.
     *
     * @param allowed false by default
     * @return this
     */
    public UcxResourcesBuilder remoteMemoryAccess(boolean allowed) {
        remoteMemoryAccess = allowed;
        return this;
    }

    /**
     * Sets whether peers may access this process's memory with UCX's own atomic operations, with the same risk as
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
     * Sets whether connections have byte streams. Bytes that a peer sends without a receiver wait in UCX, without a
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
     * Limits the memory of the buffer pool.
     *
     * @param bytes at least 4 MiB; 64 MiB by default
     * @return this
     */
    public UcxResourcesBuilder maxBufferBytes(long bytes) {
        maxBufferBytes = BufferPool.checkMaxBytes(bytes);
        return this;
    }

    /**
     * Sets whether processes of this host to which these resources have connections over shared memory may map the
     * buffer pool, read-only, so that large messages are copied once. They have to run under the same user.
     *
     * @param wanted true by default
     * @return this
     */
    public UcxResourcesBuilder sharedBuffers(boolean wanted) {
        sharedBuffers = wanted;
        return this;
    }

    /**
     * Limits the memory of buffer pools of peers that is mapped here, and of rings, those of peers and those for peers.
     * What does not fit goes through UCX.
     *
     * @param bytes at least 0, for none; 4 GiB by default. What is mapped of peers takes addresses, the memory is
     *     theirs; a ring for a peer takes memory of this process
     * @return this
     */
    public UcxResourcesBuilder maxMappedBytes(long bytes) {
        maxMappedBytes = MappedMemory.checkMaxBytes(bytes);
        return this;
    }

    /**
     * Sets the size of the rings in memory by which small messages go to a peer of the same host: one each way for each
     * pair of engines, in memory that only its writer can write. They count for {@link #maxMappedBytes(long)},
     * each with the 64 KiB that stand beside it. Without them, where the peer has none, and where there is no room,
     * such messages go over UCX's shared memory.
     *
     * @param bytes a power of two in 262144..67108864, or 0 for none; by default 262144, and none where transports are
     *     named ({@link #transports(String...)}), which carry all messages then
     * @return this
     */
    public UcxResourcesBuilder ringBytes(int bytes) {
        ringBytes = RingProtocolFactory.checkRingBytes(bytes);
        return this;
    }

    /**
     * Limits the subscribers that wait for memory of the buffer pool ({@link UcxBufferPool#acquireLater(long)}).
     *
     * @param count at least 0; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder maxBufferWaiters(int count) {
        maxBufferWaiters = BufferPool.checkMaxWaiters(count);
        return this;
    }

    /**
     * Limits the endpoints that are kept for the next connection to the same peer. Endpoints beyond are closed with
     * their connection, and so are those of a process that has ended, if it was on this host and in this PID namespace.
     *
     * @param count at least 0; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder maxIdleEndpoints(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("maxIdleEndpoints " + count + ": must be at least 0");
        }
        maxIdleEndpoints = count;
        return this;
    }

    /**
     * Limits the steps of {@link io.reactorucx.security.Authenticator}s and of TLS, which run on threads of these
     * resources and may block; servers and clients have separate threads and queues. A peer whose first step finds the
     * queue full is refused at once with {@link io.reactorucx.core.error.UcxStatus#BUSY}, which is retryable; with TLS
     * its socket is closed, and what it sees is retryable as well. At servers one address can have half of the threads
     * and places in the queue, and the steps are taken by address in turn.
     *
     * @param threads steps that run at once, 1 to 1024; 4 by default
     * @param queuedSteps first steps that wait for a thread, 1 to 1,048,576; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder authenticatorLimits(int threads, int queuedSteps) {
        authenticators = new AuthenticatorLimits(threads, queuedSteps);
        return this;
    }

    /**
     * Limits the endpoints that are parked: their connections have ended by force, and UCX keeps them, and the memory
     * of their operations, until the peer takes part again or is gone. At the limit new connections are refused, in
     * both directions, with {@link io.reactorucx.core.error.UcxStatus#NO_RESOURCE}; connections that are open may still
     * end, and park their endpoints. Endpoints that are being wired up count as well.
     *
     * @param count at least 1; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder maxParkedEndpoints(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("maxParkedEndpoints " + count + ": must be at least 1");
        }
        maxParkedEndpoints = count;
        return this;
    }

    /**
     * Sets which fraction of {@link #maxIdleEndpoints(int)}, {@link #maxParkedEndpoints(int)}, {@link
     * #maxUnboundEndpoints(int)} and {@link #maxMappedBytes(long)} one client can have, as {@link
     * UcxServer#maxConnectionsPerClient(int)} explains it, so that it cannot take what others need. Servers to which
     * these resources connect are clients here, too.
     *
     * @param fraction more than 0, at most 1; 0.5 by default
     * @return this
     */
    public UcxResourcesBuilder clientShare(double fraction) {
        clientShare = ResourceLimits.checkShare(fraction);
        return this;
    }

    /**
     * Limits the endpoints of clients whose handshake is done, and which are not bound to a connection yet. At the
     * limit, and at its share of it ({@link #clientShare(double)}), a client is refused with {@link
     * io.reactorucx.core.error.UcxStatus#NO_RESOURCE}.
     *
     * @param count at least 1; 1024 by default
     * @return this
     */
    public UcxResourcesBuilder maxUnboundEndpoints(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("maxUnboundEndpoints " + count + ": must be at least 1");
        }
        maxUnboundEndpoints = count;
        return this;
    }

    /**
     * Sets how closely leaks are detected.
     *
     * @param level the level of the system property {@value LeakDetection#PROPERTY} by default, else
     * {@link LeakDetection#SIMPLE}
     * @return this
     */
    public UcxResourcesBuilder leakDetection(LeakDetection level) {
        leakDetection = Objects.requireNonNull(level, "level");
        return this;
    }

    /** Sets the receiver of leak reports, in place of the log. */
    UcxResourcesBuilder leakLog(BiConsumer<String, @Nullable LeakRecord> log) {
        leakLog = log;
        return this;
    }

    private LeakReporter leaks() {
        LeakDetection level = leakDetection == null ? LeakReporter.defaultLevel() : leakDetection;
        return leakLog == null ? new LeakReporter(level) : new LeakReporter(level, leakLog);
    }

    /**
     * Sets the limits of exported memory, and of requests for memory of peers.
     *
     * @param value {@link ServedMemoryConfig#DEFAULT} by default
     * @return this
     */
    public UcxResourcesBuilder servedMemory(ServedMemoryConfig value) {
        servedMemory = Objects.requireNonNull(value, "value");
        return this;
    }

    /** {@return new resources, whose threads are running} */
    public UcxResources build() {
        Blocking.check("build");
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
        TransportSettings transports = new TransportSettings(config.build());
        DeviceStarter.BufferSettings buffers = new DeviceStarter.BufferSettings(LeasedBuffer::new, maxBufferBytes,
                maxBufferWaiters, sharedBuffers, maxMappedBytes);
        return new UcxResources(new DeviceStarter(transports, networkDevices, leaks, engine, engineCount, buffers,
                stallThreshold, EngineThread::factory), ResourceLimits.of(maxIdleEndpoints, maxParkedEndpoints,
                maxUnboundEndpoints, maxMappedBytes, clientShare).withRings(RingProtocolFactory.ringBytes(ringBytes,
                transports)), leaks, servedMemory, authenticators);
    }
}
