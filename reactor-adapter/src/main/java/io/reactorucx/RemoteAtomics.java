package io.reactorucx;

import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpAtomics;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpRemoteKey;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Atomic operations on words of a peer's memory ({@code ucp_atomic_op_nbx}); both sides need
 * {@link UcxResources.Builder#remoteAtomics(boolean)}.
 *
 * <p>A word is in the byte order of the hosts and aligned in the owner's memory. Words of 4 bytes use the lower half of what is passed, and
 * answer their value with its sign. Where the transport only emulates atomics they happen when the owner's engine runs, and are atomic
 * towards each other and towards the owner's own atomic accesses.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> as {@link RemoteMemory} has it.
 * <b>Errors:</b> {@link IndexOutOfBoundsException} for a word outside, {@link IllegalArgumentException} for one that is not aligned,
 * {@link io.reactorucx.core.UcxException} else.
 */
public final class RemoteAtomics {

    private final ConnectionCore connection;
    private final RemoteMemory memory;
    private final AtomicWidth width;
    private final UcxBufferPool pool;

    RemoteAtomics(ConnectionCore connection, RemoteMemory memory, AtomicWidth width, UcxBufferPool pool) {
        this.connection = connection;
        this.memory = memory;
        this.width = width;
        this.pool = pool;
    }

    /**
     * Adds.
     *
     * @param offset of the word
     * @param operand what to add
     * @return completes when it is on its way; the owner's memory is sure to have changed after a flush
     */
    public Mono<Void> add(long offset, long operand) {
        return post(AtomicOperation.ADD, offset, operand);
    }

    /**
     * Bitwise and.
     *
     * @param offset of the word
     * @param operand the other word
     * @return as {@link #add}
     */
    public Mono<Void> and(long offset, long operand) {
        return post(AtomicOperation.AND, offset, operand);
    }

    /**
     * Bitwise or.
     *
     * @param offset of the word
     * @param operand the other word
     * @return as {@link #add}
     */
    public Mono<Void> or(long offset, long operand) {
        return post(AtomicOperation.OR, offset, operand);
    }

    /**
     * Bitwise exclusive or.
     *
     * @param offset of the word
     * @param operand the other word
     * @return as {@link #add}
     */
    public Mono<Void> xor(long offset, long operand) {
        return post(AtomicOperation.XOR, offset, operand);
    }

    /**
     * Adds.
     *
     * @param offset of the word
     * @param operand what to add
     * @return the old value
     */
    public Mono<Long> fetchAdd(long offset, long operand) {
        return fetch(AtomicOperation.ADD, offset, operand);
    }

    /**
     * Bitwise and.
     *
     * @param offset of the word
     * @param operand the other word
     * @return the old value
     */
    public Mono<Long> fetchAnd(long offset, long operand) {
        return fetch(AtomicOperation.AND, offset, operand);
    }

    /**
     * Bitwise or.
     *
     * @param offset of the word
     * @param operand the other word
     * @return the old value
     */
    public Mono<Long> fetchOr(long offset, long operand) {
        return fetch(AtomicOperation.OR, offset, operand);
    }

    /**
     * Bitwise exclusive or.
     *
     * @param offset of the word
     * @param operand the other word
     * @return the old value
     */
    public Mono<Long> fetchXor(long offset, long operand) {
        return fetch(AtomicOperation.XOR, offset, operand);
    }

    /**
     * Replaces the word.
     *
     * @param offset of the word
     * @param replacement what it becomes
     * @return the old value
     */
    public Mono<Long> swap(long offset, long replacement) {
        return fetch(AtomicOperation.SWAP, offset, replacement);
    }

    /**
     * Replaces the word if it has an expected value.
     *
     * @param offset of the word
     * @param expected value that it has to have
     * @param replacement what it becomes then
     * @return the old value, which is the expected one if the word was replaced
     */
    public Mono<Long> compareAndSwap(long offset, long expected, long replacement) {
        return fetching(offset, (atomics, reply, key, whenDone) -> atomics.compareAndSwap(width, expected, replacement, reply, key, offset,
                whenDone));
    }

    private Mono<Void> post(AtomicOperation operation, long offset, long operand) {
        memory.checkRange(offset, width.bytes());
        return ConnectionOperation.mono(connection, OperationKind.ATOMIC, width.bytes(),
                (worker, endpoint, whenDone) -> endpoint.atomics().post(operation, width, operand, memory.key(endpoint), offset, whenDone));
    }

    private Mono<Long> fetch(AtomicOperation operation, long offset, long operand) {
        return fetching(offset, (atomics, reply, key, whenDone) -> atomics.fetch(operation, width, operand, reply, key, offset, whenDone));
    }

    private Mono<Long> fetching(long offset, Fetch fetch) {
        memory.checkRange(offset, width.bytes());
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Long> actual) {
                actual.onSubscribe(new FetchingOperation(RemoteAtomics.this, fetch, actual));
            }
        };
    }

    /** Posts an operation that answers the old value. */
    @FunctionalInterface
    private interface Fetch {

        boolean post(UcpAtomics atomics, MemorySegment reply, UcpRemoteKey key, Completion whenDone);
    }

    private static final class FetchingOperation extends ConnectionOperation<Long> {

        private final RemoteAtomics atomics;
        private final Fetch fetch;
        private @Nullable UcxBuffer reply;

        FetchingOperation(RemoteAtomics atomics, Fetch fetch, CoreSubscriber<? super Long> actual) {
            super(atomics.connection, OperationKind.ATOMIC, actual);
            this.atomics = atomics;
            this.fetch = fetch;
        }

        @Override
        boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            UcxBuffer leased = atomics.pool.acquire(atomics.width.bytes());
            reply = leased;
            return fetch.post(endpoint.atomics(), leased.segment(), atomics.memory.key(endpoint), this);
        }

        @Override
        @Nullable Long result(long receivedLength, long tag) {
            UcxBuffer filled = reply;
            if (filled == null) {
                return null;
            }
            return atomics.width == AtomicWidth.INT ? (long) filled.segment().get(ValueLayout.JAVA_INT, 0)
                    : filled.segment().get(ValueLayout.JAVA_LONG, 0);
        }

        @Override
        void released() {
            UcxBuffer unused = reply;
            if (unused != null) {
                reply = null;
                unused.release();
            }
        }

        @Override
        protected long bytes(long receivedLength) {
            return atomics.width.bytes();
        }
    }
}
