package io.reactorucx.netty.internal;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.handshake.PeerInfo;
import java.io.IOException;
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

    /** Answers to frames for unknown channels that the peer has not taken, with all else that is under way. */
    private static final int MAX_ANSWERS = 256;

    private final ConnectionCore connection;
    private final ChannelStreams all;
    private final LoopCounters counters;
    private final LinkMessages messages;
    private final boolean sharing;
    private final IntObjectMap<ChannelStream> streams = new IntObjectHashMap<>();
    private @Nullable Runnable whenIdle;
    private boolean open;
    private boolean ended;

    /** A link that the engine's pool may share memory over. */
    StreamLink(ConnectionCore connection, ChannelStreams all, StreamContext context, boolean sharing) {
        this.connection = connection;
        this.all = all;
        this.counters = context.counters();
        this.messages = new LinkMessages(connection, context.rounds());
        this.sharing = sharing;
    }

    ConnectionCore connection() {
        return connection;
    }

    LinkMessages messages() {
        return messages;
    }

    /** Sets what runs when the last stream has gone. */
    void whenIdle(Runnable action) {
        whenIdle = action;
    }

    boolean isEnded() {
        return ended;
    }

    int streams() {
        return streams.size();
    }

    @Override
    public void connected(PeerInfo peer) {
        open = true;
        counters.count(LoopCount.LINKS);
        messages.shared(sharing && connection.carrier().sharesQueue());
    }

    void add(ChannelStream stream) {
        streams.put(stream.id(), stream);
    }

    /** A stream has ended, or needs the link no more. */
    void remove(int id, LoopRounds.Turn turn) {
        messages.room().forget(turn);
        if (streams.remove(id) != null && streams.isEmpty() && whenIdle != null) {
            whenIdle.run();
        }
    }

    @Override
    public void received(UcpActiveMessage message) {
        if (!StreamFrame.isFrame(message)) {
            violation(message, "a message of " + message.headerBytes() + " bytes of header that is no frame");
            return;
        }
        StreamFrame.Type type = StreamFrame.type(message);
        ChannelStream stream = streams.get(StreamFrame.channel(message));
        if (type == StreamFrame.Type.OPEN) {
            open(stream, message);
        } else if (stream == null || !stream.lifecycle().isPeer(StreamFrame.from(message))) {
            unknown(type, message);
        } else {
            try {
                stream.received(type, message);
            } catch (Throwable t) {
                stream.lifecycle().failed(t);
            }
            if (!message.isInline() && stream.lifecycle().isEnded()) {
                // Nothing happens to what was released or is being fetched.
                messages.release(message);
            }
        }
    }

    private void open(@Nullable ChannelStream known, UcpActiveMessage message) {
        if (!message.isInline() || message.length() != Long.BYTES) {
            violation(message, "OPEN with " + message.length() + " bytes");
            return;
        }
        ChannelStream stream = known != null ? known : all.pending(StreamFrame.channel(message));
        if (stream == null) {
            unknown(StreamFrame.Type.OPEN, message);
            return;
        }
        try {
            if (!stream.opened(this, StreamFrame.from(message), LinkMessages.token(message),
                    StreamFrame.credit(message))) {
                counters.count(LoopCount.VIOLATIONS);
                unknown(StreamFrame.Type.OPEN, message);
            }
        } catch (Throwable t) {
            stream.lifecycle().failed(t);
        }
    }

    /**
     * Answers what needs an answer: the sender has a channel that has none here. A peer that takes no answers gets
     * none.
     */
    private void unknown(StreamFrame.Type type, UcpActiveMessage message) {
        int channel = StreamFrame.channel(message);
        int from = StreamFrame.from(message);
        messages.drop(message);
        if ((type == StreamFrame.Type.DATA || type == StreamFrame.Type.OPEN)
                && messages.room().operations() < MAX_ANSWERS && messages.room().isFree()) {
            messages.reset(from, 0, channel);
        }
    }

    private void violation(UcpActiveMessage message, String what) {
        counters.count(LoopCount.VIOLATIONS);
        LOG.debug("[{}] the link closes by force: {}", connection.peer(), what);
        connection.registry().dropGarbage(message);
        connection.beginClose(CloseMode.FORCE);
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
            counters.add(LoopCount.LINKS, -1);
            if (cause != null) {
                counters.count(LoopCount.FAILED_LINKS);
            }
        }
        IOException lost = new IOException("Connection reset by peer: the link of the two loops has ended", cause);
        for (ChannelStream stream : List.copyOf(streams.values())) {
            stream.lifecycle().lost(lost);
        }
    }
}
