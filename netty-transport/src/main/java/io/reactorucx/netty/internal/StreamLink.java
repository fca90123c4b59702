package io.reactorucx.netty.internal;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.connection.SharedMemoryTransport;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.PeerInfo;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The byte streams over one connection of two workers. A frame reaches only streams of its own link.
 *
 * <p>Thread: loop.
 */
final class StreamLink implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(StreamLink.class);
    private static final ValueLayout.OfLong TOKEN = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Answers to frames for unknown channels that the peer has not taken, with all else that is under way. */
    private static final int MAX_ANSWERS = 256;

    private final ConnectionCore connection;
    private final LoopEngine loop;
    private final IntObjectMap<ChannelStream> streams = new IntObjectHashMap<>();
    private final StreamFrame frame = new StreamFrame();
    private final MemorySegment token = Arena.ofAuto().allocate(Long.BYTES);
    private final LinkRoom room;
    private final Completion whenSent;
    private @Nullable Runnable whenIdle;
    private boolean shared;
    private boolean open;
    private boolean ended;

    StreamLink(ConnectionCore connection, LoopEngine loop) {
        this.connection = connection;
        this.loop = loop;
        this.room = new LinkRoom(loop);
        this.whenSent = (status, length, tag) -> room.ended(0);
    }

    ConnectionCore connection() {
        return connection;
    }

    LinkRoom room() {
        return room;
    }

    /** Sets what runs when the last stream has gone. */
    void whenIdle(Runnable action) {
        whenIdle = action;
    }

    boolean isEnded() {
        return ended;
    }

    /** Returns whether large data goes by the memory of both processes. */
    boolean isShared() {
        return shared;
    }

    int streams() {
        return streams.size();
    }

    @Override
    public void connected(PeerInfo peer) {
        open = true;
        loop.counters().linkOpened();
        shared = loop.pool().isSharing() && SharedMemoryTransport.carries(connection.endpoint());
    }

    void add(ChannelStream stream) {
        streams.put(stream.id(), stream);
    }

    void remove(ChannelStream stream) {
        room.forget(stream);
        if (streams.remove(stream.id()) != null && streams.isEmpty() && whenIdle != null) {
            whenIdle.run();
        }
    }

    @Override
    public void received(UcpActiveMessage message) {
        if (!StreamFrame.isFrame(message)) {
            violation(message, "a message of " + message.headerBytes() + " bytes of header that is no frame");
            return;
        }
        ChannelStream stream = streams.get(StreamFrame.channel(message));
        StreamFrame.Type type = StreamFrame.type(message);
        if (type == StreamFrame.Type.OPEN) {
            open(stream, message);
        } else if (stream == null || !stream.isPeer(StreamFrame.from(message))) {
            unknown(type, message);
        } else {
            LoopEngine.guarded(stream, () -> stream.received(type, message));
            if (stream.isEnded() && !message.isInline()) {
                // Nothing happens to what was released or is being fetched.
                loop.release(message);
            }
        }
    }

    private void open(@Nullable ChannelStream known, UcpActiveMessage message) {
        if (!message.isInline() || message.length() != Long.BYTES) {
            violation(message, "OPEN with " + message.length() + " bytes");
            return;
        }
        long given = message.payload().get(TOKEN, 0);
        ChannelStream stream = known != null ? known : loop.pendingOpen(StreamFrame.channel(message));
        if (stream == null) {
            unknown(StreamFrame.Type.OPEN, message);
            return;
        }
        LoopEngine.guarded(stream, () -> {
            if (!stream.opened(this, StreamFrame.from(message), given, StreamFrame.credit(message))) {
                loop.counters().violated();
                unknown(StreamFrame.Type.OPEN, message);
            }
        });
    }

    /**
     * Answers what needs an answer: the sender has a channel that has none here. A peer that takes no answers gets
     * none.
     */
    private void unknown(StreamFrame.Type type, UcpActiveMessage message) {
        int channel = StreamFrame.channel(message);
        int from = StreamFrame.from(message);
        connection.registry().drop(message, DropReason.NO_RECEIVER);
        if ((type == StreamFrame.Type.DATA || type == StreamFrame.Type.OPEN)
                && room.operations() < MAX_ANSWERS && room.isFree()) {
            reset(from, 0, channel);
        }
    }

    private void violation(UcpActiveMessage message, String what) {
        loop.counters().violated();
        LOG.debug("[{}] the link closes by force: {}", connection.peer(), what);
        connection.registry().dropGarbage(message);
        connection.beginClose(CloseMode.FORCE);
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

    @Override
    public void endReceivers(@Nullable UcxException loss) {
        end(loss);
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        end(loss);
    }

    @Override
    public void abandon(RuntimeException cause) {
        end(cause);
    }

    private void end(@Nullable RuntimeException cause) {
        ended = true;
        if (open) {
            open = false;
            loop.counters().linkClosed(cause != null);
        }
        IOException lost = new IOException("Connection reset by peer: the link of the two loops has ended", cause);
        for (ChannelStream stream : List.copyOf(streams.values())) {
            stream.lost(lost);
        }
    }
}
