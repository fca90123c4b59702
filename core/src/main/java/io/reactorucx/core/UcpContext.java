package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_params;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's use of UCX: features, transports and registered memory ({@code ucp_context_h}).
 *
 * <p><b>Threading:</b> any thread; made with {@code mt_workers_shared}, so that workers on several threads share it.
 * <b>Ownership:</b> close it last: it refuses while a worker or registered memory is open.
 * <b>Errors:</b> {@link UcxUnavailableException} without a usable library, {@link UcxException} with UCX's status.
 */
public final class UcpContext implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcpContext.class);
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final MemorySegment handle;
    private final UcpConfig config;
    private final Map<String, String> environment;
    private final boolean tcpUsesOnlyIpv6;
    private final ReentrantReadWriteLock lifetime = new ReentrantReadWriteLock();
    /** Memory that UCX allocated, which ends with its close; looked through by every operation, and nearly always empty or short. */
    private final List<UcpMemory> allocated = new CopyOnWriteArrayList<>();
    private volatile boolean closed;
    private final AtomicInteger openWorkers = new AtomicInteger();
    private final AtomicInteger abandonedWorkers = new AtomicInteger();
    private final AtomicInteger openMemory = new AtomicInteger();
    private final AtomicLong registeredBytes = new AtomicLong();

    private UcpContext(MemorySegment handle, UcpConfig config, Map<String, String> environment) {
        this.handle = handle;
        this.config = config;
        this.environment = environment;
        this.tcpUsesOnlyIpv6 = "inet6".equals(config.settings().getOrDefault("TCP_AF_PRIO",
                NativeEnvironment.get("UCX_TCP_AF_PRIO").orElse("")));
        OPEN.incrementAndGet();
    }

    /** {@return contexts of this process that are not cleaned up, those left to the process included} */
    public static int openContexts() {
        return OPEN.get();
    }

    /**
     * Makes a context ({@code ucp_init}).
     *
     * @param config what it can do
     * @return the context, to be closed by the caller
     */
    public static UcpContext create(UcpConfig config) {
        Objects.requireNonNull(config, "config");
        Ucx.ensureAvailable();
        Map<String, String> ofTransports = new TreeMap<>();
        Set<String> ofUcp = UcpKeys.NAMES;
        config.settings().forEach((key, value) -> {
            if (!ofUcp.contains(key)) {
                ofTransports.put("UCX_" + key, value);
            }
        });
        return NativeEnvironment.with(ofTransports, () -> init(config, Map.copyOf(ofTransports)));
    }

    private static UcpContext init(UcpConfig config, Map<String, String> ofTransports) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment settings = readConfig(arena);
            try {
                for (Map.Entry<String, String> setting : config.settings().entrySet()) {
                    if (UcpKeys.NAMES.contains(setting.getKey())) {
                        check(ucx_h.ucp_config_modify(settings, arena.allocateFrom(setting.getKey()),
                                arena.allocateFrom(setting.getValue())), "setting " + setting.getKey() + "=" + setting.getValue());
                    }
                }
                MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
                int minor = Math.min(ucx_h.UCP_API_MINOR(), Ucx.version().minor());
                check(ucx_h.ucp_init_version(ucx_h.UCP_API_MAJOR(), minor, params(config, arena), settings, pointer), "ucp_init");
                return new UcpContext(pointer.get(ValueLayout.ADDRESS, 0), config, ofTransports);
            } finally {
                ucx_h.ucp_config_release(settings);
            }
        }
    }

    private static MemorySegment readConfig(Arena arena) {
        MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
        check(ucx_h.ucp_config_read(MemorySegment.NULL, MemorySegment.NULL, pointer), "ucp_config_read");
        return pointer.get(ValueLayout.ADDRESS, 0);
    }

    /** The names that {@code ucp_config_modify} really applies, as the loaded library prints them; the others belong to transports. */
    private static final class UcpKeys {

        static final Set<String> NAMES = NativeEnvironment.with(Map.of(), UcpKeys::read);

        private static Set<String> read() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment settings = readConfig(arena);
                try {
                    int all = ucx_h.UCS_CONFIG_PRINT_CONFIG() | ucx_h.UCS_CONFIG_PRINT_HIDDEN();
                    String text = NativeText.print(stream -> ucx_h.ucp_config_print(settings, stream, MemorySegment.NULL, all));
                    return text.lines().filter(line -> line.startsWith("UCX_") && line.indexOf('=') > 0)
                            .map(line -> line.substring("UCX_".length(), line.indexOf('='))).collect(Collectors.toUnmodifiableSet());
                } finally {
                    ucx_h.ucp_config_release(settings);
                }
            }
        }
    }

    private static MemorySegment params(UcpConfig config, Arena arena) {
        MemorySegment params = ucp_params.allocate(arena);
        ucp_params.field_mask(params, ucx_h.UCP_PARAM_FIELD_FEATURES() | ucx_h.UCP_PARAM_FIELD_MT_WORKERS_SHARED()
                | ucx_h.UCP_PARAM_FIELD_ESTIMATED_NUM_EPS() | ucx_h.UCP_PARAM_FIELD_NAME());
        ucp_params.features(params, config.features().stream().mapToLong(UcpFeature::bit).reduce(0, (a, b) -> a | b));
        ucp_params.mt_workers_shared(params, 1);
        ucp_params.estimated_num_eps(params, config.estimatedEndpoints());
        ucp_params.name(params, arena.allocateFrom(config.name()));
        return params;
    }

    static void check(int rawStatus, String operation) {
        if (rawStatus < 0) {
            throw new UcxException(rawStatus, operation, null);
        }
    }

    /** {@return what this context was made with} */
    public UcpConfig config() {
        return config;
    }

    /**
     * Makes a worker that belongs to the calling thread.
     *
     * @param workerConfig limits and names
     * @return the worker, to be closed by this thread
     */
    public UcpWorker createWorker(UcpWorkerConfig workerConfig) {
        Objects.requireNonNull(workerConfig, "workerConfig");
        return whileOpen(() -> UcpWorker.create(this, workerConfig));
    }

    /**
     * Registers memory that the caller owns ({@code ucp_mem_map}).
     *
     * @param segment native memory of a shared, automatic or global arena; has to stay alive until the result is closed
     * @return the registration, to be closed by the caller
     */
    public UcpMemory register(MemorySegment segment) {
        return whileOpen(() -> UcpMemory.register(this, segment));
    }

    /**
     * Lets UCX allocate registered memory, zeroed ({@code ucp_mem_map} with {@code UCP_MEM_MAP_ALLOCATE}). Between processes of one
     * host, only such memory is reached without the other side's help.
     *
     * @param bytes size, at least 1
     * @return the memory, to be closed by the caller
     */
    public UcpMemory allocate(long bytes) {
        return whileOpen(() -> UcpMemory.allocate(this, bytes));
    }

    /** {@return bytes that are registered now} */
    public long registeredBytes() {
        return registeredBytes.get();
    }

    /** {@return workers that are open, those left to the process included} */
    public int openWorkers() {
        return openWorkers.get();
    }

    /** {@return registrations that are open} */
    public int openRegistrations() {
        return openMemory.get();
    }

    /** {@return UCX's own description of the context ({@code ucp_context_print_info})} */
    public String info() {
        return whileOpen(() -> NativeText.print(stream -> ucx_h.ucp_context_print_info(handle, stream)));
    }

    /** Keeps {@link #close()} away while something is made from this context, and counted. */
    private <T> T whileOpen(Supplier<T> nativeCalls) {
        lifetime.readLock().lock();
        try {
            if (closed) {
                throw new UcxClosedException("context", "the context " + config.name());
            }
            return nativeCalls.get();
        } finally {
            lifetime.readLock().unlock();
        }
    }

    /** The native context; open, since the caller is counted as one of its users. */
    MemorySegment handle() {
        return handle;
    }

    /** Variables that transports have to find when they read their settings. */
    Map<String, String> environment() {
        return environment;
    }

    boolean has(UcpFeature feature) {
        return config.features().contains(feature);
    }

    boolean tcpUsesOnlyIpv6() {
        return tcpUsesOnlyIpv6;
    }

    void requireFeature(UcpFeature feature, String operation) {
        if (!has(feature)) {
            throw new UcxUnsupportedException(operation,
                    "the context was made without the feature " + feature + ", add it to its UcpConfig");
        }
    }

    void workerOpened() {
        openWorkers.incrementAndGet();
    }

    void workerClosed() {
        openWorkers.decrementAndGet();
    }

    void workerAbandoned() {
        abandonedWorkers.incrementAndGet();
    }

    void mapped(UcpMemory memory) {
        openMemory.incrementAndGet();
        registeredBytes.addAndGet(memory.segment().byteSize());
        if (memory.isAllocated()) {
            allocated.add(memory);
        }
    }

    void unmapped(UcpMemory memory) {
        allocated.remove(memory);
        registeredBytes.addAndGet(-memory.segment().byteSize());
        openMemory.decrementAndGet();
    }

    /** What an operation on local memory has to hold: the registration that is passed along, or else memory of UCX that it is part of. */
    @Nullable Pinned pinned(@Nullable UcpMemory registration, MemorySegment local) {
        if (registration != null) {
            return registration.pinned();
        }
        for (UcpMemory memory : allocated) {
            if (memory.contains(local)) {
                return memory.pinned();
            }
        }
        return null;
    }

    /** {@return whether {@link #close()} was called with success} */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        lifetime.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            if (openWorkers.get() > abandonedWorkers.get() || openMemory.get() > 0) {
                throw new IllegalStateException("context " + config.name() + ": close its " + openWorkers.get() + " workers and "
                        + openMemory.get() + " registrations first");
            }
            closed = true;
        } finally {
            lifetime.writeLock().unlock();
        }
        if (abandonedWorkers.get() > 0) {
            LOG.error("The context {} is left to the process: {} of its workers could not be destroyed", config.name(),
                    abandonedWorkers.get());
            return;
        }
        ucx_h.ucp_cleanup(handle);
        OPEN.decrementAndGet();
    }
}
