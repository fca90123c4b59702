package io.reactorucx.transport.encryption;

import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.record.RecordException;
import io.reactorucx.transport.record.RecordOpener;
import io.reactorucx.transport.record.RecordSealer;
import java.time.Duration;

/**
 * Opens the frames of the peer. The first one that is wrong ends it.
 *
 * <p>Thread: engine.
 */
final class FrameOpener {

    private static final RecordFrame.Kind[] KINDS = RecordFrame.Kind.values();

    private static final Duration MOST_DELAY = Duration.ofSeconds(3);

    private final RecordOpener[] openers = new RecordOpener[KINDS.length];
    /** The numbers that were missing at the last look. */
    private final long[] missing = new long[KINDS.length];
    private final long[] missingSince = new long[KINDS.length];
    private RecordFrame.Kind kind = RecordFrame.Kind.MESSAGE;
    private int end;

    FrameOpener(ConnectionKeys keys) {
        for (RecordFrame.Kind each : KINDS) {
            missing[each.ordinal()] = -1;
            openers[each.ordinal()] = new RecordOpener(keys.toOpen(each));
        }
    }

    /**
     * Opens a frame.
     *
     * @param from has it
     * @param offset where its token begins
     * @param limit where the frame ends
     * @param to gets the bytes of the record
     * @return how many these are
     */
    int open(byte[] from, int offset, int limit, byte[] to) throws RecordException {
        int at = offset + RecordFrame.KIND_AT;
        int first = at < limit ? from[at++] : -1;
        if (!RecordFrame.isKind(first)) {
            throw new RecordException("a frame of " + (limit - offset) + " bytes that has no record");
        }
        kind = RecordFrame.kind(first);
        int skipped = 0;
        if (RecordFrame.hasSkipped(first)) {
            require(limit - at, Integer.BYTES);
            skipped = FrameBytes.getInt(from, at);
            at += Integer.BYTES;
        }
        int size = limit - at;
        if (kind == RecordFrame.Kind.OFFER) {
            require(size, Short.BYTES);
            size = Short.toUnsignedInt(FrameBytes.getShort(from, at));
            at += Short.BYTES;
            require(limit - at, size);
        }
        if (skipped < 0 || size > RecordSealer.MAX_BYTES + RecordSealer.OVERHEAD_BYTES) {
            throw new RecordException("a record of " + size + " bytes, after " + skipped + " that were not sent");
        }
        end = at + size;
        return openers[kind.ordinal()].open(RecordFrame.context(kind, skipped), skipped, from, at, size, to, 0);
    }

    private static void require(int bytes, int wanted) throws RecordException {
        if (bytes < wanted) {
            throw new RecordException("a frame that is cut off: it has " + bytes + " bytes of " + wanted);
        }
    }

    /**
     * Throws for a frame that others have overtaken, and that has not come for longer than UCX ever takes: a peer that
     * sends nothing but heartbeats may wait for an answer to just that one.
     */
    void requireAll(long nanos) throws RecordException {
        for (int i = 0; i < openers.length; i++) {
            long number = openers[i].missing();
            if (number < 0 || number != missing[i]) {
                missing[i] = number;
                missingSince[i] = nanos;
            } else if (nanos - missingSince[i] > MOST_DELAY.toNanos()) {
                throw new RecordException("record " + number + " was left out");
            }
        }
    }

    /** Returns the kind of the frame that was opened last. */
    RecordFrame.Kind kind() {
        return kind;
    }

    /** Returns where the record of that frame ended. */
    int end() {
        return end;
    }
}
