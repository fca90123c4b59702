package io.reactorucx.uct;

import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.uct_rkey_bundle;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.uct.internal.KeyFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A peer's memory as a component of this process reaches it ({@code uct_rkey_bundle_t}).
 *
 * <p><b>Threading:</b> the thread of the domain; pointers may be used from any. <b>Ownership:</b> ends with {@link
 * #close()}, also for pointers; one to memory that this process registered itself lives as long as that memory.
 * <b>Errors:</b> {@link #close()} refuses while another thread, or an operation of UCX, reads or writes through a
 * pointer. A pointer to memory whose owner lied about its size ends in an {@link InternalError} of the JVM when it is
 * used.
 */
public final class UctRemoteKey implements AutoCloseable {

    private final UctMemoryDomain domain;
    private final UctPackedKey packed;
    private final MemorySegment bundle;
    private final UcxArena pointers = UcxArena.ofShared();
    private boolean closed;

    private UctRemoteKey(UctMemoryDomain domain, UctPackedKey packed, MemorySegment bundle) {
        this.domain = domain;
        this.packed = packed;
        this.bundle = bundle;
        domain.opened();
    }

    static UctRemoteKey unpack(UctMemoryDomain domain, UctPackedKey packed) {
        domain.checkOpen("uct_rkey_unpack");
        if (!packed.componentName().equals(domain.component().name())) {
            throw new IllegalArgumentException("key: it was packed by " + packed.componentName()
                    + ", this is a memory domain of " + domain.component());
        }
        byte[] key = packed.key();
        KeyFormat.check(key, domain.component().name(), domain.attributes().packedKeyBytes());
        MemorySegment bundle = uct_rkey_bundle.allocate(Arena.ofAuto());
        try (Arena arena = Arena.ofConfined()) {
            NativeStatus.check(ucx_h.uct_rkey_unpack(domain.component().handle(), Arguments.padded(key, arena), bundle),
                    "uct_rkey_unpack");
        }
        return new UctRemoteKey(domain, packed, bundle);
    }

    private void checkOpen(String operation) {
        domain.checkThread();
        if (closed) {
            throw new UcxClosedException(operation, "the key to " + packed.length() + " bytes of " + domain);
        }
    }

    /** {@return what it was unpacked from} */
    public UctPackedKey packed() {
        return packed;
    }

    /** {@return what remote memory operations are passed ({@code rkey})} */
    public long value() {
        return uct_rkey_bundle.rkey(bundle);
    }

    /** {@return what UCX releases the key by ({@code handle})} */
    public long handle() {
        return uct_rkey_bundle.handle(bundle).address();
    }

    /** {@return what UCX says about its kind ({@code type})} */
    public long type() {
        return uct_rkey_bundle.type(bundle).address();
    }

    /**
     * All of the peer's memory, as memory of this process ({@code uct_rkey_ptr}).
     *
     * @return the memory, until {@link #close()}; the peer reads and writes it at the same time
     */
    public MemorySegment pointer() {
        return pointer(0, packed.length());
    }

    /**
     * A part of the peer's memory, as memory of this process ({@code uct_rkey_ptr}).
     *
     * @param offset first byte
     * @param length size in bytes, at least 1
     * @return the memory, until {@link #close()}; the peer reads and writes it at the same time
     */
    public MemorySegment pointer(long offset, long length) {
        checkOpen("uct_rkey_ptr");
        Arguments.positive(length, "length");
        Arguments.bounds(offset, length, packed.length(), "remote memory");
        domain.require(UctMdOperation.REMOTE_POINTER);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            NativeStatus.check(ucx_h.uct_rkey_ptr(domain.component().handle(), bundle, packed.address() + offset,
                    pointer), "uct_rkey_ptr");
            MemorySegment local = pointer.get(ValueLayout.ADDRESS, 0).reinterpret(length);
            // UCX only adds a distance to the address: a key whose parts do not belong together would lead anywhere.
            if (KeyFormat.isMapped(packed.key(), packed.componentName(), packed.address(), value(), offset, length)) {
                return local.reinterpret(length, pointers, null);
            }
            // In newer versions the domain self points to memory of this process, which is that of its owner's arena.
            return domain.registered(local)
                    .orElseThrow(() -> new UcxException(UcxStatus.INVALID_ADDR, "uct_rkey_ptr", null,
                    "the key maps less than the " + length + " bytes at offset " + offset + " that it speaks of"));
        }
    }

    /** {@return whether it is closed} */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        domain.checkThread();
        if (closed) {
            return;
        }
        // Throws while some thread reads or writes through a pointer; it may be closed later.
        pointers.close();
        closed = true;
        domain.closed();
        NativeStatus.check(ucx_h.uct_rkey_release(domain.component().handle(), bundle), "uct_rkey_release");
    }
}
