package io.reactorucx.uct;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.memory.HeldMemory;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the caller that is registered with a memory domain.
 *
 * <p><b>Threading:</b> the thread of the domain. <b>Ownership:</b> the memory stays alive until {@link #close()},
 * because it is kept reachable, and a {@link io.reactorucx.core.UcxArena} refuses to be closed.
 */
public final class UctRegisteredMemory implements UctMemory {

    private final UctMemoryDomain domain;
    private final MemorySegment handle;
    private final MemorySegment segment;
    /** The pin that keeps the memory allocated; null where nothing has to. */
    private final @Nullable Pinned held;
    private boolean closed;

    private UctRegisteredMemory(UctMemoryDomain domain, MemorySegment handle, MemorySegment segment,
            @Nullable Pinned held) {
        this.held = held;
        this.domain = domain;
        this.handle = handle;
        this.segment = segment;
        domain.opened();
        domain.addRegistration(segment);
    }

    static UctRegisteredMemory register(UctMemoryDomain domain, MemorySegment segment, Set<UctMemoryFlag> flags) {
        long bytes = Arguments.positive(Arguments.destination(segment, "segment").byteSize(), "segment.byteSize()");
        int mask = UctMemoryFlag.mask(UctMemoryFlag.checked(flags), "uct_md_mem_reg");
        domain.require(UctMdOperation.REGISTER);
        long max = domain.attributes().maxRegistrationBytes();
        if (bytes > max) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "uct_md_mem_reg", null,
                    bytes + " bytes, the memory domain " + domain + " registers at most " + max);
        }
        Pinned held = HeldMemory.registration(segment, "segment");
        if (held != null) {
            held.pin();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            NativeStatus.check(ucx_h.uct_md_mem_reg(domain.handle(), segment, bytes, mask, pointer),
                    "uct_md_mem_reg of " + bytes + " bytes");
            return new UctRegisteredMemory(domain, pointer.get(ValueLayout.ADDRESS, 0), segment, held);
        } catch (RuntimeException | Error e) {
            if (held != null) {
                held.unpin();
            }
            throw e;
        }
    }

    private void checkOpen(String operation) {
        domain.checkThread();
        if (closed) {
            throw new UcxClosedException(operation, "the registration of " + segment.byteSize() + " bytes");
        }
    }

    /** {@return the domain that it is registered with} */
    public UctMemoryDomain domain() {
        return domain;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long bytes() {
        return segment.byteSize();
    }

    @Override
    public long handle() {
        return handle.address();
    }

    @Override
    public UctPackedKey packKey() {
        checkOpen("uct_md_mkey_pack");
        return domain.packKey(handle, segment.address(), bytes());
    }

    @Override
    public void advise(long offset, long length, UctMemoryAdvice advice) {
        checkOpen("uct_md_mem_advise");
        domain.advise(handle, segment.address(), bytes(), offset, length, advice);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        domain.checkThread();
        if (!closed) {
            closed = true;
            domain.closed();
            domain.removeRegistration(segment);
            NativeStatus.check(ucx_h.uct_md_mem_dereg(domain.handle(), handle), "uct_md_mem_dereg");
            if (held != null) {
                held.unpin();
            }
        }
    }
}
