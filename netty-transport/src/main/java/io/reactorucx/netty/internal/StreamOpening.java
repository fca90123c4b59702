package io.reactorucx.netty.internal;

import io.reactorucx.core.error.UcxException;
import java.io.IOException;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The two OPEN that open a byte stream: what the socket has told of the peer, who asks, and whether this side's was
 * sent.
 *
 * <p>Thread: loop.
 */
final class StreamOpening {

    private final LoopRounds rounds;
    private final LoopRounds.Turn turn;
    private final int id;
    private final long token;
    private @Nullable Peer peer;
    private boolean asked;
    private boolean owed;

    StreamOpening(LoopRounds rounds, LoopRounds.Turn turn, int id, long token) {
        this.rounds = rounds;
        this.turn = turn;
        this.id = id;
        this.token = token;
    }

    /** The peer's channel, and the number by which this side proves that it is the one at the other end. */
    private record Peer(int channel, long token) {
    }

    /** Returns the number by which the peer proves that it is the one at the other end of the socket. */
    long token() {
        return token;
    }

    /** The socket has told which channel the peer has. */
    void peerKnown(int channel, long itsToken) {
        peer = new Peer(channel, itsToken);
    }

    /** Returns the number of the peer's channel, which is known. */
    int peer() {
        return Objects.requireNonNull(peer).channel;
    }

    boolean isPeer(int channel) {
        return peer != null && peer.channel == channel;
    }

    /** This side asks the peer to open the stream. */
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
        return isPeer(from) && given == token && joined == (asked ? over : null);
    }

    /** Sends OPEN, as soon as the link has room for it. Returns whether it has answered that of the peer. */
    boolean send(StreamLink over, int credit, Consumer<IOException> broken) {
        owed = true;
        Peer to = Objects.requireNonNull(peer);
        try {
            if (over.messages().room().isFree()) {
                over.messages().sendOpen(to.channel, to.token, credit, id);
                owed = false;
            } else {
                over.messages().room().await(turn);
            }
        } catch (UcxException e) {
            if (e.isRetryable() && !over.isEnded()) {
                over.messages().room().await(turn);
            } else {
                rounds.later(() -> broken.accept(new IOException("the channel could not be opened", e)));
            }
        }
        return !owed && !asked;
    }
}
