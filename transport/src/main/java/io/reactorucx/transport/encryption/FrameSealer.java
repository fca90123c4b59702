package io.reactorucx.transport.encryption;

import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.record.RecordLimits;
import io.reactorucx.transport.record.RecordSealer;
import io.reactorucx.transport.record.RecordSecret;

/**
 * Makes the frames of one kind.
 *
 * <p>Thread: engine.
 */
final class FrameSealer {

    private final RecordFrame.Kind kind;
    private final RecordSealer sealer;
    private final byte[] plainContext;
    /** The records since the last one that was sent. */
    private int skipped;
    private int lastBytes;

    FrameSealer(RecordFrame.Kind kind, RecordSecret secret, RecordLimits limits) {
        this.kind = kind;
        this.sealer = new RecordSealer(secret, limits);
        this.plainContext = RecordFrame.context(kind, 0);
    }

    /** Seals the first bytes of an array, and returns the size of the frame, which begins with a token. */
    int seal(long token, byte[] plain, int bytes, byte[] frame) {
        byte[] context = skipped == 0 ? plainContext : RecordFrame.context(kind, skipped);
        FrameBytes.putLong(frame, 0, token);
        System.arraycopy(context, 0, frame, RecordFrame.KIND_AT, context.length);
        int at = RecordFrame.KIND_AT + context.length;
        int recordAt = kind == RecordFrame.Kind.OFFER ? at + Short.BYTES : at;
        if (skipped > 0) {
            sealer.discarded(lastBytes);
        }
        // Until it was sent.
        skipped = Math.incrementExact(skipped);
        lastBytes = bytes;
        int size = sealer.seal(context, plain, 0, bytes, frame, recordAt);
        if (recordAt > at) {
            FrameBytes.putShort(frame, at, (short) size);
        }
        return recordAt + size;
    }

    /** The frame that was sealed last is on its way. */
    void sent() {
        skipped = 0;
    }
}
