package io.reactorucx.internal.message;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.config.FlowControlConfig;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.frame.StreamErrorException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The streams of one connection, and what frames of the peer do to them. On the engine's thread. */
public final class InboundFrames implements MessageFrameCodec.Visitor {

    /** Code of the error for a stream that is not accepted. */
    public static final int REFUSED = 1;

    private final MessageMultiplexer mux;
    private final InboundBatch batch;
    private final MessageStream defaultStream;
    private final StreamTable table = new StreamTable();
    private @Nullable StreamAcceptor acceptor;
    private int lastOurs;
    private int lastPeers;
    private int ours;
    private int peers;
    private int mostOurs = FlowControlConfig.DEFAULT.maxStreams();
    private int received;

    InboundFrames(MessageMultiplexer mux, InboundBatch batch) {
        this.mux = mux;
        this.batch = batch;
        this.defaultStream = new MessageStream(mux, 0, true);
    }

    /** Told of the streams that the peer opens. */
    @FunctionalInterface
    public interface StreamAcceptor {

        /** A stream is open; to end it is this one's duty from now on. */
        void opened(MessageStream stream, byte[] first);
    }

    /**
     * Who takes the streams of the peer, which are refused as long as there is nobody; answers whether nobody else
     * does.
     */
    public boolean accept(StreamAcceptor listener) {
        if (acceptor != null) {
            return false;
        }
        acceptor = listener;
        return true;
    }

    public void leave(StreamAcceptor listener) {
        if (acceptor == listener) {
            acceptor = null;
        }
    }

    public MessageStream defaultStream() {
        return defaultStream;
    }

    /**
     * Opens a stream, with a first payload of at most the inline size. {@link UcxStatus#EXCEEDS_LIMIT} when the peer
     * takes no more.
     */
    public MessageStream open(byte[] first) {
        if (mux.isClosing()) {
            throw mux.closed("open", "the connection is closed");
        }
        if (first.length > mux.limits().rendezvousBytes()) {
            throw new IllegalArgumentException("first of " + first.length + " bytes: at most " + mux.limits()
                    .rendezvousBytes());
        }
        if (ours >= mostOurs) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "open", mux.connection().peer(),
                    "the peer takes " + mostOurs
                    + " streams at once, and " + ours + " are open");
        }
        do {
            lastOurs++;
        } while (lastOurs << 1 == 0 || table.get(lastOurs << 1 | 1) != null);
        MessageStream stream = new MessageStream(mux, lastOurs << 1 | 1, true);
        table.add(stream);
        ours++;
        mux.counters().streams(1);
        mux.enter();
        try {
            stream.open(first);
        } finally {
            mux.leave();
        }
        return stream;
    }

    /** A stream is over. */
    void closed(MessageStream stream) {
        table.remove(stream);
        if (stream.isOurs()) {
            ours--;
        } else {
            peers--;
        }
        mux.counters().streams(-1);
    }

    /** The most streams that the peer takes. */
    void limit(int streams) {
        mostOurs = streams;
    }

    /** The stream of a frame; null when it is over, so that the frame has crossed with its end. */
    @Nullable MessageStream find(int peerId) {
        int id = MessageStream.peerId(peerId);
        if (id == 0) {
            return defaultStream;
        }
        MessageStream stream = table.get(id);
        if (stream == null && isAhead(id, (id & 1) == 1 ? lastOurs : lastPeers)) {
            throw new ProtocolViolationException("stream " + Integer.toUnsignedString(peerId)
                    + ", which nobody has opened");
        }
        return stream;
    }

    /** Whether an id comes after the last one; they go round. */
    private static boolean isAhead(int id, int last) {
        return (id & ~1) - (last << 1) > 0;
    }

    @Override
    public void open(int stream, int messages, int bytes, int offset, int length) {
        int id = MessageStream.peerId(stream);
        if ((id & 1) == 1 || id == 0 || !isAhead(id, lastPeers) || table.get(id) != null) {
            throw new ProtocolViolationException("stream " + Integer.toUnsignedString(stream) + " cannot be opened");
        }
        lastPeers = id >>> 1;
        if (mux.isClosing()) {
            // Over before it has begun: what else comes for it has crossed with its end.
            return;
        }
        int most = mux.limits().maxStreams();
        // Accepted ones, which this side may still work on when the peer has ended them, and refused ones, which count
        // as long as the peer takes them for open: no more than our limit, or the default as long as it has not heard
        // of ours.
        if (peers >= most + Math.max(most, FlowControlConfig.DEFAULT.maxStreams())) {
            throw new ProtocolViolationException(peers + " streams, " + most + " are allowed");
        }
        MessageStream opened = new MessageStream(mux, id, false);
        table.add(opened);
        mux.counters().streams(1);
        opened.output().grant(messages, bytes);
        StreamAcceptor listener = acceptor;
        if (++peers > most || listener == null) {
            // At once: a peer that has ended it in the same batch may have opened many others in its place.
            opened.output().endWith(new StreamTermination(REFUSED, listener == null ? "streams are not accepted"
                    : "more than " + most + " streams"));
            opened.input().cancel();
        } else {
            listener.opened(opened, batch.copy(offset, length));
        }
    }

    @Override
    public void data(int stream, int offset, int length, int count) {
        MessageStream to = find(stream);
        if (to != null) {
            to.input().arrived(batch, offset, length, count);
            received += count;
        }
    }

    /** All frames of a batch have been told of. */
    void batchEnded() {
        mux.counters().received(received);
        received = 0;
    }

    @Override
    public void credit(int stream, int messages, int bytes) {
        MessageStream to = find(stream);
        if (to != null) {
            to.output().grant(messages, bytes);
        }
    }

    @Override
    public void complete(int stream) {
        end(stream, null);
    }

    @Override
    public void error(int stream, int code, String text) {
        end(stream, new StreamErrorException(code, text));
    }

    private void end(int stream, @Nullable RuntimeException error) {
        MessageStream to = find(stream);
        if (to == defaultStream) {
            throw new ProtocolViolationException("an end of the default stream");
        }
        if (to != null) {
            to.input().endByPeer(error);
        }
    }

    @Override
    public void cancel(int stream) {
        MessageStream to = find(stream);
        if (to != null) {
            to.output().cancelledByPeer();
        }
    }

    @Override
    public void reset(int stream) {
        MessageStream to = find(stream);
        if (to != defaultStream) {
            throw new ProtocolViolationException("RESET of another stream than the default one");
        }
        to.input().reset();
    }

    @Override
    public void last() {
        mux.last();
    }

    @Override
    public void settings(long maxMessageBytes, int maxStreams) {
        mux.settings(maxMessageBytes, maxStreams);
    }

    boolean areInputsDrained() {
        return table.allMatch(stream -> stream.input().isDrained()) && defaultStream.input().isDrained();
    }

    boolean areOutputsDrained() {
        return table.allMatch(stream -> stream.output().isDrained()) && defaultStream.output().isDrained();
    }

    /** Calls for each stream; the action may end any of them. */
    void forEach(Consumer<MessageStream> action) {
        action.accept(defaultStream);
        table.forEach(action);
    }
}
