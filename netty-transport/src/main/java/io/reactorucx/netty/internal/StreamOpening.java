package io.reactorucx.netty.internal;

import io.reactorucx.core.error.UcxException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * How a byte stream opens: what its socket has told of the peer, and the OPEN that goes over the link.
 *
 * <p>Thread: loop.
 */
final class StreamOpening {

    private final ChannelStream stream;
    private final LoopEngine loop;
    private final StreamDeadlines deadlines;
    /** Whether this side has asked the peer to open the stream, and knows its token. */
    private boolean asked;
    private boolean owed;
    private boolean known;
    private boolean refused;
    private boolean socketEnded;
    private int peer;
    private long peerToken;

    StreamOpening(ChannelStream stream, LoopEngine loop, StreamDeadlines deadlines) {
        this.stream = stream;
        this.loop = loop;
        this.deadlines = deadlines;
    }

    /** The socket has told which channel the peer has. */
    void peerKnown(int channel, long token) {
        known = true;
        peer = channel;
        peerToken = token;
    }

    /** Returns the number of the peer's channel. */
    int peer() {
        return peer;
    }

    boolean isPeer(int channel) {
        return known && peer == channel;
    }

    void ask() {
        asked = true;
    }

    boolean isAsked() {
        return asked;
    }

    /** Returns whether OPEN waits for room on the link. */
    boolean isOwed() {
        return owed;
    }

    /** Returns whether the peer may open the stream over a link. */
    boolean accepts(StreamLink over, @Nullable StreamLink joined, int from, long given) {
        return isPeer(from) && given == stream.token() && joined == (asked ? over : null);
    }

    /** Sends OPEN, as soon as the link has room for it. */
    void send(StreamLink over, int credit) {
        owed = true;
        try {
            if (over.room().isFree()) {
                over.sendOpen(peer, peerToken, credit, stream.id());
                owed = false;
            } else {
                over.room().await(stream);
            }
        } catch (UcxException e) {
            if (e.isRetryable() && !over.isEnded()) {
                over.room().await(stream);
            } else {
                loop.later(() -> stream.fail(new IOException("the channel could not be opened", e)));
            }
        }
    }

    /** The socket has ended before the stream was open. */
    void socketEnded(boolean inOrder, boolean hasBytes) {
        socketEnded = true;
        if (!inOrder || hasBytes) {
            stream.fail(new IOException("Connection reset by peer: the socket has ended before the channel was open"));
        } else if (!asked || refused) {
            stream.endUnopened();
        } else {
            deadlines.startEnding(this::notOpened);
        }
    }

    /** The peer has no channel any more: the socket tells whether it has closed it in order. */
    void refused() {
        refused = true;
        if (socketEnded) {
            stream.endUnopened();
        } else {
            deadlines.startEnding(this::notOpened);
        }
    }

    private void notOpened() {
        stream.fail(new IOException("Connection reset by peer: the channel was not opened"));
    }
}
