package io.reactorucx.core;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.ucp_mem_advise_params;
import io.reactorucx.core.ffi.ucp_mem_map_params;
import io.reactorucx.core.ffi.ucp_memh_buffer_release_params;
import io.reactorucx.core.ffi.ucp_memh_pack_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.config.FailureCause;
import io.reactorucx.core.internal.config.SharedMemorySpace;
import io.reactorucx.core.internal.memory.AddressReservation;
import io.reactorucx.core.internal.memory.HeldMemory;
import io.reactorucx.core.internal.memory.MemoryViews;
import io.reactorucx.core.internal.memory.PinnableMemory;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory that is registered with a context ({@code ucp_mem_h}), so that operations on it and remote access to it need
 * no set-up.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> memory that UCX allocated ends with {@link #close()}; memory of
 * the caller stays alive until then, because it is kept reachable, and a {@link UcxArena} refuses to be closed.
 * <b>Errors:</b> {@link #close()} refuses while an operation of this process uses the memory, other than those of an
 * abandoned worker, for which it stays mapped; accesses of peers are not known to this side.
 */
public final class UcpMemory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcpMemory.class);
    private static final int CLOSED = -1;

    private final UcpContext context;
    private final MemorySegment handle;
    private final MemoryViews views = new MemoryViews();
    private final MemorySegment segment;
    private final @Nullable Arena arena;
    private final PinnableMemory mapped;
    /** The pin that keeps memory of the caller allocated; null where nothing has to. */
    private final @Nullable Pinned held;
    private final Object ending = new Object();
    private final AtomicInteger pins = new AtomicInteger();
    /** Number of pins that will never be removed. */
    private final AtomicInteger abandonedPins = new AtomicInteger();
    private final Pinned pinned = new Registered();

    /** The pin of an operation that names this registration to UCX. */
    final class Registered implements Pinned {

        @Override
        public void pin() {
            pinOnce();
        }

        @Override
        public void unpin() {
            pins.decrementAndGet();
        }

        @Override
        public void abandon() {
            abandonedPins.incrementAndGet();
        }
    }

    private UcpMemory(UcpContext context, MemorySegment handle, MemorySegment segment, @Nullable Arena arena,
            @Nullable Pinned held) {
        this.context = context;
        this.handle = handle;
        this.segment = segment;
        this.arena = arena;
        this.held = held;
        this.mapped = arena == null ? PinnableMemory.addRegistered(segment, pinned)
                : PinnableMemory.add(segment, pinned);
        context.mapped(this);
    }

    static UcpMemory map(UcpContext context, UcpMemoryParameters parameters) {
        checkSupport(context, parameters);
        MemorySegment segment = parameters.segment();
        return segment == null ? allocate(context, parameters) : register(context, parameters, segment);
    }

    /** Holds the memory before UCX looks at it, so that its arena cannot be closed in between. */
    private static UcpMemory register(UcpContext context, UcpMemoryParameters parameters, MemorySegment segment) {
        Arguments.destination(segment, "segment");
        Pinned held = HeldMemory.registration(segment, "segment");
        if (held != null) {
            held.pin();
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment handle = map(context, parameters, segment, call);
            try {
                return new UcpMemory(context, handle, segment, null, held);
            } catch (RuntimeException | Error e) {
                undo(context, handle, segment);
                throw e;
            }
        } catch (RuntimeException | Error e) {
            if (held != null) {
                held.unpin();
            }
            throw e;
        }
    }

    /** Unmaps what no object stands for, and reports it before, as far as its place is known. */
    private static void undo(UcpContext context, MemorySegment handle, MemorySegment mapped) {
        context.registrations().forget(mapped);
        ucx_h.ucp_mem_unmap(context.handle(), handle);
    }

    private static void checkSupport(UcpContext context, UcpMemoryParameters parameters) {
        parameters.flags().forEach(MemoryMapFlag::requireSupport);
        UcxMemoryType type = parameters.memoryType();
        if (type == null || type == UcxMemoryType.HOST) {
            return;
        }
        if (!type.isHostAccessible()) {
            throw new UcxUnsupportedException("ucp_mem_map", "memory type " + type
                    + " cannot be reached by the host, so it makes no MemorySegment");
        }
        // UCX takes the type for an index without a check.
        if (!UcpContextAttributes.of(context.handle()).memoryTypes().contains(type)) {
            throw new UcxUnsupportedException("ucp_mem_map", "memory type " + type
                    + " is none that the transports of this context know");
        }
    }

    private static UcpMemory allocate(UcpContext context, UcpMemoryParameters parameters) {
        long bytes = parameters.length();
        SharedMemorySpace.require(context.config().effective(), context::transports, bytes, "ucp_mem_map");
        AddressReservation place = parameters.address() == 0
                ? null : AddressReservation.tryReserve(parameters.address(), bytes);
        if (place == null && parameters.flags().contains(MemoryMapFlag.FIXED)) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(parameters.address())
                    + ": FIXED needs twice " + bytes + " bytes of address space there that nothing is in");
        }
        Arena arena = Arena.ofShared();
        try (Arena call = Arena.ofConfined()) {
            MemorySegment at = place == null ? MemorySegment.NULL : MemorySegment.ofAddress(parameters.address());
            MemorySegment handle = map(context, parameters, at, call);
            MemorySegment mapped = MemorySegment.NULL;
            try {
                UcpMemoryAttributes attributes = UcpMemoryAttributes.of(handle);
                mapped = MemorySegment.ofAddress(attributes.address()).reinterpret(bytes);
                if (place != null) {
                    if (attributes.address() == place.address()) {
                        place.keep(attributes.length());
                    } else {
                        place.release();
                    }
                    place = null;
                }
                MemorySegment memory = MemorySegment.ofAddress(attributes.address()).reinterpret(bytes, arena, null)
                        .fill((byte) 0);
                return new UcpMemory(context, handle, memory, arena, null);
            } catch (RuntimeException | Error e) {
                undo(context, handle, mapped);
                throw e;
            }
        } catch (RuntimeException | Error e) {
            arena.close();
            if (place != null) {
                place.release();
            }
            throw e;
        }
    }

    private static MemorySegment map(UcpContext context, UcpMemoryParameters parameters, MemorySegment address,
            Arena call) {
        MemorySegment params = ucp_mem_map_params.allocate(call);
        long mask = ucx_h.UCP_MEM_MAP_PARAM_FIELD_ADDRESS() | ucx_h.UCP_MEM_MAP_PARAM_FIELD_LENGTH()
                | ucx_h.UCP_MEM_MAP_PARAM_FIELD_FLAGS();
        ucp_mem_map_params.address(params, address);
        ucp_mem_map_params.length(params, parameters.length());
        ucp_mem_map_params.flags(params, parameters.flags().stream().mapToInt(MemoryMapFlag::bit).sum());
        UcxMemoryType type = parameters.memoryType();
        if (type != null) {
            mask |= ucx_h.UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE();
            ucp_mem_map_params.memory_type(params, type.code());
        }
        if (!parameters.protection().isEmpty()) {
            mask |= ucx_h.UCP_MEM_MAP_PARAM_FIELD_PROT();
            ucp_mem_map_params.prot(params, parameters.protection().stream().mapToInt(MemoryProtection::bit).sum());
        }
        ucp_mem_map_params.field_mask(params, mask);
        MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
        int status = ucx_h.ucp_mem_map(context.handle(), params, pointer);
        if (status < 0) {
            throw FailureCause.explained(status, "ucp_mem_map of " + parameters.length() + " bytes", null,
                    context.config().effective());
        }
        return pointer.get(ValueLayout.ADDRESS, 0);
    }

    /** {@return the memory; not accessible any more after {@link #close()} when UCX allocated it} */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * A part of the memory that keeps an object reachable: as long as the part can be reached, or a slice or a buffer
     * made of it, the object can. An observer of the object, a {@code Cleaner} for example, thus learns when the part
     * cannot be used any more.
     *
     * @param offset first byte
     * @param length size in bytes, may be 0
     * @param companion the object, which must not lead to the part
     * @return the part, not accessible any more after {@link #close()}
     */
    public MemorySegment view(long offset, long length, Object companion) {
        Arguments.bounds(offset, length, segment.byteSize(), "view");
        Objects.requireNonNull(companion, "companion");
        pinOnce();
        try {
            return views.add(segment.asSlice(offset, length), companion);
        } finally {
            pins.decrementAndGet();
        }
    }

    /**
     * Returns the descriptor that peers need to reach all of this memory ({@code ucp_rkey_pack}).
     *
     * @return the descriptor, valid until {@link #close()}
     */
    public MemoryDescriptor descriptor() {
        return descriptor(0, segment.byteSize());
    }

    /**
     * Returns the descriptor that peers need to reach a part of this memory.
     *
     * @param offset first byte
     * @param length size in bytes, at least 1
     * @return the descriptor, valid until {@link #close()}
     */
    public MemoryDescriptor descriptor(long offset, long length) {
        context.requireMemoryAccess("ucp_rkey_pack");
        Arguments.positive(length, "length");
        Arguments.bounds(offset, length, segment.byteSize(), "window");
        return whilePinned(() -> new MemoryDescriptor(segment.address() + offset, length, packedKey()));
    }

    private byte[] packedKey() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
            MemorySegment size = call.allocate(ValueLayout.JAVA_LONG);
            NativeStatus.check(ucx_h.ucp_rkey_pack(context.handle(), handle, pointer, size), "ucp_rkey_pack");
            MemorySegment packed = pointer.get(ValueLayout.ADDRESS, 0);
            try {
                return packed.reinterpret(size.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
            } finally {
                ucx_h.ucp_rkey_buffer_release(packed);
            }
        }
    }

    /** {@return what UCX says of the memory} */
    public UcpMemoryAttributes attributes() {
        return whilePinned(() -> UcpMemoryAttributes.of(handle));
    }

    /**
     * Advises UCX on how a part of the memory will be used ({@code ucp_mem_advise}), which UCX may ignore.
     *
     * @param offset first byte
     * @param length size in bytes, at least 1
     * @param advice how
     */
    public void advise(long offset, long length, MemoryAdvice advice) {
        Objects.requireNonNull(advice, "advice");
        Arguments.positive(length, "length");
        Arguments.bounds(offset, length, segment.byteSize(), "range");
        whilePinned(() -> {
            try (Arena call = Arena.ofConfined()) {
                MemorySegment params = ucp_mem_advise_params.allocate(call);
                ucp_mem_advise_params.field_mask(params, ucx_h.UCP_MEM_ADVISE_PARAM_FIELD_ADDRESS()
                        | ucx_h.UCP_MEM_ADVISE_PARAM_FIELD_LENGTH() | ucx_h.UCP_MEM_ADVISE_PARAM_FIELD_ADVICE());
                ucp_mem_advise_params.address(params, segment.asSlice(offset, length));
                ucp_mem_advise_params.length(params, length);
                ucp_mem_advise_params.advice(params, advice.code());
                int status = ucx_h.ucp_mem_advise(context.handle(), handle, params);
                NativeStatus.check(status, "ucp_mem_advise");
                return status;
            }
        });
    }

    /**
     * A handle that a process on another host's device can map and use as its own, from UCX 1.14 on ({@code
     * ucp_memh_pack} with {@code UCP_MEMH_PACK_FLAG_EXPORT}).
     *
     * @return the handle for {@link UcpContext#importMemory}
     */
    public byte[] export() {
        context.support(UcpCapability.EXPORTED_MEMORY).require("ucp_memh_pack");
        return whilePinned(() -> {
            try (Arena call = Arena.ofConfined()) {
                MemorySegment params = ucp_memh_pack_params.allocate(call);
                ucp_memh_pack_params.field_mask(params, ucx_h.UCP_MEMH_PACK_PARAM_FIELD_FLAGS());
                ucp_memh_pack_params.flags(params, ucx_h.UCP_MEMH_PACK_FLAG_EXPORT());
                MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
                MemorySegment size = call.allocate(ValueLayout.JAVA_LONG);
                NativeStatus.check(ucx_h.ucp_memh_pack(handle, params, pointer, size), "ucp_memh_pack");
                MemorySegment packed = pointer.get(ValueLayout.ADDRESS, 0);
                try {
                    return packed.reinterpret(size.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
                } finally {
                    ucx_h.ucp_memh_buffer_release(packed, ucp_memh_buffer_release_params.allocate(call));
                }
            }
        });
    }

    /** Runs native calls on this memory, which cannot be closed meanwhile. */
    private <T> T whilePinned(Supplier<T> nativeCalls) {
        context.checkThread();
        pinned.pin();
        try {
            return nativeCalls.get();
        } finally {
            pinned.unpin();
        }
    }

    /** Memory of an operation, which has to be part of the registration that is passed along with it, if one is. */
    static MemorySegment within(@Nullable UcpMemory registration, MemorySegment local) {
        if (registration != null && local.byteSize() > 0 && !registration.contains(local)) {
            throw new IllegalArgumentException("registration: the " + local.byteSize()
                    + " bytes are not part of this registered memory");
        }
        return local;
    }

    /**
     * The registration to pass to UCX with an operation: null when there are no bytes, whose address 1.23 finds outside
     * of it.
     */
    static @Nullable UcpMemory nullIfEmpty(@Nullable UcpMemory registration, MemorySegment local) {
        return local.byteSize() == 0 ? null : registration;
    }

    /** Returns whether a range is the application's own memory and registered by it. */
    static boolean isRegistered(long address, long bytes) {
        return PinnableMemory.registered(address, bytes) != null;
    }

    private boolean contains(MemorySegment other) {
        return PinnableMemory.contains(segment, other.address(), other.byteSize());
    }

    /**
     * Returns whether it is registered with a context, whose workers alone can use the registration.
     *
     * @param other the context
     * @return whether it is that one's
     */
    public boolean isOf(UcpContext other) {
        return context == Objects.requireNonNull(other, "other");
    }

    UcpContext context() {
        return context;
    }

    MemorySegment handle() {
        return handle;
    }

    /** Returns the pin of an operation on this memory. */
    Pinned pinned() {
        return pinned;
    }

    /** For an operation that copies within its call and pins nothing. */
    void requireOpen() {
        if (isClosed()) {
            throw ended();
        }
    }

    private UcxClosedException ended() {
        return new UcxClosedException("registered memory", "the registration of " + segment.byteSize() + " bytes");
    }

    private void pinOnce() {
        int before;
        do {
            before = pins.get();
            if (before == CLOSED) {
                throw ended();
            }
        } while (!pins.compareAndSet(before, before + 1));
    }

    /** {@return whether the registration has ended} */
    public boolean isClosed() {
        return pins.get() == CLOSED;
    }

    @Override
    public void close() {
        context.checkThread();
        // Whoever closes it as well returns when it has ended: the context may be closed next.
        synchronized (ending) {
            end();
        }
    }

    private void end() {
        int abandoned = abandonedPins.get();
        if (!pins.compareAndSet(abandoned, CLOSED)) {
            int uses = pins.get();
            if (uses > 0) {
                throw new IllegalStateException("registered memory: " + (uses - abandoned)
                        + " operations still use it");
            }
            return;
        }
        try {
            views.close();
            if (arena != null) {
                arena.close();
            }
        } catch (IllegalStateException e) {
            // Another thread is reading or writing the memory; it may be closed later.
            pins.set(abandoned);
            throw e;
        }
        mapped.remove();
        if (abandoned > 0) {
            if (held != null) {
                held.abandon();
            }
            LOG.error("{} bytes of registered memory are left to the process: {} operations of abandoned workers"
                    + " use them", segment.byteSize(), abandoned);
            context.memoryAbandoned();
        } else {
            // Before: what UCX has allocated is free to others within the call.
            context.registrations().forget(segment);
            ucx_h.ucp_mem_unmap(context.handle(), handle);
            if (held != null) {
                held.unpin();
            }
        }
        context.unmapped(this);
    }
}
