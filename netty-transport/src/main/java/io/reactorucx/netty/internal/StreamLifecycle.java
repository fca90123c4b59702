package io.reactorucx.netty.internal;

import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * How a byte stream opens and ends: what its channel, its socket, its link and the peer tell, and what follows. It
 * outlives the channel until what was written before the close has gone.
 *
 * <p>Thread: loop.
 */
public final class StreamLifecycle {

    private static final StreamListener NOBODY = new ClosedListener();

    private final StreamContext context;
    private final ChannelStreams all;
    private final int id;
    private final StreamSocket socket;
    private final StreamInput input;
    private final StreamOutput output;
    private final LoopRounds.Turn turn;
    private final Runnable flush;
    private final StreamDeadlines deadlines;
    private final StreamOpening opening;
    private final StreamEnding ending = new StreamEnding();
    private StreamListener listener;
    private StreamState state = StreamState.OPENING;
    private PeerState peerState = PeerState.UNKNOWN;
    private @Nullable StreamLink link;
    private @Nullable IOException lossAfterReads;

    /** A stream that is not open, with what its parts do when it ends. */
    StreamLifecycle(StreamContext context, ChannelStreams all, int id, long token, StreamListener listener,
            StreamSocket socket, StreamInput input, StreamOutput output, LoopRounds.Turn turn, Runnable flush) {
        this.context = context;
        this.all = all;
        this.id = id;
        this.listener = listener;
        this.socket = socket;
        this.input = input;
        this.output = output;
        this.turn = turn;
        this.flush = flush;
        this.deadlines = new StreamDeadlines(context);
        this.opening = new StreamOpening(context.rounds(), turn, id, token);
    }

    /** Returns the number by which the peer names this stream. */
    public int id() {
        return id;
    }

    /** Returns the number by which the peer proves that it is the one at the other end of the socket. */
    public long token() {
        return opening.token();
    }

    StreamListener listener() {
        return listener;
    }

    StreamState state() {
        return state;
    }

    boolean isEnded() {
        return state.isEnded();
    }

    /** Returns whether the peer has closed its channel: it takes no more. */
    boolean hasPeerClosed() {
        return peerState.isClosed();
    }

    /** Whether the peer has closed its channel, and all that it has sent before is here. */
    private boolean isPeerDone() {
        return peerState.isClosed() && input.isComplete();
    }

    /** Returns why the peer is gone, which the channel learns when it has read the rest; null while it is not. */
    @Nullable IOException lossAfterReads() {
        return lossAfterReads;
    }

    /** Returns whether the stream is open, and its link serves it. */
    boolean isOpenOverLink() {
        return link != null && state.isOpen();
    }

    /** Returns the certificates of the peer's loop; null without TLS, and before the stream has its link. */
    public @Nullable PeerCertificates peerCertificates() {
        StreamLink over = link;
        ConnectionIdentity identity = over == null ? null : over.connection().identity();
        return identity == null ? null : identity.peerCertificates();
    }

    /** Returns the link over which frames may be sent, null for none. */
    @Nullable LinkMessages sendsOver() {
        StreamLink over = link;
        return over == null || !state.isOpen() || lossAfterReads != null ? null : over.messages();
    }

    /** Returns the number of the peer's channel, which is known. */
    int peer() {
        return opening.peer();
    }

    boolean isPeer(int channel) {
        return opening.isPeer(channel);
    }

    /** Limits the time until both sides have opened the stream. */
    public void startHandshakeTime() {
        deadlines.startOpening(socket, this::fail);
    }

    /** The socket has told which channel the peer has. Without a link the peer makes one, and opens the stream. */
    public void peerKnown(int channel, long itsToken) {
        opening.peerKnown(channel, itsToken);
        peerState = peerState.after(PeerState.Event.GREETED);
    }

