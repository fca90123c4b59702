package io.reactorucx;

import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.memory.MemoryAccess;
import io.reactorucx.memory.MemoryRight;
import reactor.core.publisher.Mono;

/**
 * Atomic operations on words of a peer's memory: of a window that gives {@link MemoryRight#ATOMIC}, or by
 * {@code ucp_atomic_op_nbx}, for which both sides need {@link UcxResourcesBuilder#remoteAtomics(boolean)}.
 *
 * <p>A word is in the byte order of the hosts and aligned in the owner's memory. Words of 4 bytes use the lower half of
 * what is passed, and answer their value with its sign. Served ones, and those that the transport only emulates, happen
 * when the owner's engine runs, and are atomic towards each other and towards the owner's own atomic accesses.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> as {@link RemoteMemory} has it.
 * <b>Errors:</b> {@link IndexOutOfBoundsException} for a word outside, {@link IllegalArgumentException} for one that is
 * not aligned, which for a served one only the owner knows and says with INVALID_PARAM,
 * {@link io.reactorucx.core.error.UcxException} else.
 */
public final class RemoteAtomics {

    private final RemoteMemory memory;
    private final MemoryAccess access;
    private final AtomicWidth width;

    RemoteAtomics(RemoteMemory memory, MemoryAccess access, AtomicWidth width) {
        this.memory = memory;
        this.access = access;
        this.width = width;
    }

    /**
     * Adds.
     *
     * @param offset of the word
     * @param operand what to add
     * @return completes when it is on its way; the owner's memory is sure to have changed after a flush, where it is
     * served at once
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
        return fetch(offset, new AtomicRequest(AtomicOperation.COMPARE_AND_SWAP, width, replacement, expected));
    }

    private Mono<Void> post(AtomicOperation operation, long offset, long operand) {
        memory.checkRange(offset, width.bytes());
        return access.post(offset, new AtomicRequest(operation, width, operand));
    }

    private Mono<Long> fetch(AtomicOperation operation, long offset, long operand) {
        return fetch(offset, new AtomicRequest(operation, width, operand));
    }

    private Mono<Long> fetch(long offset, AtomicRequest call) {
        memory.checkRange(offset, width.bytes());
        return access.fetch(offset, call);
    }

    @Override
    public String toString() {
        return "RemoteAtomics[" + memory + ", " + width.bytes() + " bytes each]";
    }
}
