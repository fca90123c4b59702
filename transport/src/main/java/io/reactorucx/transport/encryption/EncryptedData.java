package io.reactorucx.transport.encryption;

import io.reactorucx.core.Completion;
import io.reactorucx.core.OfferedData;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.record.BulkOpener;
import io.reactorucx.transport.record.BulkSealer;
import io.reactorucx.transport.record.RecordException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The data of a large message, which its frame carries or offers: encrypted, with the tags of its parts in the header
 * or behind it. It is fetched to where it is wanted if the tags are not among it, else to another place, and decrypted.
 *
 * <p>Thread: engine.
 */
final class EncryptedData implements OfferedData {

    private static final String FETCH = "am_recv_data";

    private final RecordReceiver receiver;
    private final UcpActiveMessage frame;
    private final BulkOpener.Message keys;
    private final long length;
    /** Null if they stand behind the data. */
    private final byte @Nullable [] tags;

    EncryptedData(RecordReceiver receiver, UcpActiveMessage frame, BulkOpener.Message keys, long length,
            byte @Nullable [] tags) {
        this.receiver = receiver;
        this.frame = frame;
        this.keys = keys;
        this.length = length;
        this.tags = tags;
    }

    @Override
    public boolean isLocal() {
        return false;
    }

    @Override
    public boolean fetch(MemorySegment destination, @Nullable UcpMemory registration, Completion whenDone) {
        byte[] apart = tags;
        if (frame.isInline()) {
            MemorySegment all = frame.payload();
            open(all, destination, apart == null ? tagsBehind(all) : apart);
            return true;
        }
        if (apart != null) {
            return fetched(messages().fetch(frame, destination, registration, (status, bytes, tag) ->
                    arrived(status, destination, destination, null, whenDone)), destination, destination);
        }
        MemorySegment block = receiver.memory().take(frame.length());
        MemorySegment all = block.asSlice(0, frame.length());
        boolean begun = false;
        try {
            begun = !fetched(messages().fetch(frame, all, null, (status, bytes, tag) ->
                    arrived(status, all, destination, block, whenDone)), all, destination);
            return !begun;
        } finally {
            if (!begun) {
                receiver.memory().give(block);
            }
        }
    }

    /** Decrypts what was fetched within the call. */
    private boolean fetched(boolean done, MemorySegment all, MemorySegment destination) {
        if (done) {
            open(all, destination, tags == null ? tagsBehind(all) : tags);
        }
        return done;
    }

    private void arrived(int status, MemorySegment all, MemorySegment destination, @Nullable MemorySegment block,
            Completion whenDone) {
        int end = status;
        try {
            if (status >= 0) {
                open(all, destination, tags == null ? tagsBehind(all) : tags);
            }
        } catch (UcxException e) {
            end = e.rawStatus();
        } finally {
            if (block != null) {
                receiver.memory().give(block);
            }
        }
        whenDone.complete(end, length, 0);
    }

    private byte[] tagsBehind(MemorySegment all) {
        return all.asSlice(length).toArray(ValueLayout.JAVA_BYTE);
    }

    private void open(MemorySegment from, MemorySegment destination, byte[] ofParts) {
        RecordMemory memory = receiver.memory();
        long part = 0;
        try {
            for (long at = 0; at < length; at += BulkSealer.PART_BYTES, part++) {
                int bytes = (int) Math.min(BulkSealer.PART_BYTES, length - at);
                MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, memory.received, 0, bytes);
                System.arraycopy(ofParts, (int) part * BulkSealer.TAG_BYTES, memory.received, bytes,
                        BulkSealer.TAG_BYTES);
                keys.open(part, memory.received, 0, bytes + BulkSealer.TAG_BYTES, memory.opened, 0);
                MemorySegment.copy(memory.opened, 0, destination, ValueLayout.JAVA_BYTE, at, bytes);
                receiver.counters().countOpened(bytes);
            }
        } catch (RecordException e) {
            receiver.broken(e);
            throw new UcxException(UcxStatus.IO_ERROR, FETCH, receiver.peer(), String.valueOf(e.getMessage()), e);
        }
    }

    private UcpActiveMessages messages() {
        return receiver.messages();
    }

    @Override
    public void release() {
        if (!frame.isInline() && messages().holds(frame)) {
            messages().release(frame);
        }
    }

    @Override
    public void copyTo(MemorySegment destination) {
        throw new IllegalStateException("the data is encrypted, fetch it");
    }

    @Override
    public MemorySegment memory() {
        throw new IllegalStateException("the data is encrypted, fetch it");
    }

    @Override
    public void requireIntact() {
        throw new IllegalStateException("the data is encrypted, fetch it");
    }
}