    /** Returns whether the peer is to be asked over a link to open the stream. */
    boolean asksOver(StreamLink over) {
        if (over.isEnded()) {
            fail(new IOException("Connection reset by peer: the link of the two loops has ended"));
        } else if (!state.isEnded()) {
            opening.ask();
            return true;
        }
        return false;
    }

    /** Sends OPEN over a link, which has the stream. */
    void join(StreamLink over) {
        link = over;
        input.fetchOver(over.messages());
        sendOpen(over);
    }

    /** Returns whether the peer may open the stream over a link, or may have opened it as it was asked to. */
    boolean acceptsOpen(StreamLink over, int from, long given) {
        return !state.isOpen() && !state.isEnded() && opening.accepts(over, link, from, given);
    }

    boolean isAsked() {
        return opening.isAsked();
    }

    /** Sends OPEN if it still has to be sent: there may be room for it. */
    void resume() {
        StreamLink over = link;
        if (over != null && opening.isOwed()) {
            sendOpen(over);
        }
    }

    private void sendOpen(StreamLink over) {
        if (opening.send(over, input.grant(), this::fail)) {
            open();
        }
    }

    /** Both sides have opened the stream. */
    void open() {
        all.opened(id);
        deadlines.opened();
        state = state.after(StreamState.Event.OPENED);
        peerState = peerState.after(PeerState.Event.OPENED);
        flush.run();
        context.rounds().ready(turn);
    }

    /** Returns whether RESET says that the peer has no such channel, instead of that it has ended. */
    boolean isRefusal(StreamFrame.Type type) {
        return type == StreamFrame.Type.RESET && opening.isAsked() && !state.isOpen() && !state.isEnded();
    }

    /** The peer has no channel any more: the socket tells whether it has closed it in order. */
    void refused() {
        endUnopened(PeerState.Event.REFUSED);
    }

    private void endUnopened(PeerState.Event event) {
        peerState = peerState.after(event);
        if (peerState.isClosed()) {
            input.finishUnopened();
            context.rounds().ready(turn);
        } else {
            deadlines.startEnding(() -> fail(new IOException(
                    "Connection reset by peer: the channel was not opened")));
        }
    }

    /** The socket has ended. In order, the rest comes over the link; else the peer's process or channel has died. */
    public void socketEnded(boolean inOrder) {
        if (state.isEnded()) {
            return;
        }
        if (!state.isOpen()) {
            if (!inOrder || state == StreamState.CLOSING_UNOPENED) {
                fail(new IOException("Connection reset by peer: the socket has ended before the channel was open"));
            } else {
                endUnopened(opening.isAsked() ? PeerState.Event.LEFT : PeerState.Event.CLOSED);
            }
        } else if (!inOrder) {
            lost(new IOException("Connection reset by peer: its socket has ended"));
        } else if (!isPeerDone()) {
            deadlines.startEnding(() -> lost(new IOException(
                    "Connection reset by peer: its channel has ended without CLOSE, or without its data")));
        }
    }

    /** The peer sends nothing behind an offset. Returns false if that cannot be. */
    boolean peerEnds(StreamFrame.Type type, int offset) {
        if (!input.finish(offset)) {
            return false;
        }
        if (type != StreamFrame.Type.FIN) {
            peerState = peerState.after(PeerState.Event.CLOSED);
        }
        ending.peerEnds(type);
        if (!peerState.isClosed() || !lingerOver()) {
            context.rounds().ready(turn);
        }
        return true;
    }

    /** No more is written than what is queued. */
    void wantFin() {
        ending.wantFin();
    }

    /** Returns whether the peer waits to be told that all has come. */
    boolean owesClosed() {
        return ending.owesClosed();
    }

    /** Returns the frame of the end that is to be sent next, null for none. */
    StreamFrame.@Nullable Type owedFrame() {
        if (ending.owesClosed() && !state.isEnded() && input.isComplete()) {
            return StreamFrame.Type.CLOSED;
        }
        return output.isEmpty() || peerState.isClosed() ? ending.next(state, peerState.isClosed()) : null;
    }

