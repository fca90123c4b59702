package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpUpcalls;
import io.reactorucx.core.ffi.ucp_generic_dt_ops;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.worker.LostEvents;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations of a worker whose data packs itself: one native datatype whose callbacks find the operation by the
 * number that UCX was given as its buffer.
 *
 * <p>The callbacks run inside UCX. They never report an error to UCX, which aborts the process on some errors, and
 * never throw: a failure is recorded and becomes the outcome of the operation.
 */
final class GenericOperations {

    private static final Logger LOG = LoggerFactory.getLogger(GenericOperations.class);
    private static final int INITIAL_OPERATIONS = 8;

    /** An operation each, at one less than the lower half of its number. */
    private @Nullable Running[] running = new Running[INITIAL_OPERATIONS];
    private final Arena arena;
    private long datatype;
    private int lastSlot;
    private int generation;
    private int count;
    private boolean inCallback;

    GenericOperations(Arena arena) {
        this.arena = arena;
    }

    /** The native datatype, made for the first operation. */
    long datatype() {
        if (datatype == 0) {
            datatype = create();
        }
        return datatype;
    }

    private long create() {
        MemorySegment ops = ucp_generic_dt_ops.allocate(arena);
        // The number that UCX was given as the buffer is the state.
        MemorySegment start = UcpUpcalls.start((context, buffer, count) -> buffer, arena);
        ucp_generic_dt_ops.start_pack(ops, start);
        ucp_generic_dt_ops.start_unpack(ops, start);
        ucp_generic_dt_ops.packed_size(ops, UcpUpcalls.packedSize(this::packedSize, arena));
        ucp_generic_dt_ops.pack(ops, UcpUpcalls.pack(this::pack, arena));
        ucp_generic_dt_ops.unpack(ops, UcpUpcalls.unpack(this::unpack, arena));
        ucp_generic_dt_ops.finish(ops, UcpUpcalls.finish(state -> { }, arena));
        MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
        NativeStatus.check(ucx_h.ucp_dt_create_generic(ops, MemorySegment.NULL, result), "dt_create_generic");
        return result.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Runs an application's code inside UCX, where it may not use the worker. */
    <T> @Nullable T callInside(Supplier<@Nullable T> code) {
        inCallback = true;
        try {
            return code.get();
        } finally {
            inCallback = false;
        }
    }

    /**
     * Throws when a generic datatype or a data placement calls its worker: from inside UCX, or between the checks of
     * its operation and the post.
     */
    void checkNotInCallback() {
        if (inCallback) {
            throw new IllegalStateException(
                    "worker: called by a generic datatype or data placement, which may not use it");
        }
    }

    int count() {
        return count;
    }

    Running begin(GenericDatatype type, boolean packing, Completion whenDone) {
        Objects.requireNonNull(whenDone, "whenDone");
        inCallback = true;
        try {
            GenericDatatype.State state = Objects.requireNonNull(packing ? type.startPack() : type.startUnpack(),
                    "state");
            return started(state, sizeOrFinish(state), whenDone);
        } finally {
            inCallback = false;
        }
    }

    private Running started(GenericDatatype.State state, long size, Completion whenDone) {
        if (count == running.length) {
            running = Arrays.copyOf(running, 2 * count);
        }
        do {
            lastSlot = (lastSlot + 1) % running.length;
        } while (running[lastSlot] != null);
        Running started = new Running(this, (long) ++generation << Integer.SIZE | (lastSlot + 1), state, size,
                whenDone);
        running[lastSlot] = started;
        count++;
        return started;
    }

    private static long sizeOrFinish(GenericDatatype.State state) {
        try {
            long size = state.packedSize();
            if (size < 0) {
                throw new IllegalArgumentException("packedSize() " + size + ": must be 0 or more");
            }
            return size;
        } catch (RuntimeException | Error e) {
            Throwable another = finish(state);
            if (another != null && another != e) {
                e.addSuppressed(another);
            }
            throw e;
        }
    }

    /** Finishes the state. Returns what it throws, so that the operation still completes. */
    private static @Nullable Throwable finish(GenericDatatype.State state) {
        try {
            state.finish();
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    private long packedSize(long state) {
        Running operation = find(state);
        return operation == null ? 0 : operation.size;
    }

    private long pack(long state, long offset, long destination, long length) {
        // UCX says how much room there is, newer ones the largest size_t, and aborts when more comes than there is.
        Running operation = find(state);
        long rest = operation == null ? 0 : Math.max(0, operation.size - offset);
        long bytes = Long.compareUnsigned(length, rest) < 0 ? length : rest;
        call(operation, true, offset, destination, bytes);
        return bytes;
    }

    private byte unpack(long state, long offset, long source, long length) {
        call(find(state), false, offset, source, length);
        return 0;
    }

    /** Finds an operation without allocating: a callback that fails outside of a {@code try} block ends the JVM. */
    private @Nullable Running find(long id) {
        int slot = (int) id - 1;
        Running found = slot >= 0 && slot < running.length ? running[slot] : null;
        return found != null && found.id == id ? found : null;
    }

    private boolean remove(long id) {
        if (find(id) == null) {
            return false;
        }
        running[(int) id - 1] = null;
        count--;
        return true;
    }

    private void call(@Nullable Running operation, boolean packing, long offset, long memory, long length) {
        inCallback = true;
        try {
            if (memory == 0) {
                throw LostEvents.WARM_UP;
            }
            move(operation, packing, offset, memory, length);
        } catch (Throwable t) {
            if (operation != null) {
                operation.failure = t;
            }
            if (packing) {
                clear(memory, length);
            }
        }
        inCallback = false;
    }

    private static void move(@Nullable Running operation, boolean packing, long offset, long memory, long length) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment part = MemorySegment.ofAddress(memory).reinterpret(length, call, null);
            if (packing) {
                part.fill((byte) 0);
            }
            if (operation != null && operation.failure == null) {
                if (packing) {
                    operation.state.pack(offset, part);
                } else {
                    operation.state.unpack(offset, part.asReadOnly());
                }
            }
        }
    }

    /** Overwrites what was in the memory before, which is sent, when there is no Java memory for a segment. */
    private static void clear(long memory, long length) {
        try {
            UcpDirect.clear(memory, length);
        } catch (Throwable t) {
            // The operation fails already.
        }
    }

    void close() {
        if (datatype != 0) {
            ucx_h.ucp_dt_destroy(datatype);
        }
    }

    /** One operation, and the completion that passes its failure on. */
    static final class Running implements Completion {

        private final GenericOperations owner;
        private final long id;
        private final GenericDatatype.State state;
        private final long size;
        private final Completion whenDone;
        private @Nullable Throwable failure;

        private Running(GenericOperations owner, long id, GenericDatatype.State state, long size,
                Completion whenDone) {
            this.owner = owner;
            this.id = id;
            this.state = state;
            this.size = size;
            this.whenDone = whenDone;
        }

        UcpData.Native toNative() {
            return new UcpData.Native(MemorySegment.ofAddress(id), 1);
        }

        long size() {
            return size;
        }

        /** Ends an operation that UCX does not use any more, or never did. Returns what a callback threw. */
        @Nullable Throwable end() {
            if (owner.remove(id)) {
                Throwable thrown = finish(state);
                failure = failure == null ? thrown : failure;
            }
            return failure;
        }

        @Override
        public void complete(int rawStatus, long length, long senderTag) {
            Throwable thrown = end();
            int outcome = rawStatus;
            if (thrown != null) {
                LOG.error("A generic datatype threw", thrown);
                outcome = UcxStatus.IO_ERROR.code();
            }
            whenDone.complete(outcome, length, senderTag);
        }
    }
}
