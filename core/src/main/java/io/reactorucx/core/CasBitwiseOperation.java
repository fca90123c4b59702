package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bitwise operation that returns the old value, made of compare-and-swaps: correct on every transport, at the cost of
 * one more round trip.
 *
 * <p>It exists because some builds of UCX (Debian's 1.13.1 is one) were compiled so that AND, OR and XOR with a reply
 * ignore their operand over shared memory and within a process. The first use finds out which kind of build is loaded.
 */
final class CasBitwiseOperation implements Completion {

    private static final Logger LOG = LoggerFactory.getLogger(CasBitwiseOperation.class);
    static final List<AtomicOperation> OPERATIONS = List.of(AtomicOperation.AND, AtomicOperation.OR,
            AtomicOperation.XOR);

    private final UcpAtomics atomics;
    private final AtomicOperation operation;
    private final AtomicWidth width;
    private final long operand;
    private final MemorySegment reply;
    private final UcpRemoteKey key;
    private final long offset;
    private final Completion whenDone;
    private long expected;

    CasBitwiseOperation(UcpAtomics atomics, AtomicOperation operation, AtomicWidth width, long operand,
            MemorySegment reply, UcpRemoteKey key, long offset, Completion whenDone) {
        this.atomics = atomics;
        this.operation = operation;
        this.width = width;
        this.operand = operand;
        this.reply = reply;
        this.key = key;
        this.offset = offset;
        this.whenDone = whenDone;
    }

    /** Retries until no other operation changes the word in between. Returns whether it is done already. */
    boolean run() {
        while (atomics.compareAndSwap(width, expected, applied(expected), reply, key, offset, this)) {
            if (swapped()) {
                return true;
            }
        }
        return false;
    }

    private boolean swapped() {
        long old = UcpAtomics.load(reply, width);
        boolean swapped = old == expected;
        expected = old;
        return swapped;
    }

    private long applied(long value) {
        long result = applied(operation, value, operand);
        return width == AtomicWidth.INT ? Integer.toUnsignedLong((int) result) : result;
    }

    private static long applied(AtomicOperation operation, long value, long operand) {
        return switch (operation) {
            case AND -> value & operand;
            case OR -> value | operand;
            case XOR -> value ^ operand;
            case ADD, SWAP, COMPARE_AND_SWAP -> throw new IllegalArgumentException("operation " + operation
                    + ": not bitwise");
        };
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        int outcome = rawStatus;
        try {
            if (rawStatus == 0 && !swapped() && !run()) {
                return;
            }
        } catch (RuntimeException e) {
            LOG.debug("{} stopped between two compare-and-swaps", operation, e);
            outcome = e instanceof UcxException refused ? refused.rawStatus() : UcxStatus.INVALID_PARAM.code();
        }
        whenDone.complete(outcome, 0, 0);
    }

    private static final class Probed {
        static final boolean SOUND = probe();

        private Probed() {
        }

        private static boolean probe() {
            boolean sound = false;
            try {
                sound = isSoundWithinProcess();
            } catch (RuntimeException e) {
                LOG.debug("Fetching bitwise operations cannot be tried", e);
            }
            if (!sound) {
                LOG.info("UCX {} computes AND, OR and XOR with an answer wrongly, or cannot be asked: they are made of"
                        + " compare-and-swaps", Ucx.version());
            }
            return sound;
        }
    }

    /** {@return whether UCX's own operations can be trusted} */
    static boolean isSound() {
        return Probed.SOUND;
    }

    private static boolean isSoundWithinProcess() {
        UcpConfig config = UcpConfig.builder().name("atomics-probe").features(UcpFeature.AMO32, UcpFeature.AMO64)
                .transports("self").build();
        try (UcpContext context = UcpContext.create(config); UcpMemory memory = context.allocate(Long.BYTES)) {
            UcpWorker worker = context.createWorker(UcpWorkerConfig.of("atomics-probe"));
            try {
                UcpEndpoint endpoint = worker.connect(worker.address(),
                        new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { }));
                boolean sound = OPERATIONS.stream()
                        .allMatch(operation -> isRight(worker, endpoint, memory, operation, AtomicWidth.INT)
                        && isRight(worker, endpoint, memory, operation, AtomicWidth.LONG));
                finish(worker, endpoint);
                worker.close();
                return sound;
            } catch (RuntimeException e) {
                // An operation does not end: UCX keeps what it may still touch.
                worker.abandon();
                throw e;
            }
        }
    }

    private static boolean isRight(UcpWorker worker, UcpEndpoint endpoint, UcpMemory memory, AtomicOperation operation,
            AtomicWidth width) {
        long before = 0x0F0F_3C3C_0F0F_3C3CL;
        long operand = 0x00FF_5A5A_00FF_5A5AL;
        memory.segment().set(ValueLayout.JAVA_LONG, 0, before);
        MemorySegment reply = Arena.ofAuto().allocate(width.bytes(), width.bytes());
        try (UcpRemoteKey key = endpoint.unpack(memory.descriptor())) {
            int[] status = {1};
            if (!endpoint.atomics().fetchNatively(operation, width, operand, reply, key, 0,
                    (raw, length, tag) -> status[0] = raw)) {
                progressUntil(worker, () -> status[0] != 1);
            }
        }
        long expected = applied(operation, before, operand);
        long word = memory.segment().get(ValueLayout.JAVA_LONG, 0);
        return width == AtomicWidth.INT ? (int) word == (int) expected : word == expected;
    }

    private static void finish(UcpWorker worker, UcpEndpoint endpoint) {
        boolean[] closed = {false};
        closed[0] = endpoint.close(CloseMode.FLUSH, (raw, length, tag) -> closed[0] = true) || closed[0];
        progressUntil(worker, () -> closed[0]);
    }

    private static void progressUntil(UcpWorker worker, BooleanSupplier done) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new UcxException(UcxStatus.TIMED_OUT, "atomic_op", "itself", "no answer within 5 s");
            }
            worker.progress();
        }
    }
}
