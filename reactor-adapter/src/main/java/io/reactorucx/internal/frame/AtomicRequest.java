package io.reactorucx.internal.frame;

import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** An atomic operation on a word. One on 4 bytes uses the lower halves of its operands. */
public record AtomicRequest(AtomicOperation operation, AtomicWidth width, long operand, long expected) {

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    public AtomicRequest(AtomicOperation operation, AtomicWidth width, long operand) {
        this(operation, width, operand, 0);
    }

    /**
     * Applies the operation to a word, atomically with respect to other atomic accesses of this process, and returns
     * the old value.
     */
    public long apply(MemorySegment memory, long offset) {
        return width == AtomicWidth.LONG ? onLong(memory, offset) : onInt(memory, offset);
    }

    private long onLong(MemorySegment memory, long offset) {
        return switch (operation) {
            case ADD -> (long) LONG.getAndAdd(memory, offset, operand);
            case SWAP -> (long) LONG.getAndSet(memory, offset, operand);
            case COMPARE_AND_SWAP -> (long) LONG.compareAndExchange(memory, offset, expected, operand);
            case AND -> (long) LONG.getAndBitwiseAnd(memory, offset, operand);
            case OR -> (long) LONG.getAndBitwiseOr(memory, offset, operand);
            case XOR -> (long) LONG.getAndBitwiseXor(memory, offset, operand);
        };
    }

    private int onInt(MemorySegment memory, long offset) {
        int value = (int) operand;
        return switch (operation) {
            case ADD -> (int) INT.getAndAdd(memory, offset, value);
            case SWAP -> (int) INT.getAndSet(memory, offset, value);
            case COMPARE_AND_SWAP -> (int) INT.compareAndExchange(memory, offset, (int) expected, value);
            case AND -> (int) INT.getAndBitwiseAnd(memory, offset, value);
            case OR -> (int) INT.getAndBitwiseOr(memory, offset, value);
            case XOR -> (int) INT.getAndBitwiseXor(memory, offset, value);
        };
    }
}
