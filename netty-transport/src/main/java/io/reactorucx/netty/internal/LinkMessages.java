package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.netty.buffer.PlacedBuffer;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of one link: sends frames, and gets the data of those that have come.
 *
 * <p>Thread: loop.
 */
final class LinkMessages {

    private static final Logger LOG = LoggerFactory.getLogger(LinkMessages.class);
    private static final ValueLayout.OfLong TOKEN = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final ConnectionCore connection;
    private final UcpActiveMessages messages;
    private final LinkRoom room;
    private final StreamFrame frame = new StreamFrame();
    private final MemorySegment token = Arena.ofAuto().allocate(Long.BYTES);
    private final Completion whenSent;
    private boolean shared;

    LinkMessages(ConnectionCore connection, LoopRounds rounds) {
        this.connection = connection;
        this.messages = connection.registry().worker().activeMessages();
        this.room = new LinkRoom(messages, rounds);
        this.whenSent = (status, length, tag) -> room.ended(0);
    }

    LinkRoom room() {
        return room;
    }

    /** Sets whether large data goes by the memory of both processes. */
    void shared(boolean isShared) {
        shared = isShared;
    }

    boolean isShared() {
        return shared;
    }

    /** Returns the token that OPEN carries. */
    static long token(UcpActiveMessage open) {
        return open.payload().get(TOKEN, 0);
    }

    /** Sends a frame without data. */
    void send(int channel, StreamFrame.Type type, int offset, int credit, int from) {
        sendSmall(frame.fill(channel, type, offset, credit, from), MemorySegment.NULL);
    }

    /** Sends RESET if that can be sent: the socket tells it as well. */
    void reset(int channel, int offset, int from) {
        try {
            send(channel, StreamFrame.Type.RESET, offset, 0, from);
        } catch (UcxException e) {
            LOG.debug("[{}] RESET not sent", connection.peer(), e);
        }
    }

    /** Sends OPEN. */
    void sendOpen(int channel, long channelToken, int credit, int from) {
        token.set(TOKEN, 0, channelToken);
        sendSmall(frame.fill(channel, StreamFrame.Type.OPEN, 0, credit, from), token);
    }

    /** Sends data that is copied within the call. */
    void sendCopied(int channel, int offset, int credit, int from, MemorySegment data) {
        sendSmall(frame.fill(channel, StreamFrame.Type.DATA, offset, credit, from), data);
    }

    private void sendSmall(MemorySegment header, MemorySegment data) {
        if (!connection.send(ReservedMessageIds.CHANNELS, connection.header(header), data, null, AmProtocol.EAGER,
                whenSent)) {
            room.started(0);
        }
    }

    /**
     * Sends data. Returns whether its memory is free at once; else the completion also tells the room that it has
     * ended.
     */
    boolean sendData(int channel, int offset, int credit, int from, MemorySegment data, Completion whenDone) {
        boolean done = connection.send(ReservedMessageIds.CHANNELS, dataHeader(channel, offset, credit, from), data,
                null, AmProtocol.EAGER, whenDone);
        if (!done) {
            room.started((int) data.byteSize());
        }
        return done;
    }

    /** Offers leased memory, if the peer has mapped it. The completion also tells the room that it has ended. */
    boolean offerData(int channel, int offset, int credit, int from, MemorySegment data, UcpMemory registration,
            Completion whenDone) {
        boolean offered = connection.sendMapped(ReservedMessageIds.CHANNELS,
                dataHeader(channel, offset, credit, from), data, registration, whenDone);
        if (offered) {
            room.started((int) data.byteSize());
        }
        return offered;
    }

    private MemorySegment dataHeader(int channel, int offset, int credit, int from) {
        return connection.header(frame.fill(channel, StreamFrame.Type.DATA, offset, credit, from));
    }

    /** Returns the buffer in which data was placed, as the caller's, or null. */
    @Nullable ByteBuf take(UcpActiveMessage message) {
        return messages.take(message) instanceof PlacedBuffer placed ? placed.buffer() : null;
    }

    boolean fetch(UcpActiveMessage message, MemorySegment target, Completion whenDone) {
        return messages.fetch(message, target, (@Nullable UcpMemory) null, whenDone);
    }

    /** Releases what UCX holds of a message that nobody takes. */
    void drop(UcpActiveMessage message) {
        connection.registry().drop(message, DropReason.NO_RECEIVER);
    }

    /** Releases what UCX still holds of a message, which was counted. */
    void release(UcpActiveMessage message) {
        if (messages.holds(message)) {
            messages.release(message);
        }
    }
}
