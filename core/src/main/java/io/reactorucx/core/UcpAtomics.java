package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Atomic operations on one word of a peer's memory ({@code ucp_atomic_op_nbx}).
 *
 * <p>Words are in the byte order of both hosts, which have to agree. Where the transport only emulates them, an
 * operation is atomic towards others of the same kind, and happens when the owner of the memory makes progress; all
 * peers of a word have to reach it over the same kind of transport.
 *
 * <p><b>Threading:</b> the thread of the endpoint's worker. <b>Ownership:</b> a reply has to stay alive until the
 * operation has ended; an operand is copied. <b>Errors:</b> {@link IllegalArgumentException} for a word that is not
 * aligned, a reply of another size or a swap without a reply, on which UCX would abort a process; {@link
 * IndexOutOfBoundsException} past the descriptor's end.
 */
public final class UcpAtomics {

    private final UcpEndpoint endpoint;
    private final UcpWorker worker;
    private @Nullable UcpSupport support;

    UcpAtomics(UcpEndpoint endpoint, UcpWorker worker) {
        this.endpoint = endpoint;
        this.worker = worker;
    }

    /**
     * Changes a word.
     *
     * @param operation one that needs no reply: ADD, AND, OR or XOR
     * @param width size of the word
     * @param operand its lower 4 bytes for {@link AtomicWidth#INT}
     * @param key the peer's memory
     * @param offset where the word is, so that its address there is a multiple of its size
     * @param whenDone called when UCX has accepted it; the peer's memory has certainly changed only after a {@link
     *     UcpEndpoint#flush}
     * @return whether it is done already
     */
    public boolean post(AtomicOperation operation, AtomicWidth width, long operand, UcpRemoteKey key, long offset,
            Completion whenDone) {
        if (!Objects.requireNonNull(operation, "operation").isPostable()) {
            throw new IllegalArgumentException("operation " + operation
                    + ": needs a reply for the old value, use fetch");
        }
        return post(operation, width, operand, null, key, offset, whenDone);
    }

    /**
     * Changes a word and returns its old value.
     *
     * @param operation any but {@link AtomicOperation#COMPARE_AND_SWAP}
     * @param width size of the word
     * @param operand its lower 4 bytes for {@link AtomicWidth#INT}
     * @param reply native memory of the word's size and alignment, for the old value
     * @param key the peer's memory
     * @param offset where the word is, so that its address there is a multiple of its size
     * @param whenDone called when the old value is in the reply
     * @return whether it is done already
     */
    public boolean fetch(AtomicOperation operation, AtomicWidth width, long operand, MemorySegment reply,
            UcpRemoteKey key, long offset, Completion whenDone) {
        if (Objects.requireNonNull(operation, "operation") == AtomicOperation.COMPARE_AND_SWAP) {
            throw new IllegalArgumentException("operation " + operation + ": has two operands, use compareAndSwap");
        }
        if (CasBitwiseOperation.OPERATIONS.contains(operation)) {
            Objects.requireNonNull(whenDone, "whenDone");
            check("atomic_op", width, checked(reply, width), key, offset);
            if (!CasBitwiseOperation.isSound()) {
                return new CasBitwiseOperation(this, operation, width, operand, reply, key, offset, whenDone).run();
            }
        }
        return fetchNatively(operation, width, operand, reply, key, offset, whenDone);
    }

    /** As {@link #fetch}, with UCX's own operation whatever it computes. */
    boolean fetchNatively(AtomicOperation operation, AtomicWidth width, long operand, MemorySegment reply,
            UcpRemoteKey key, long offset, Completion whenDone) {
        return post(operation, width, operand, checked(reply, width), key, offset, whenDone);
    }

