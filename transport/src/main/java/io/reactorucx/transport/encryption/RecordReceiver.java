package io.reactorucx.transport.encryption;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.record.BulkOpener;
import io.reactorucx.transport.record.BulkSealer;
import io.reactorucx.transport.record.RecordException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Opens the frames of one connection's peer, and hands on the messages in them. One that is wrong ends the connection.
 *
 * <p>Thread: engine.
 */
final class RecordReceiver {

    private final ConnectionCore connection;
    private final EncryptingCarrier carrier;
    private final RecordMemory memory;
    private final EncryptionCounters counters;
    private final FrameOpener opener;
    private final BulkOpener bulk;

    RecordReceiver(ConnectionCore connection, EncryptingCarrier carrier, ConnectionKeys keys, RecordMemory memory,
            EncryptionCounters counters) {
        this.connection = connection;
        this.carrier = carrier;
        this.memory = memory;
        this.counters = counters;
        this.opener = new FrameOpener(keys);
        this.bulk = new BulkOpener(keys.toOpenBulk());
    }

    void received(UcpActiveMessage frame) {
        try {
            if (frame.headerBytes() > 0) {
                offer(frame);
            } else if (frame.isInline()) {
                message(frame.readInPlace(), (int) frame.length());
            } else {
                message(copy(frame), (int) frame.length());
            }
        } catch (RecordException e) {
            connection.registry().dropGarbage(frame);
            broken(e);
        }
    }

    /** Copies a frame that UCX holds. */
    private byte[] copy(UcpActiveMessage frame) throws RecordException {
        if (!frame.isLocal() || frame.length() > memory.received.length) {
            throw new RecordException("a record of " + frame.length() + " bytes");
        }
        messages().read(frame, bytes -> MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, memory.received, 0,
                (int) frame.length()));
        return memory.received;
    }

    private void message(byte[] frame, int size) throws RecordException {
        int bytes = opener.open(frame, 0, size, memory.opened);
        int id = idOf(bytes, RecordFrame.HEAD_BYTES);
        boolean control = opener.kind() == RecordFrame.Kind.CONTROL;
        if (opener.kind() == RecordFrame.Kind.OFFER || control != ReservedMessageIds.isUrgent(id)) {
            throw new RecordException("a record with a message of id " + id);
        }
        counters.countOpened(bytes);
        if (control) {
            opener.requireAll(System.nanoTime());
        }
        int headerBytes = headerBytes();
        carrier.opened(id, memory.openedSource, RecordFrame.HEAD_BYTES, headerBytes,
                bytes - RecordFrame.HEAD_BYTES - headerBytes);
    }

    /** Checks the head of what was opened, and returns the id of its message. */
    private int idOf(int bytes, int headBytes) throws RecordException {
        int id = bytes < headBytes ? -1 : Short.toUnsignedInt(FrameBytes.getShort(memory.opened, 0));
        if (!ReservedMessageIds.isEncrypted(id) || headerBytes() > bytes - headBytes) {
            throw new RecordException("a record of " + bytes + " bytes that has no message");
        }
        return id;
    }

    private int headerBytes() {
        return Short.toUnsignedInt(FrameBytes.getShort(memory.opened, Short.BYTES));
    }

    private void offer(UcpActiveMessage frame) throws RecordException {
        byte[] header = frame.header().toArray(ValueLayout.JAVA_BYTE);
        int bytes = opener.open(header, 0, header.length, memory.opened);
        int id = idOf(bytes, RecordFrame.OFFER_HEAD_BYTES);
        long length = FrameBytes.getLong(memory.opened, RecordFrame.HEAD_BYTES + Integer.BYTES + Long.BYTES);
        int tagBytes = header.length - opener.end();
        if (opener.kind() != RecordFrame.Kind.OFFER || ReservedMessageIds.isUrgent(id)
                || id == ReservedMessageIds.MAPPED || headerBytes() != bytes - RecordFrame.OFFER_HEAD_BYTES
                || length < 0 || !hasTags(frame.length(), length, tagBytes)) {
            throw new RecordException("an offer of a message of id " + id + " with " + length + " bytes in "
                    + frame.length());
        }
        BulkOpener.Message keys = bulk.message(FrameBytes.getInt(memory.opened, RecordFrame.HEAD_BYTES),
                FrameBytes.getLong(memory.opened, RecordFrame.HEAD_BYTES + Integer.BYTES));
        counters.countOpened(bytes);
        byte[] inner = Arrays.copyOfRange(memory.opened, RecordFrame.OFFER_HEAD_BYTES, bytes);
        byte[] tags = tagBytes > 0 || length == 0 ? Arrays.copyOfRange(header, opener.end(), header.length) : null;
        UcpActiveMessage kept = frame.keep();
        UcpActiveMessage message = messages().offer(kept, id, inner, length,
                new EncryptedData(this, kept, keys, length, tags));
        if (!connection.dispatch(message)) {
            connection.registry().drop(message, DropReason.NO_RECEIVER);
        }
    }

    /** Returns whether a message has the tags of all its parts, with its header or behind its data. */
    private static boolean hasTags(long carried, long length, int withHeader) {
        long needed = BulkSealer.parts(length) * BulkSealer.TAG_BYTES;
        return withHeader == needed ? carried == length : withHeader == 0 && carried - needed == length;
    }

    /** A record was wrong, which the connection does not outlive. */
    void broken(RecordException cause) {
        counters.countBroken();
        connection.broken(String.valueOf(cause.getMessage()));
    }

    RecordMemory memory() {
        return memory;
    }

    EncryptionCounters counters() {
        return counters;
    }

    UcpActiveMessages messages() {
        return connection.registry().worker().activeMessages();
    }

    String peer() {
        return connection.peer();
    }
}
