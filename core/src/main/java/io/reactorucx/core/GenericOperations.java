package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_generic_dt_ops;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
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

    private final Map<Long, Running> running = new HashMap<>();
    private final Arena arena;
    private long datatype;
    private long lastId;
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
        ucp_generic_dt_ops.start_pack(ops,
                ucp_generic_dt_ops.start_pack.allocate((context, buffer, count) -> buffer, arena));
        ucp_generic_dt_ops.start_unpack(ops,
                ucp_generic_dt_ops.start_unpack.allocate((context, buffer, count) -> buffer, arena));
        ucp_generic_dt_ops.packed_size(ops, ucp_generic_dt_ops.packed_size.allocate(this::packedSize, arena));
        ucp_generic_dt_ops.pack(ops, ucp_generic_dt_ops.pack.allocate(this::pack, arena));
        ucp_generic_dt_ops.unpack(ops, ucp_generic_dt_ops.unpack.allocate(this::unpack, arena));
        ucp_generic_dt_ops.finish(ops, ucp_generic_dt_ops.finish.allocate(state -> { }, arena));
        MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
        UcpContext.check(ucx_h.ucp_dt_create_generic(ops, MemorySegment.NULL, result), "dt_create_generic");
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
        return running.size();
    }

    Running begin(GenericDatatype type, boolean packing, Completion whenDone) {
        Objects.requireNonNull(whenDone, "whenDone");
        inCallback = true;
        try {
            GenericDatatype.State state = Objects.requireNonNull(packing ? type.startPack() : type.startUnpack(),
                    "state");
            Running started = new Running(++lastId, state, sizeOrFinish(state), whenDone);
            running.put(started.id, started);
            return started;
        } finally {
            inCallback = false;
        }
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

    private long packedSize(MemorySegment state) {
        Running operation = running.get(state.address());
        return operation == null ? 0 : operation.size;
    }

    private long pack(MemorySegment state, long offset, MemorySegment destination, long length) {
        // UCX says how much room there is, newer ones the largest size_t, and aborts when more comes than there is.
        Running operation = running.get(state.address());
        long rest = operation == null ? 0 : Math.max(0, operation.size - offset);
        long bytes = Long.compareUnsigned(length, rest) < 0 ? length : rest;
        call(state, true, offset, destination, bytes);
        return bytes;
    }

    private byte unpack(MemorySegment state, long offset, MemorySegment source, long length) {
        call(state, false, offset, source, length);
        return 0;
    }

    private void call(MemorySegment state, boolean packing, long offset, MemorySegment memory, long length) {
        @Nullable Running operation = null;
        inCallback = true;
        try (Arena call = Arena.ofConfined()) {
            operation = running.get(state.address());
            MemorySegment part = memory.reinterpret(length, call, null);
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
        } catch (Throwable t) {
            if (operation == null) {
                LostEvents.log(t);
            } else {
                operation.failure = t;
            }
        } finally {
            inCallback = false;
        }
    }

    void close() {
        if (datatype != 0) {
            ucx_h.ucp_dt_destroy(datatype);
        }
    }

    /** One operation, and the completion that passes its failure on. */
    final class Running implements Completion {

        private final long id;
        private final GenericDatatype.State state;
        private final long size;
        private final Completion whenDone;
        private @Nullable Throwable failure;

        private Running(long id, GenericDatatype.State state, long size, Completion whenDone) {
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
            if (running.remove(id) != null) {
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