    /**
     * Replaces a word if it has an expected value.
     *
     * @param width size of the word
     * @param expected value that the word has to have
     * @param replacement what it becomes then
     * @param reply native memory of the word's size and alignment; gets the old value, which is the expected one if the
     *     word was replaced
     * @param key the peer's memory
     * @param offset where the word is, so that its address there is a multiple of its size
     * @param whenDone called when the old value is in the reply
     * @return whether it is done already
     */
    public boolean compareAndSwap(AtomicWidth width, long expected, long replacement, MemorySegment reply,
            UcpRemoteKey key, long offset, Completion whenDone) {
        MemorySegment swap = checked(reply, width);
        long token = begin("atomic_cswap", width, swap, key, offset, whenDone);
        // UCX takes the replacement from where it puts the old value.
        store(swap, width, replacement);
        return posted("atomic_cswap", AtomicOperation.COMPARE_AND_SWAP, width, expected, swap, key, offset, token);
    }

    private boolean post(AtomicOperation operation, AtomicWidth width, long operand, @Nullable MemorySegment reply,
            UcpRemoteKey key, long offset, Completion whenDone) {
        long token = begin("atomic_op", width, reply, key, offset, whenDone);
        return posted("atomic_op", operation, width, operand, reply, key, offset, token);
    }

    /**
     * Checks the arguments before the library's capabilities, so that a mistake of the caller is reported by any
     * library. Returns what the operation uses.
     */
    private Pinned check(String name, AtomicWidth width, @Nullable MemorySegment reply, UcpRemoteKey key,
            long offset) {
        endpoint.requireUsable(name, Objects.requireNonNull(width, "width").feature());
        Arguments.aligned(Objects.requireNonNull(key, "key").address(endpoint, offset, width.bytes()), width.bytes(),
                "remote word");
        Pinned pin = Pinned.both(key.pinned(), reply == null ? null : worker.context().pinned(null, reply, "reply"));
        UcpSupport known = support;
        if (known == null) {
            UcpCapability capability = width == AtomicWidth.INT ? UcpCapability.ATOMICS_32 : UcpCapability.ATOMICS_64;
            known = worker.context().support(capability, endpoint.errorMode());
            support = known;
        }
        known.require(name);
        return pin;
    }

    private static MemorySegment checked(MemorySegment reply, AtomicWidth width) {
        MemorySegment checked = Arguments.destination(reply, "reply");
        int bytes = Objects.requireNonNull(width, "width").bytes();
        if (reply.byteSize() != bytes) {
            throw new IllegalArgumentException("reply of " + reply.byteSize() + " bytes: a word has " + bytes);
        }
        Arguments.aligned(checked.address(), bytes, "reply");
        return checked;
    }

    private long begin(String name, AtomicWidth width, @Nullable MemorySegment reply, UcpRemoteKey key, long offset,
            Completion whenDone) {
        Pinned pin = check(name, width, reply, key, offset);
        return worker.requests().begin(name, whenDone, endpoint, pin, reply);
    }

    private boolean posted(String name, AtomicOperation operation, AtomicWidth width, long operand,
            @Nullable MemorySegment reply, UcpRemoteKey key, long offset, long token) {
        RequestTable requests = worker.requests();
        MemorySegment value = requests.scratch(token, Long.BYTES);
        store(value, width, operand);
        long address = key.address(endpoint, offset, width.bytes());
        return requests.posted(name, endpoint.peer(), token,
                UcpPosts.ucp_atomic_op_nbx(endpoint.handle(), operation.code(), value, 1, address,
                key.handle(), worker.parameters().forAtomic(requests.onSend, token, width.datatype(), reply)));
    }

    static long load(MemorySegment memory, AtomicWidth width) {
        return width == AtomicWidth.INT ? Integer.toUnsignedLong(memory.get(ValueLayout.JAVA_INT, 0))
                : memory.get(ValueLayout.JAVA_LONG, 0);
    }

    private static void store(MemorySegment memory, AtomicWidth width, long value) {
        if (width == AtomicWidth.INT) {
            memory.set(ValueLayout.JAVA_INT, 0, (int) value);
        } else {
            memory.set(ValueLayout.JAVA_LONG, 0, value);
        }
    }
}
