package io.reactorucx.uct;

import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.ucs_sock_addr;
import io.reactorucx.core.ffi.uct_md_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.socket.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open memory domain ({@code uct_md_h}): memory and transports that can be used together.
 *
 * <p><b>Threading:</b> it and what was made from it belong to the thread that opened it; each call checks that. Memory
 * itself may be used from any thread. <b>Ownership:</b> close it last: it refuses while memory or a remote key of it is
 * open. <b>Errors:</b> {@link io.reactorucx.core.error.UcxException} with UCX's status, {@link
 * io.reactorucx.core.error.UcxUnsupportedException} for what {@link #isSupported} denies.
 */
public final class UctMemoryDomain implements AutoCloseable {

    private static final AtomicInteger OPEN = new AtomicInteger();
    /** A domain without keys still needs an address to write keys to. */
    private static final long SPARE_BYTES = 64;

    private final UctComponent component;
    private final String name;
    private final MemorySegment handle;
    private final Thread owner = Thread.currentThread();
    private final List<MemorySegment> registrations = new ArrayList<>();
    private int children;
    private boolean closed;

    private UctMemoryDomain(UctComponent component, String name, MemorySegment handle) {
        this.component = component;
        this.name = name;
        this.handle = handle;
        OPEN.incrementAndGet();
    }

    /** {@return memory domains of this process that are not closed} */
    public static int openDomains() {
        return OPEN.get();
    }

    static UctMemoryDomain open(UctComponent component, String name, UctMdConfig config) {
        return config.call(settings -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
                NativeStatus.check(ucx_h.uct_md_open(component.handle(), arena.allocateFrom(name), settings, pointer),
                        "uct_md_open of " + name);
                MemorySegment handle = pointer.get(ValueLayout.ADDRESS, 0);
                int status = ucx_h.uct_md_query(handle, uct_md_attr.allocate(arena));
                if (status < 0) {
                    ucx_h.uct_md_close(handle);
                    NativeStatus.check(status, "uct_md_query of " + name);
                }
                return new UctMemoryDomain(component, name, handle);
            }
        });
    }

    /** {@return the component that drives it} */
    public UctComponent component() {
        return component;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return what it can do now ({@code uct_md_query})} */
    public UctMdAttributes attributes() {
        checkOpen("uct_md_query");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = uct_md_attr.allocate(arena);
            NativeStatus.check(ucx_h.uct_md_query(handle, attr), "uct_md_query");
            return UctMdAttributes.read(attr);
        }
    }

    /** {@return the transports that it opens, each with its devices ({@code uct_md_query_tl_resources})} */
    public List<UctResource> resources() {
        checkOpen("uct_md_query_tl_resources");
        return UctResource.of(handle);
    }

    /**
     * Returns whether an operation is possible on this domain.
     *
     * @param operation the operation
     * @return false when it would end in {@link UcxUnsupportedException}
     */
    public boolean isSupported(UctMdOperation operation) {
        return Objects.requireNonNull(operation, "operation").isSupported(component.flags(), attributes());
    }

    void require(UctMdOperation operation) {
        if (!isSupported(operation)) {
            throw new UcxUnsupportedException(operation.function(), "the memory domain " + name + " "
                    + operation.lack());
        }
    }

    /**
     * Allocates memory by this domain or, where the request names other methods, without it ({@code uct_mem_alloc}).
     *
     * @param request what to allocate, and how
     * @return the memory, to be closed by this thread
     */
    public UctAllocatedMemory allocate(UctAllocationRequest request) {
        checkOpen("uct_mem_alloc");
        return UctAllocatedMemory.allocate(request, List.of(this));
    }

    /**
     * Registers memory that the caller owns ({@code uct_md_mem_reg}).
     *
     * @param segment native memory, which has to stay alive until the result is closed
     * @param flags what may be done with it; at least one access
     * @return the registration, to be closed by this thread
     */
    public UctRegisteredMemory register(MemorySegment segment, Set<UctMemoryFlag> flags) {
        checkOpen("uct_md_mem_reg");
        return UctRegisteredMemory.register(this, segment, flags);
    }

    /**
     * Unpacks a key, so that a peer's memory can be reached ({@code uct_rkey_unpack}).
     *
     * @param key what the peer's {@link UctMemory#packKey()} gave, by a domain of the same component
     * @return the remote key, to be closed by this thread
     */
    public UctRemoteKey unpack(UctPackedKey key) {
        return UctRemoteKey.unpack(this, Objects.requireNonNull(key, "key"));
    }

    /**
     * Queries attributes of memory by its address ({@code uct_md_mem_query}).
     *
     * @param segment native memory
     * @param fields what to ask for, at least one
     * @return what the domain knows
     */
    public UctMemoryAttributes queryMemory(MemorySegment segment, Set<UctMemoryAttributes.Field> fields) {
        checkOpen("uct_md_mem_query");
        MemoryQuery.check(segment);
        Set<UctMemoryAttributes.Field> asked = MemoryQuery.checked(fields);
        require(UctMdOperation.QUERY_MEMORY);
        return MemoryQuery.query(handle, segment, asked);
    }

    /**
     * Detects the type of memory by its address ({@code uct_md_detect_memory_type}).
     *
     * @param segment native memory
     * @return the type
     */
    public UcxMemoryType detectMemoryType(MemorySegment segment) {
        checkOpen("uct_md_detect_memory_type");
        MemoryQuery.check(segment);
        require(UctMdOperation.DETECT_MEMORY_TYPE);
        return MemoryQuery.detect(handle, segment);
    }

    /**
     * Returns whether an address is one of this machine, or can be reached from it ({@code
     * uct_md_is_sockaddr_accessible}). UCX keeps the function for old programs; no domain of the versions since 1.13
     * supports it.
     *
     * @param address the address
     * @param mode what is asked
     * @return whether it is
     */
    public boolean isSockaddrAccessible(InetSocketAddress address, UctSockaddrAccessibility mode) {
        checkOpen("uct_md_is_sockaddr_accessible");
        SocketAddresses.checked(address, "address");
        Objects.requireNonNull(mode, "mode");
        require(UctMdOperation.SOCKADDR);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sockAddr = ucs_sock_addr.allocate(arena);
            SocketAddresses.fill(sockAddr, address, arena);
            return ucx_h.uct_md_is_sockaddr_accessible(handle, sockAddr, mode.code()) != 0;
        }
    }

    MemorySegment handle() {
        return handle;
    }

    /** Packs the key to memory that this domain knows by a handle of UCX. */
    UctPackedKey packKey(MemorySegment memory, long address, long bytes) {
        checkOpen("uct_md_mkey_pack");
        long keyBytes = attributes().packedKeyBytes();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(keyBytes + SPARE_BYTES);
            NativeStatus.check(ucx_h.uct_md_mkey_pack(handle, memory, buffer), "uct_md_mkey_pack");
            return new UctPackedKey(component.name(), address, bytes,
                    buffer.asSlice(0, keyBytes).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Advises on a part of memory that this domain knows by a handle of UCX. */
    void advise(MemorySegment memory, long address, long bytes, long offset, long length, UctMemoryAdvice advice) {
        Arguments.positive(length, "length");
        Arguments.bounds(offset, length, bytes, "memory");
        Objects.requireNonNull(advice, "advice");
        require(UctMdOperation.ADVISE);
        NativeStatus.check(ucx_h.uct_md_mem_advise(handle, memory, MemorySegment.ofAddress(address + offset), length,
                advice.code()), "uct_md_mem_advise");
    }

    void addRegistration(MemorySegment memory) {
        registrations.add(memory);
    }

    void removeRegistration(MemorySegment memory) {
        registrations.remove(memory);
    }

    /** Memory of this process as a part of its registration, with the lifetime that it has there. */
    Optional<MemorySegment> registered(MemorySegment memory) {
        return registrations.stream().filter(segment -> memory.address() >= segment.address()
                && memory.byteSize() <= segment.byteSize()
                && memory.address() - segment.address() <= segment.byteSize() - memory.byteSize())
                .findFirst().map(segment -> segment.asSlice(memory.address() - segment.address(), memory.byteSize()));
    }

    void opened() {
        children++;
    }

    void closed() {
        children--;
    }

    void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("memory domain " + name + ": it belongs to the thread " + owner.getName()
                    + ", this is " + Thread.currentThread().getName());
        }
    }

    void checkOpen(String operation) {
        checkThread();
        if (closed) {
            throw new UcxClosedException(operation, "the memory domain " + name);
        }
    }

    /** {@return whether {@link #close()} was called with success} */
    public boolean isClosed() {
        checkThread();
        return closed;
    }

    @Override
    public void close() {
        checkThread();
        if (!closed) {
            if (children > 0) {
                throw new IllegalStateException("memory domain " + name + ": close the " + children
                        + " allocations, registrations and remote keys that were made from it first");
            }
            closed = true;
            ucx_h.uct_md_close(handle);
            OPEN.decrementAndGet();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
