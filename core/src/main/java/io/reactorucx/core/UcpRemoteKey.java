package io.reactorucx.core;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.ucp_rkey_compare_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.address.PackedKey;
import io.reactorucx.core.internal.memory.AddressSpace;
import io.reactorucx.core.internal.memory.PinnableMemory;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A peer's memory as one endpoint reaches it ({@code ucp_rkey_h}).
 *
 * <p><b>Threading:</b> the thread of the endpoint's worker. <b>Ownership:</b> ends with {@link #close()} or with its
 * endpoint; the native key is kept until the last operation that uses it or its {@link #pointer()} has ended; the
 * pointer itself becomes inaccessible at once. <b>Errors:</b> use after close throws {@link UcxClosedException}.
 */
public final class UcpRemoteKey implements AutoCloseable {

    private static final int UNMAPPED = -1;

    private final UcpEndpoint endpoint;
    private final MemorySegment handle;
    private final long number;
    private final MemoryDescriptor descriptor;
    /**
     * The native key ends with the last of its uses: operations with it, which only its worker's thread counts, and
     * those on its pointer.
     */
    private int operations;
    private final AtomicInteger pointerUses = new AtomicInteger();
    private final AtomicInteger abandonedUses = new AtomicInteger();
    private boolean closed;
    private @Nullable Arena pointers;
    private @Nullable PinnableMemory mapped;
    private @Nullable MemorySegment pointer;

    /** The pin of an operation with this key; such an operation belongs to the key's own worker. */
    private final Pinned pinned = new Pinned() {
        @Override
        public void pin() {
            requireOpen();
            operations++;
        }

        @Override
        public void unpin() {
            operations--;
            if (closed) {
                destroyIfUnused();
            }
        }
    };

    /**
     * The pin of an operation on the pointer; such an operation may belong to any worker, so that another thread may
     * end it.
     */
    private final Pinned pointerPinned = new Pinned() {
        @Override
        public void pin() {
            pinPointer();
        }

        @Override
        public void unpin() {
            pointerUses.decrementAndGet();
        }

        @Override
        public void abandon() {
            abandonedUses.incrementAndGet();
        }
    };

    private UcpRemoteKey(UcpEndpoint endpoint, MemorySegment handle, MemoryDescriptor descriptor) {
        this.endpoint = endpoint;
        this.handle = handle;
        this.number = handle.address();
        this.descriptor = descriptor;
    }

    static UcpRemoteKey unpack(UcpEndpoint endpoint, MemoryDescriptor descriptor) {
        byte[] key = PackedKey.checked(descriptor.key(), descriptor.address(), UcxMemoryType.known());
        try (Arena call = Arena.ofConfined()) {
            MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
            int status = ucx_h.ucp_ep_rkey_unpack(endpoint.handle(), Arguments.padded(key, call), pointer);
            if (status < 0) {
                throw new UcxException(status, "ep_rkey_unpack", endpoint.peer());
            }
            return new UcpRemoteKey(endpoint, pointer.get(ValueLayout.ADDRESS, 0), descriptor);
        }
    }

    /** {@return the memory that it opens} */
    public MemoryDescriptor descriptor() {
        return descriptor;
    }

    /**
     * The peer's memory as this process sees it ({@code ucp_rkey_ptr}): only shared memory that UCX allocated there,
     * see {@link UcpContext#allocate}. The application has to order concurrent writes of both sides.
     *
     * @return the memory, for any thread, until the key is closed; where the peer is this process itself, a part of its
     *     registered memory, which ends with that
     */
    public MemorySegment pointer() {
        endpoint.worker().checkThread();
        long remote = address(endpoint, 0, descriptor.length());
        MemorySegment known = pointer;
        if (known != null) {
            return known;
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment result = call.allocate(ValueLayout.ADDRESS);
            int status = ucx_h.ucp_rkey_ptr(handle, remote, result);
            if (status < 0) {
                throw new UcxException(UcxStatus.of(status), "rkey_ptr", endpoint.peer(),
                        "only shared memory that the peer's UCX allocated is mapped into this process");
            }
            long local = result.get(ValueLayout.ADDRESS, 0).address();
            known = mapped(local, remote);
            pointer = known;
            return known;
        }
    }

    /**
     * Checks the mapping: UCX only adds an offset to the descriptor's address, which may point anywhere in this
     * process.
     */
    private MemorySegment mapped(long local, long remote) {
        if (local == remote) {
            // Perhaps this process is its own peer, in which case UCX maps nothing.
            MemorySegment own = PinnableMemory.at(local, descriptor.length());
            if (own != null) {
                return own;
            }
        }
        if (!AddressSpace.isSharedMapping(local, descriptor.length())
                || local == remote && UcpMemory.isRegistered(local, descriptor.length())) {
            throw new UcxException(UcxStatus.INVALID_ADDR, "rkey_ptr", endpoint.peer(),
                    "only shared memory that the peer's UCX allocated is mapped into this process, in one piece; this"
                    + " is something else");
        }
        Arena lifetime = Arena.ofShared();
        MemorySegment segment = MemorySegment.ofAddress(local).reinterpret(descriptor.length(), lifetime, null);
        mapped = PinnableMemory.add(segment, pointerPinned);
        pointers = lifetime;
        return segment;
    }

    /**
     * Which of two keys comes first in an order that UCX makes, from 1.16 on ({@code ucp_rkey_compare}).
     *
     * @param other a key of the same worker
     * @return 0 when both open memory in the same way, else less or more than 0
     */
    public int compare(UcpRemoteKey other) {
        address(endpoint, 0, 0);
        Objects.requireNonNull(other, "other").address(other.endpoint, 0, 0);
        UcpWorker worker = endpoint.worker();
        worker.checkThread();
        if (other.endpoint.worker() != worker) {
            throw new IllegalArgumentException("other: a key of another worker");
        }
        UcpCapability.REMOTE_KEY_COMPARE.inLibrary().require("rkey_compare");
        try (Arena call = Arena.ofConfined()) {
            MemorySegment result = call.allocate(ValueLayout.JAVA_INT);
            MemorySegment params = ucp_rkey_compare_params.allocate(call);
            NativeStatus.check(ucx_h.ucp_rkey_compare(worker.handle(), handle, other.handle, params, result),
                    "rkey_compare");
            return result.get(ValueLayout.JAVA_INT, 0);
        }
    }

    Pinned pinned() {
        return pinned;
    }

    /** The address of a range in the peer's process, after the check of bounds that UCX does not make. */
    long address(UcpEndpoint user, long offset, long length) {
        requireOpen();
        if (user != endpoint) {
            throw new IllegalArgumentException("remoteKey: it was unpacked for the endpoint to " + endpoint.peer());
        }
        Arguments.bounds(offset, length, descriptor.length(), "remote memory");
        return descriptor.address() + offset;
    }

    MemorySegment handle() {
        return handle;
    }

    /** The native key, for a caller that has checked the range by {@link #address} and pins the key. */
    long number() {
        return number;
    }

    /** Throws, with nothing changed, while another thread reads or writes through the pointer. */
    private void endPointer() {
        Arena lifetime = pointers;
        if (lifetime != null) {
            lifetime.close();
            pointers = null;
        }
        PinnableMemory memory = mapped;
        if (memory != null) {
            memory.remove();
            mapped = null;
        }
        pointer = null;
    }

    private void requireOpen() {
        if (closed) {
            throw ended();
        }
    }

    private UcxClosedException ended() {
        return new UcxClosedException("remote key", endpoint.peer(), "the key to " + descriptor.length()
                + " bytes is closed");
    }

    private void pinPointer() {
        int before;
        do {
            before = pointerUses.get();
            if (before == UNMAPPED) {
                throw ended();
            }
        } while (!pointerUses.compareAndSet(before, before + 1));
    }

    /** Destroys the native key of a closed key if no operation uses it any more. Returns whether it is destroyed. */
    boolean tryDestroy() {
        destroyIfUnused();
        return operations == 0 && pointerUses.get() <= abandonedUses.get();
    }

    private void destroyIfUnused() {
        if (operations == 0 && pointerUses.compareAndSet(0, UNMAPPED)) {
            ucx_h.ucp_rkey_destroy(handle);
        }
    }

    @Override
    public void close() {
        endpoint.worker().checkThread();
        if (!closed) {
            endPointer();
            closed = true;
            endpoint.keyClosed(this);
            endpoint.worker().endpointTable().closed(this);
        }
    }
}
