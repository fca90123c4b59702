package io.reactorucx.internal.message.simulation;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.simulation.CarriedFrames.Frame;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** What the fault of a simulated carrier does to the batches of one side, which are on their way for a while. */
final class BatchFaults {

    private final SimulatedCarrier carrier;
    /** Those that have messages. */
    private final Deque<Batch> onTheirWay = new ArrayDeque<>();

    /** A batch that is on its way. */
    static final class Batch {

        private byte[] bytes;

        private Batch(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    BatchFaults(SimulatedCarrier carrier) {
        this.carrier = carrier;
    }

    /** Sends a batch with these frames. */
    void send(byte[] bytes, List<Frame> content) {
        Batch batch = new Batch(bytes);
        boolean hasMessages = content.stream().anyMatch(frame -> frame.type() == MessageFrameCodec.DATA
                || frame.type() == MessageFrameCodec.RUN);
        if (!spoil(batch, hasMessages, content)) {
            carrier.arrive(batch);
        }
        if (hasMessages) {
            onTheirWay.add(batch);
        }
    }

    /** A batch is no longer on its way. */
    void arrives(Batch batch) {
        onTheirWay.remove(batch);
    }

    /** Does what the fault does to a batch. Returns whether it does not arrive as others do. */
    private boolean spoil(Batch batch, boolean hasMessages, List<Frame> content) {
        Batch before = onTheirWay.peekFirst();
        if (carrier.isFaulty(CarrierFault.LOST_CREDIT)) {
            content.stream().filter(frame -> frame.type() == MessageFrameCodec.CREDIT).findFirst()
                    .filter(frame -> carrier.fault(CarrierFault.LOST_CREDIT))
                    .ifPresent(frame -> batch.bytes = CarriedFrames.without(batch.bytes, frame));
        }
        if (before != null && (carrier.isFaulty(CarrierFault.LAST_OVERTAKES)
                && content.stream().anyMatch(frame -> frame.type() == MessageFrameCodec.LAST)
                || hasMessages && carrier.fault(CarrierFault.SWAPPED_BATCHES))) {
            swap(before.bytes, batch.bytes);
        }
        if (carrier.fault(CarrierFault.DUPLICATED_BATCH)) {
            carrier.arrive(batch);
        }
        return carrier.fault(CarrierFault.LOST_BATCH);
    }

    /** Swaps the numbers of two batches, and what they acknowledge. */
    private void swap(byte[] one, byte[] two) {
        carrier.simulation().note(carrier.name() + " FAULT swaps " + MessageFrameCodec.sequence(one) + " and "
                + MessageFrameCodec.sequence(two));
        byte[] kept = Arrays.copyOfRange(one, Long.BYTES, MessageFrameCodec.PREAMBLE_BYTES);
        System.arraycopy(two, Long.BYTES, one, Long.BYTES, kept.length);
        System.arraycopy(kept, 0, two, Long.BYTES, kept.length);
    }
}
