package io.reactorucx.uct;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.uct_allocated_memory;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.uct.internal.MemoryTypes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Memory that UCX allocated ({@code uct_allocated_memory_t}), zeroed if the host can reach it.
 *
 * <p><b>Threading:</b> the thread that allocated it; the segment may be used from any. <b>Ownership:</b> ends with
 * {@link #close()}, also for the segment. <b>Errors:</b> {@link #close()} refuses while another thread, or an operation
 * of UCX, reads or writes the segment.
 */
public final class UctAllocatedMemory implements UctMemory {

    private static final String ALLOCATION = "uct_mem_alloc";
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final Thread owner = Thread.currentThread();
    private final MemorySegment description;
    private final @Nullable UctMemoryDomain domain;
    private final UcxArena arena = UcxArena.ofShared();
    private final MemorySegment segment;
    private boolean closed;

    private UctAllocatedMemory(MemorySegment description, @Nullable UctMemoryDomain domain) {
        this.description = description;
        MemorySegment address = uct_allocated_memory.address(description);
        this.domain = domain;
        this.segment = memoryType().isHostAccessible() ? address.reinterpret(bytes(), arena, null)
                : address.reinterpret(0, arena, null);
        OPEN.incrementAndGet();
        if (domain != null) {
            domain.opened();
        }
        if (method() == UctAllocationMethod.HEAP || method() == UctAllocationMethod.THP) {
            segment.fill((byte) 0);
        }
    }

    /** {@return memory of this process that UCX allocated and that is not closed} */
    public static int openAllocations() {
        return OPEN.get();
    }

    /**
     * Allocates memory ({@code uct_mem_alloc}).
     *
     * @param request what to allocate, and how
     * @param domains what {@link UctAllocationMethod#MD} tries, in this order; open, of this thread, may be empty
     * @return the memory, to be closed by this thread
     */
    public static UctAllocatedMemory allocate(UctAllocationRequest request, List<UctMemoryDomain> domains) {
        Objects.requireNonNull(request, "request");
        List<UctMemoryDomain> copy = List.copyOf(Objects.requireNonNull(domains, "domains"));
        Ucx.ensureAvailable();
        if (!MemoryTypes.isKnown(request.memoryType())) {
            throw new UcxUnsupportedException(ALLOCATION, request.memoryType() + " memory is not known to UCX "
                    + Ucx.version());
        }
        List<UctMemoryDomain> able = able(request, copy);
        MemorySegment description = uct_allocated_memory.allocate(Arena.ofAuto());
        new Allocator(request, able.stream().map(UctMemoryDomain::handle).toList()).allocate(description);
        try {
            return new UctAllocatedMemory(description, allocating(description, able));
        } catch (RuntimeException | Error e) {
            ucx_h.uct_mem_free(description);
            throw e;
        }
    }

    /**
     * Returns the domains without those that allocate less than is asked for: posix would fill its file system with
     * zeros before it noticed.
     */
    private static List<UctMemoryDomain> able(UctAllocationRequest request, List<UctMemoryDomain> domains) {
        domains.forEach(domain -> domain.checkOpen(ALLOCATION));
        List<UctMemoryDomain> able = domains.stream()
                .filter(domain -> domain.attributes().maxAllocationBytes() >= request.bytes()).toList();
        if (request.methods().stream().allMatch(UctAllocationMethod.MD::equals)) {
            requireOne(request, domains, able);
        }
        return able;
    }

    private static void requireOne(UctAllocationRequest request,
            List<UctMemoryDomain> domains, List<UctMemoryDomain> able) {
        if (domains.isEmpty()) {
            throw new IllegalArgumentException("domains: the method MD needs at least one");
        }
        UctMdOperation needed = request.isFixed() ? UctMdOperation.ALLOCATE_FIXED : UctMdOperation.ALLOCATE;
        if (domains.stream().noneMatch(domain -> domain.isSupported(needed))) {
            throw new UcxUnsupportedException(ALLOCATION, "the memory domain " + domains.getFirst() + " "
                    + needed.lack());
        }
        if (domains.stream().noneMatch(
                domain -> domain.attributes().allocatableTypes().contains(request.memoryType()))) {
            throw new UcxUnsupportedException(ALLOCATION, "the memory domain " + domains.getFirst() + " allocates no "
                    + request.memoryType() + " memory");
        }
        if (able.isEmpty()) {
            throw new UcxException(UcxStatus.NO_MEMORY, ALLOCATION, null, request.bytes() + " bytes, the memory domain "
                    + domains.getFirst() + " allocates at most "
                    + domains.getFirst().attributes().maxAllocationBytes());
        }
    }

    /** Returns the domain that allocated the memory, null when none of these did. */
    private static @Nullable UctMemoryDomain allocating(MemorySegment description, List<UctMemoryDomain> domains) {
        long handle = uct_allocated_memory.md(description).address();
        return domains.stream().filter(domain -> domain.handle().address() == handle).findFirst().orElse(null);
    }

    private void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("memory of " + bytes() + " bytes: it belongs to the thread "
                    + owner.getName() + ", this is " + Thread.currentThread().getName());
        }
    }

    private UctMemoryDomain known(String operation) {
        checkThread();
        if (closed) {
            throw new UcxClosedException(operation, "the memory of " + bytes() + " bytes");
        }
        if (domain == null) {
            throw new UcxUnsupportedException(operation, "memory from " + method()
                    + " is known to no memory domain; register it with one");
        }
        return domain;
    }

    /** {@return how it was allocated} */
    public UctAllocationMethod method() {
        return UctAllocationMethod.of(uct_allocated_memory.method(description));
    }

    /** {@return type of the memory} */
    public UcxMemoryType memoryType() {
        return MemoryTypes.of(uct_allocated_memory.mem_type(description));
    }

    /** {@return the domain that allocated it, if one did} */
    public Optional<UctMemoryDomain> domain() {
        return Optional.ofNullable(domain);
    }

    /** {@return where it is} */
    public long address() {
        return uct_allocated_memory.address(description).address();
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long bytes() {
        return uct_allocated_memory.length(description);
    }

    @Override
    public long handle() {
        return uct_allocated_memory.memh(description).address();
    }

    @Override
    public UctPackedKey packKey() {
        return known("uct_md_mkey_pack").packKey(uct_allocated_memory.memh(description), address(), bytes());
    }

    @Override
    public void advise(long offset, long length, UctMemoryAdvice advice) {
        known("uct_md_mem_advise").advise(uct_allocated_memory.memh(description), address(), bytes(), offset, length,
                advice);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        checkThread();
        if (closed) {
            return;
        }
        // Throws while some thread or operation reads or writes the memory; it may be closed later.
        arena.close();
        closed = true;
        OPEN.decrementAndGet();
        if (domain != null) {
            domain.closed();
        }
        NativeStatus.check(ucx_h.uct_mem_free(description), "uct_mem_free");
    }
}