    /** Such a frame was sent. */
    void sent(StreamFrame.Type frame) {
        switch (frame) {
            case CLOSED -> ending.closedSent();
            case CLOSE -> end(true);
            case CLOSE_LINGERING -> state = state.after(StreamState.Event.LINGERS);
            default -> ending.finSent();
        }
    }

    /** The peer is gone: the channel learns of it when it has read what has come, or writes and does not read. */
    void lost(IOException cause) {
        if (state.isEnded()) {
            return;
        }
        if (isPeerDone()) {
            leaveLink();
            output.clear();
        } else {
            lossAfterReads = cause;
            if (link == null || link.isEnded()) {
                input.dropOffers();
            }
            if (input.isFetching()) {
                deadlines.startEnding(() -> {
                    input.giveUpFetches();
                    context.rounds().ready(turn);
                });
            }
        }
        if (state.isClosing()) {
            end(false);
        } else {
            context.rounds().ready(turn);
        }
    }

    private void leaveLink() {
        StreamLink over = link;
        if (over != null) {
            link = null;
            over.remove(id, turn);
        }
    }

    /** Ends the stream and tells the channel. */
    public void fail(IOException cause) {
        if (!state.isEnded()) {
            context.counters().count(LoopCount.BROKEN);
            StreamListener last = listener;
            end(false);
            last.broken(cause);
        }
    }

    /** Ends the stream because of what its own side has thrown. */
    void failed(Throwable thrown) {
        fail(new IOException("the channel has failed: " + thrown, thrown));
    }

    /** Ends the stream because the peer has broken the protocol. */
    void violation() {
        context.counters().count(LoopCount.VIOLATIONS);
        reset();
        fail(new IOException("the peer has sent what it may not: its channel was reset"));
    }

    /**
     * The channel has closed. What it has written still goes, unless it gives up the connection or has not read all
     * that has come.
     */
    public void close(boolean abortive) {
        if (!state.isClosed()) {
            close(abortive, 0);
        }
    }

    /**
     * The channel has closed and lingers: an action runs when the peer has all that was written, when the stream ends,
     * or when the time is over, whichever comes first. Bytes have the time of closes, or this one if it is longer.
     */
    public void closeLingering(long nanos, Runnable whenOver) {
        ending.linger(whenOver);
        if (state.isClosed()) {
            ending.lingerOver();
            return;
        }
        deadlines.startLingering(nanos, () -> {
            lingerOver();
            ending.lingerOver();
        });
        close(false, nanos);
    }

    private void close(boolean abortive, long minNanos) {
        boolean unread = input.isUnread();
        listener = NOBODY;
        input.shut();
        input.skip();
        if (abortive || unread || lossAfterReads != null) {
            abort();
        } else if (state.isOpen() ? link != null : !output.isEmpty()) {
            state = state.after(StreamState.Event.CLOSED);
            deadlines.startEnding(minNanos, () -> {
                if (!lingerOver()) {
                    abort();
                }
            });
            flush.run();
        } else {
            end(true);
        }
    }

    /** Ends a stream that lingers, and returns whether it did. The peer has all, or has had its time. */
    boolean lingerOver() {
        if (state != StreamState.LINGERING) {
            return false;
        }
        end(true);
        return true;
    }

    private void reset() {
        StreamLink over = link;
        if (over != null && state.isOpen()) {
            over.messages().reset(peer(), output.sent(), id);
        }
    }

    private void abort() {
        reset();
        end(false);
    }

    private void end(boolean inOrder) {
        state = state.after(StreamState.Event.ENDED);
        leaveLink();
        output.clear();
        input.clear();
        deadlines.cancel();
        listener = NOBODY;
        context.rounds().forget(turn);
        all.ended(id, inOrder);
        socket.close(inOrder);
        ending.lingerOver();
    }

    @Override
    public String toString() {
        return id + ", " + state + ", peer " + peerState;
    }
}
