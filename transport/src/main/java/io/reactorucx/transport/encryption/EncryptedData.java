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
 * or behind it. It is fetched to a place of its own and decrypted from there: who wants it may have others write to the
 * destination at the same time, and shows nobody what is encrypted.
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
        if (frame.isInline()) {
            open(frame.payload(), destination);
            return true;
        }
        RecordMemory.Block block = receiver.memory().take(frame.length());
        MemorySegment all = block.memory().asSlice(0, frame.length());
        boolean begun = false;
        try {
            begun = !messages().fetch(frame, all, null, (status, bytes, tag) ->
                    arrived(status, block, all, destination, whenDone));
            if (!begun) {
                open(all, destination);
            }
            return !begun;
        } finally {
            if (!begun) {
                receiver.memory().give(block);
            }
        }
    }

    private void arrived(int status, RecordMemory.Block block, MemorySegment all, MemorySegment destination,
            Completion whenDone) {
        int end = status;
        try {
            if (status >= 0) {
                open(all, destination);
            }
        } catch (UcxException e) {
            end = e.rawStatus();
        } catch (IllegalStateException e) {
            // Its arena was closed in the meantime.
            end = UcxStatus.CANCELED.code();
        } finally {
            receiver.memory().give(block);
        }
        whenDone.complete(end, length, 0);
    }

    private byte[] tagsBehind(MemorySegment all) {
        return all.asSlice(length).toArray(ValueLayout.JAVA_BYTE);
    }

    private void open(MemorySegment from, MemorySegment destination) {
        byte[] withHeader = tags;
        byte[] ofParts = withHeader == null ? tagsBehind(from) : withHeader;
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
