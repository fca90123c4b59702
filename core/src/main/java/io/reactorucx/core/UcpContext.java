package io.reactorucx.core;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.ucp_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.core.internal.NativeText;
import io.reactorucx.core.internal.config.ContextSettings;
import io.reactorucx.core.internal.config.FailureCause;
import io.reactorucx.core.internal.config.SharedMemorySpace;
import io.reactorucx.core.internal.config.TransportChoice;
import io.reactorucx.core.internal.config.UcxSettings;
import io.reactorucx.core.internal.memory.HeldMemory;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's use of UCX: features, transports and registered memory ({@code ucp_context_h}).
 *
 * <p><b>Threading:</b> any thread, and workers of several threads share it, unless {@link UcpConfig#workersShared()} is
 * off. <b>Ownership:</b> close it last: it refuses while a worker or registered memory is open. <b>Errors:</b> {@link
 * UcxUnavailableException} without a usable library, {@link UcxException} with UCX's status.
 */
public final class UcpContext implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcpContext.class);
    private static final AtomicInteger OPEN = new AtomicInteger();
    private static final AtomicReference<String> COMPLETED = new AtomicReference<>("");

    private final MemorySegment handle;
    private final UcpConfig config;
    private final long features;
    private final Map<String, String> environment;
    private final boolean tcpUsesOnlyIpv6;
    private final RegistrationCache registrations;
    private final ReentrantReadWriteLock lifetime = new ReentrantReadWriteLock();
    private final @Nullable Thread owner;
    /** The context whose registrations the operations of this one take, too; without their keys. */
    private final @Nullable UcpContext lender;
    private volatile @Nullable Boolean estimatesAreSafe;
    private volatile boolean closed;
    private final AtomicInteger openWorkers = new AtomicInteger();
    private final AtomicInteger abandonedWorkers = new AtomicInteger();
    private final AtomicInteger openMemory = new AtomicInteger();
    private final AtomicInteger abandonedMemory = new AtomicInteger();
    private final AtomicLong registeredBytes = new AtomicLong();

    private UcpContext(MemorySegment handle, UcpConfig config, Map<String, String> environment,
            @Nullable UcpContext lender) {
        this.handle = handle;
        this.lender = lender;
        this.config = config;
        this.registrations = RegistrationCache.of(config.effective());
        this.features = features(config);
        this.environment = environment;
        this.owner = config.workersShared() ? null : Thread.currentThread();
        this.tcpUsesOnlyIpv6 = "inet6".equals(setting("TCP_AF_PRIO"));
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
        return create(Objects.requireNonNull(config, "config"), (UcpContext) null);
    }

    /**
     * Makes a context whose operations take memory that is registered with another one, too. The registration keeps the
     * memory in place; UCX does not get its key, which would be one of the other context's transports.
     *
     * @param config what it can do
     * @param lender the other context, which is closed after this one
     * @return the context, to be closed by the caller
     */
    public static UcpContext createBeside(UcpConfig config, UcpContext lender) {
        return create(Objects.requireNonNull(config, "config"), Objects.requireNonNull(lender, "lender"));
    }

    private static UcpContext create(UcpConfig config, @Nullable UcpContext lender) {
        Ucx.ensureAvailable();
        if (config.features().contains(UcpFeature.EXPORTED_MEMH)) {
            UcpCapability.EXPORTED_MEMORY.inLibrary().require("ucp_init with the feature EXPORTED_MEMH");
        }
        CapabilityCheck.requireSafeProtocols(config);
        CapabilityCheck.requireData(config);
        FailureCause.requireFiles("ucp_init");
        sayMissingTransports(config);
        UcxSettings effective = config.effective();
        Map<String, String> ofTransports = ContextSettings.ofTransports(effective);
        return NativeEnvironment.with(ofTransports,
                () -> ContextSettings.with(effective, settings -> init(config, settings, ofTransports, lender)));
    }

    /** Says what is added to a list of transports, once for several contexts with the same one. */
    private static void sayMissingTransports(UcpConfig config) {
        String missing = ContextSettings.missingTransports(config.effective());
        String transports = TransportChoice.of(config.effective()).transports();
        if (!missing.isEmpty() && !transports.equals(COMPLETED.getAndSet(transports))) {
            LOG.info("[{}] the transports {} are completed by {}: RDMA's reliable connections are made by messages over"
                    + " another transport, and none of these can carry them", config.name(), transports, missing);
        }
    }

    private static UcpContext init(UcpConfig config, MemorySegment settings, Map<String, String> ofTransports,
            @Nullable UcpContext lender) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            int minor = Math.min(ucx_h.UCP_API_MINOR(), Ucx.version().minor());
            FailureCause.check(ucx_h.ucp_init_version(ucx_h.UCP_API_MAJOR(), minor, params(config, arena), settings,
                    pointer), "ucp_init", config.effective());
            MemorySegment handle = pointer.get(ValueLayout.ADDRESS, 0);
            try {
                return new UcpContext(handle, config, ofTransports, lender);
            } catch (RuntimeException | Error e) {
                ucx_h.ucp_cleanup(handle);
                throw e;
            }
        }
    }

    private static MemorySegment params(UcpConfig config, Arena arena) {
        MemorySegment params = ucp_params.allocate(arena);
        ucp_params.field_mask(params, ucx_h.UCP_PARAM_FIELD_FEATURES() | ucx_h.UCP_PARAM_FIELD_MT_WORKERS_SHARED()
                | ucx_h.UCP_PARAM_FIELD_ESTIMATED_NUM_EPS() | ucx_h.UCP_PARAM_FIELD_ESTIMATED_NUM_PPN()
                | ucx_h.UCP_PARAM_FIELD_TAG_SENDER_MASK() | ucx_h.UCP_PARAM_FIELD_NAME());
        ucp_params.features(params, features(config));
        ucp_params.mt_workers_shared(params, config.workersShared() ? 1 : 0);
        ucp_params.estimated_num_eps(params, config.estimatedEndpoints());
        ucp_params.estimated_num_ppn(params, config.estimatedProcessesPerNode());
        ucp_params.tag_sender_mask(params, config.tagSenderMask());
        ucp_params.name(params, arena.allocateFrom(config.name()));
        return params;
    }

    private static long features(UcpConfig config) {
        return config.features().stream().mapToLong(UcpFeature::bit).reduce(0, (a, b) -> a | b);
    }

    RegistrationCache registrations() {
        return registrations;
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
     * @param segment native memory of a {@link UcxArena}, an automatic or the global arena
     * @return the registration, to be closed by the caller
     */
    public UcpMemory register(MemorySegment segment) {
        return map(UcpMemoryParameters.register(segment));
    }

    /**
     * Lets UCX allocate registered memory, zeroed ({@code ucp_mem_map} with {@code UCP_MEM_MAP_ALLOCATE}). Between
     * processes of one host, only such memory is reached without the other side's help.
     *
     * @param bytes size, at least 1
     * @return the memory, to be closed by the caller
     */
    public UcpMemory allocate(long bytes) {
        return map(UcpMemoryParameters.allocate(bytes));
    }

    /**
     * Registers or allocates memory in any way that UCX can ({@code ucp_mem_map}).
     *
     * @param parameters which memory, and how
     * @return the memory, to be closed by the caller
     */
    public UcpMemory map(UcpMemoryParameters parameters) {
        Objects.requireNonNull(parameters, "parameters");
        return whileOpen(() -> UcpMemory.map(this, parameters));
    }

    /**
     * Maps a peer's memory, from UCX 1.14 on.
     *
     * @param exported what {@link UcpMemory#export()} gave on the other side; its structure is checked, what its keys
     *     say is trusted
     * @return the memory, to be closed by the caller
     */
    public UcpImportedMemory importMemory(byte[] exported) {
        return whileOpen(() -> UcpImportedMemory.of(this, exported));
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

    /** {@return what UCX says of the context} */
    public UcpContextAttributes attributes() {
        return whileOpen(() -> UcpContextAttributes.of(handle));
    }

    /**
     * Returns whether this context has a capability, for endpoints with {@link ErrorMode#PEER}.
     *
     * @param capability what to do
     * @return whether it can, and why not
     */
    public UcpSupport support(UcpCapability capability) {
        return support(capability, ErrorMode.PEER);
    }

    /**
     * Returns whether this context has a capability.
     *
     * @param capability what to do
     * @param errorMode the error mode of the endpoints that it is for
     * @return whether it can, and why not
     */
    public UcpSupport support(UcpCapability capability, ErrorMode errorMode) {
        Objects.requireNonNull(errorMode, "errorMode");
        return CapabilityCheck.of(this, Objects.requireNonNull(capability, "capability"), errorMode);
    }

    /** {@return transports and devices that this context may use, as {@code transport/device}} */
    public List<String> transports() {
        return CapabilityCheck.transports(info());
    }

    /** {@return UCX's own description of the context ({@code ucp_context_print_info})} */
    public String info() {
        return whileOpen(() -> NativeText.print(stream -> ucx_h.ucp_context_print_info(handle, stream)));
    }

    /**
     * UCX's own description of memory that it would allocate now ({@code ucp_mem_print_info}): where, how, and
     * registered with what.
     *
     * @param bytes how much it allocates for this, and frees again
     * @return the description
     */
    public String memoryInfo(long bytes) {
        String size = Long.toString(Arguments.positive(bytes, "bytes"));
        return whileOpen(() -> {
            SharedMemorySpace.require(config.effective(), this::transports, bytes, "ucp_mem_print_info");
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment text = arena.allocateFrom(size);
                String info = NativeText.print(stream -> ucx_h.ucp_mem_print_info(text, handle, stream));
                if (info.isEmpty()) {
                    throw new UcxException(UcxStatus.NO_MEMORY, "ucp_mem_print_info", null,
                            bytes + " bytes cannot be allocated");
                }
                return info;
            }
        });
    }

    /** Blocks {@link #close()} while an object is made from this context and counted. */
    private <T> T whileOpen(Supplier<T> nativeCalls) {
        checkThread();
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
        return (features & feature.bit()) != 0;
    }

    /**
     * Refuses IPv6 where UCX would write past its memory: its tcp transport makes room for a peer's address by the
     * family of the local interface, which is IPv4 unless a setting restricts it to IPv6.
     */
    void requireFamily(InetSocketAddress address, String operation) {
        if (address.getAddress() instanceof Inet6Address && !tcpUsesOnlyIpv6) {
            throw new UcxUnsupportedException(operation, address + " is an IPv6 address: UCX's tcp transport corrupts"
                    + " memory there unless the context is made with the setting TCP_AF_PRIO=inet6, which leaves"
                    + " IPv4 out");
        }
    }

    boolean tcpUsesOnlyIpv6() {
        return tcpUsesOnlyIpv6;
    }

    void requireFeature(UcpFeature feature, String operation) {
        if (!has(feature)) {
            throw new UcxUnsupportedException(operation, missing(feature));
        }
    }

    static String missing(UcpFeature feature) {
        return "the context was made without the feature " + feature + ", add it to its UcpConfig";
    }

    /** Returns the effective value of a setting, empty where nothing says it. */
    String setting(String key) {
        return config.effective().value(key).orElse("");
    }

    /** Without UCX's locks ({@code mt_workers_shared}) only one thread may use the context. */
    void checkThread() {
        if (owner != null && Thread.currentThread() != owner) {
            throw new IllegalStateException("context " + config.name()
                    + ": it was made with workersShared(false) and belongs to the thread " + owner.getName()
                    + ", this is " + Thread.currentThread().getName());
        }
    }

    /** Refuses estimates where UCX would read outside of its memory. Looked up once, for the first estimate. */
    void requireEstimates(String operation) {
        Boolean safe = estimatesAreSafe;
        if (safe == null) {
            safe = PerformanceEstimate.isSafe(config);
            estimatesAreSafe = safe;
        }
        if (!safe) {
            throw new UcxUnsupportedException(operation,
                    "with the setting UNIFIED_MODE UCX reads past its interfaces there");
        }
    }

    /** Keys serve put and get as well as atomics. */
    void requireMemoryAccess(String operation) {
        if (!has(UcpFeature.AMO32) && !has(UcpFeature.AMO64)) {
            requireFeature(UcpFeature.RMA, operation);
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

    void mapped() {
        openMemory.incrementAndGet();
    }

    void unmapped() {
        openMemory.decrementAndGet();
    }

    void mapped(UcpMemory memory) {
        mapped();
        registeredBytes.addAndGet(memory.segment().byteSize());
    }

    void unmapped(UcpMemory memory) {
        registeredBytes.addAndGet(-memory.segment().byteSize());
        unmapped();
    }

    /** Memory of this context was closed that operations of abandoned workers may still touch. */
    void memoryAbandoned() {
        abandonedMemory.incrementAndGet();
    }

    /**
     * Returns the pin of an operation on local memory: that of the registration that is passed along, or else of what
     * keeps the memory allocated. Throws for memory that could be freed during the operation.
     */
    @Nullable Pinned pinned(@Nullable UcpMemory registration, MemorySegment local, String name) {
        if (registration != null) {
            requireOwn(registration);
            return registration.pinned();
        }
        return HeldMemory.pinned(local, name);
    }

    /** The checks of {@link #pinned}, for an operation that copies within its call and pins nothing. */
    void requireUsable(@Nullable UcpMemory registration) {
        if (registration != null) {
            requireOwn(registration);
            registration.requireOpen();
        }
    }

    private void requireOwn(UcpMemory registration) {
        if (registration.context() != this && registration.context() != lender) {
            throw new IllegalArgumentException("registration: of the context " + registration.context().config.name()
                    + ", which is another one than the operation's; UCX would take its keys for its own");
        }
    }

    /** {@return whether {@link #close()} was called with success} */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        checkThread();
        lifetime.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            if (openWorkers.get() > abandonedWorkers.get() || openMemory.get() > 0) {
                throw new IllegalStateException("context " + config.name() + ": close its " + openWorkers.get()
                        + " workers and " + openMemory.get() + " registrations first");
            }
            closed = true;
        } finally {
            lifetime.writeLock().unlock();
        }
        if (abandonedWorkers.get() > 0 || abandonedMemory.get() > 0) {
            LOG.error("The context {} is left to the process: {} of its workers could not be destroyed, {} of its"
                    + " registrations not ended", config.name(), abandonedWorkers.get(), abandonedMemory.get());
            return;
        }
        ucx_h.ucp_cleanup(handle);
        OPEN.decrementAndGet();
    }
}
