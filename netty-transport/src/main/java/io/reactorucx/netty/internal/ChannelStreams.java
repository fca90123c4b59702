package io.reactorucx.netty.internal;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.reactorucx.core.PlacedData;
import io.reactorucx.netty.buffer.PlacedBuffer;
import io.reactorucx.netty.counter.LoopCount;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of one engine, by the numbers that the peers name.
 *
 * <p>Thread: loop.
 */
public final class ChannelStreams {

    private static final Logger LOG = LoggerFactory.getLogger(ChannelStreams.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final StreamContext context;
    private final IntObjectMap<ChannelStream> streams = new IntObjectHashMap<>();
    private final IntObjectMap<ChannelStream> pending = new IntObjectHashMap<>();
    private int nextId = RANDOM.nextInt();

    ChannelStreams(StreamContext context) {
        this.context = context;
    }

    /** Returns whether the loop may have one more channel; counts it as refused if not. */
    public boolean hasRoom() {
        if (context.counters().channels() >= context.config().maxChannels()) {
            context.counters().count(LoopCount.REFUSED);
            return false;
        }
        return true;
    }

    /**
     * Makes a stream that waits for its opening, unless the loop has as many channels as it may.
     *
     * @param window how many bytes the peer may be ahead of the reader
     */
    public @Nullable ChannelStream add(int window, StreamListener listener, StreamSocket socket) {
        if (!hasRoom()) {
            return null;
        }
        while (streams.containsKey(nextId)) {
            nextId++;
        }
        int id = nextId++;
        ChannelStream stream = new ChannelStream(context, this, id, RANDOM.nextLong(), window, listener, socket);
        streams.put(id, stream);
        pending.put(id, stream);
        context.counters().streamMade();
        return stream;
    }

    /** Returns a stream that is not open, null if there is none with the number. */
    @Nullable ChannelStream pending(int id) {
        return pending.get(id);
    }

    /** Both sides have opened a stream. */
    void opened(int id) {
        if (pending.remove(id) != null) {
            context.counters().streamOpened();
        }
    }

    /** A stream has ended. */
    void ended(int id, boolean inOrder) {
        boolean wasPending = pending.remove(id) != null;
        if (streams.remove(id) != null) {
            context.counters().streamEnded(wasPending, inOrder);
        }
    }

    /**
     * Called inside UCX: finds a buffer for data. It is that of the channel which the frame names, whether or not the
     * frame is right.
     */
    @Nullable PlacedData place(byte[] header, int length) {
        ChannelStream stream = StreamFrame.isFrame(header) ? streams.get(StreamFrame.channel(header)) : null;
        try {
            return stream == null ? null : new PlacedBuffer(stream.lifecycle().listener().allocator(), length);
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.debug("no buffer for {} bytes", length, e);
            return null;
        }
    }

    /** Returns whether no channel is left, not even one that still sends after its close. */
    public boolean isEmpty() {
        return streams.isEmpty();
    }

    /** Closes the channels' streams, in order. */
    void close() {
        List.copyOf(streams.values()).forEach(stream -> stream.lifecycle().close(false));
    }

    /** Ends the streams that have not ended, each with a cause of its own. */
    void fail(String why, @Nullable Throwable cause) {
        List.copyOf(streams.values()).forEach(stream -> stream.lifecycle().fail(new IOException(why, cause)));
    }
}
