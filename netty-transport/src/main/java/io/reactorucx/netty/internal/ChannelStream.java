package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The byte stream of one channel. It outlives the channel until what was written before the close has gone.
 *
 * <p>Thread: loop.
 */
public final class ChannelStream {

    private static final StreamListener NOBODY = new ClosedListener();

    private final LoopEngine loop;
    private final int id;
    private final long token;
    private final StreamSocket socket;
    private final StreamOutput output;
    private final StreamInput input;
    private final StreamDeadlines deadlines;
    private final StreamOpening opening;
    private final StreamEnding ending = new StreamEnding();
    private StreamListener listener;
    private @Nullable StreamLink link;
    private StreamState state = StreamState.OPENING;
    private boolean peerClosed;
    private @Nullable IOException lossAfterReads;
    private boolean isReady;

    ChannelStream(LoopEngine loop, int id, long token, int window, StreamListener listener, StreamSocket socket) {
        this.loop = loop;
        this.id = id;
        this.token = token;
        this.output = new StreamOutput(loop, id);
        this.input = new StreamInput(this, loop, window);
        this.deadlines = new StreamDeadlines(loop);
        this.opening = new StreamOpening(this, loop, deadlines);
        this.listener = listener;
        this.socket = socket;
    }

    /** Returns the number by which the peer names this stream. */
    public int id() {
        return id;
    }

    /** Returns the number by which the peer proves that it is the one at the other end of the socket. */
    public long token() {
        return token;
    }

    // ---- opening

    /** Limits the time until both sides have opened the stream. */
    public void startHandshakeTime() {
        deadlines.startOpening(socket, this::fail);
    }

    /** The socket has told which channel the peer has. Without a link the peer makes one, and opens the stream. */
    public void peerKnown(int channel, long itsToken) {
        opening.peerKnown(channel, itsToken);
    }

    /** Opens the stream over a link. */
    void openOver(StreamLink over) {
        if (over.isEnded()) {
            fail(new IOException("Connection reset by peer: the link of the two loops has ended"));
        } else if (!state.isEnded()) {
            opening.ask();
            join(over);
        }
    }

    private void join(StreamLink over) {
        link = over;
        over.add(this);
        input.fetchOver(over);
        sendOpen(over);
    }

    private void sendOpen(StreamLink over) {
        opening.send(over, input.grant());
        if (!opening.isOwed() && !opening.isAsked()) {
            open();
        }
    }

    /** The peer opens the stream, or has opened it as it was asked to. Returns false if it may not. */
    boolean opened(StreamLink over, int from, long given, int theirCredit) {
        if (state.isOpen() || state.isEnded() || !opening.accepts(over, link, from, given)) {
            return false;
        }
        output.credit(theirCredit);
        if (opening.isAsked()) {
            open();
        } else {
            join(over);
        }
        return true;
    }

    private void open() {
        loop.opened(this);
        deadlines.opened();
        state = state == StreamState.OPENING ? StreamState.OPEN : StreamState.CLOSING;
        flush();
        loop.ready(this);
    }

    boolean isEnded() {
        return state.isEnded();
    }

    boolean isPeer(int channel) {
        return opening.isPeer(channel);
    }

    // ---- sending

    /** Returns how many bytes wait for credit. */
    public int queuedBytes() {
        return output.queuedBytes();
    }

    /** Queues bytes, which the stream releases. */
    public void write(ByteBuf data) {
        output.add(data);
    }

    /** Queues a copy of the first bytes of a buffer, which it reads. */
    public void writeCopy(ByteBuf data, int length) {
        output.addCopy(data, length, allocator());
    }

    /** Returns why nothing can be sent any more, or null. */
    public @Nullable IOException writeError() {
        return peerClosed || state.isClosed() ? new IOException("Broken pipe") : null;
    }

    /** Sends as many of the queued bytes as the peer takes. */
    public void flush() {
        StreamLink over = link;
        if (lossAfterReads != null && !output.isEmpty()) {
            loop.ready(this);
        }
        if (!state.isOpen() || over == null || lossAfterReads != null) {
            return;
        }
        try {
            while (!peerClosed && output.canSend() && over.room().isFree()) {
                output.send(over, opening.peer(), input.grant());
            }
            output.countWait();
            if (!over.room().isFree()) {
                over.room().await(this);
                return;
            }
            if (input.owesCredit()) {
                send(over, StreamFrame.Type.CREDIT);
            }
            if (ending.owesClosed() && input.isComplete()) {
                send(over, StreamFrame.Type.CLOSED);
                ending.closedSent();
            }
            if (output.isEmpty() || peerClosed) {
                sendEnd(over);
            }
        } catch (UcxException e) {
            input.notTold();
            if (e.isRetryable()) {
                over.room().await(this);
            } else {
                loop.later(() -> fail(new IOException("Connection reset by peer", e)));
            }
        }
    }

    /** There may be room for what had to wait. */
    void resume() {
        StreamLink over = link;
        if (over != null && opening.isOwed()) {
            sendOpen(over);
        }
        input.fetchWaiting(allocator());
        flush();
        loop.ready(this);
    }

    private void send(StreamLink over, StreamFrame.Type type) {
        over.send(opening.peer(), type, output.sent(), input.grant(), id);
    }

    private void sendEnd(StreamLink over) {
        StreamFrame.Type frame = ending.next(state, peerClosed);
        if (frame == null) {
            return;
        }
        send(over, frame);
        switch (frame) {
            case CLOSE -> end(true);
            case CLOSE_LINGERING -> state = StreamState.LINGERING;
            default -> ending.finSent();
        }
    }

    /** Sends no more than what is queued. */
    public void shutdownOutput() {
        ending.wantFin();
        flush();
    }

    // ---- receiving

    void received(StreamFrame.Type type, UcpActiveMessage message) {
        boolean valid = StreamFrame.hasDataIfItMay(type, message);
        if (valid && type == StreamFrame.Type.RESET && opening.isAsked() && !state.isOpen() && !state.isEnded()) {
            opening.refused();
            return;
        }
        int offset = StreamFrame.offset(message);
        valid &= state.isOpen() && (type != StreamFrame.Type.CLOSED || state == StreamState.LINGERING);
        if (valid && type != StreamFrame.Type.RESET) {
            output.credit(StreamFrame.credit(message));
        }
        if (type == StreamFrame.Type.DATA && valid) {
            valid = input.data(message, offset, allocator());
            loop.ready(this);
        }
        if (!valid) {
            loop.drop(message);
            violation();
            return;
        }
        switch (type) {
            case OPEN, DATA, CREDIT -> { }
            case FIN, CLOSE, CLOSE_LINGERING -> peerEnded(type, offset);
            case CLOSED -> lingerOver();
            case RESET -> fail(new IOException("Connection reset by peer"));
        }
        if (!state.isEnded() && (type == StreamFrame.Type.CREDIT || !output.isEmpty() || peerClosed)) {
            flush();
            loop.ready(this);
        }
    }

    ByteBufAllocator allocator() {
        return listener.allocator();
    }

    private void violation() {
        loop.counters().violated();
        reset();
        fail(new IOException("the peer has sent what it may not: its channel was reset"));
    }

    private void peerEnded(StreamFrame.Type type, int offset) {
        if (!input.finish(offset)) {
            violation();
            return;
        }
        peerClosed |= type != StreamFrame.Type.FIN;
        ending.peerEnds(type);
        if (!peerClosed || !lingerOver()) {
            loop.ready(this);
        }
    }

    /** Returns the next bytes, at most a number of them, which the caller releases; null if there are none. */
    public @Nullable ByteBuf read(int most) {
        ByteBuf data = input.read(most);
        if (data != null) {
            creditRead();
        }
        return data;
    }

    private void creditRead() {
        if (input.owesCredit() && link != null && state.isOpen()) {
            flush();
        }
    }

    /** Returns whether all that the peer sends was read. */
    public boolean isAtEnd() {
        return input.isAtEnd();
    }

    /** Drops what comes from now on. */
    public void shutdownInput() {
        input.shut();
        dropInput();
    }

    private void dropInput() {
        if (input.skip()) {
            creditRead();
        }
    }

    /** Has the loop call the listener in its next round if there is something to read. */
    public void readLater() {
        if (input.hasBytes() || isAtEnd() || lossAfterReads != null) {
            loop.ready(this);
        }
    }

    boolean becomesReady() {
        boolean was = isReady;
        isReady = true;
        return !was;
    }

    /** The loop's round has come to this stream. */
    void deliver() {
        isReady = false;
        if (state.isEnded()) {
            return;
        }
        if (ending.owesClosed()) {
            flush();
        }
        listener.writable();
        if (input.isShut()) {
            dropInput();
        }
        int read = input.position();
        if (!state.isEnded() && (input.hasBytes() || isAtEnd())) {
            listener.readable();
        }
        IOException loss = lossAfterReads;
        if (loss != null && (!input.isUnread() || !output.isEmpty() && input.position() == read)) {
            fail(loss);
        }
    }

    /** The socket has ended. In order, the rest comes over the link; else the peer's process or channel has died. */
    public void socketEnded(boolean inOrder) {
        if (state.isEnded()) {
            return;
        }
        if (!state.isOpen()) {
            opening.socketEnded(inOrder, state == StreamState.CLOSING_UNOPENED);
        } else if (!inOrder) {
            lost(new IOException("Connection reset by peer: its socket has ended"));
        } else if (!hasPeerClosed()) {
            deadlines.startEnding(() -> lost(new IOException(
                    "Connection reset by peer: its channel has ended without CLOSE, or without its data")));
        }
    }

    /** The peer has closed its channel in order, before it was open. */
    void endUnopened() {
        input.finishUnopened();
        peerClosed = true;
        loop.ready(this);
    }

    /** Whether the peer has closed its channel, and all that it has sent before is here. */
    private boolean hasPeerClosed() {
        return peerClosed && input.isComplete();
    }

    /** The peer is gone: the channel learns of it when it has read what has come, or writes and does not read. */
    void lost(IOException cause) {
        if (state.isEnded()) {
            return;
        }
        if (hasPeerClosed()) {
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
                    loop.ready(this);
                });
            }
        }
        if (state.isClosing()) {
            end(false);
        } else {
            loop.ready(this);
        }
    }

    private void leaveLink() {
        StreamLink over = link;
        if (over != null) {
            link = null;
            over.remove(this);
        }
    }

    /** Ends the stream and tells the channel. */
    public void fail(IOException cause) {
        if (!state.isEnded()) {
            loop.counters().streamBroken();
            StreamListener last = listener;
            end(false);
            last.broken(cause);
        }
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

    /** Returns whether the stream was lingering. It has ended then: the peer has all, or has had its time. */
    private boolean lingerOver() {
        if (state != StreamState.LINGERING) {
            return false;
        }
        end(true);
        return true;
    }

    private void giveUp() {
        if (!lingerOver()) {
            abort();
        }
    }

    private void close(boolean abortive, long minNanos) {
        boolean unread = input.isUnread();
        listener = NOBODY;
        input.shut();
        input.skip();
        if (abortive || unread || lossAfterReads != null) {
            abort();
        } else if (state.isOpen() ? link != null : !output.isEmpty()) {
            state = state.isOpen() ? StreamState.CLOSING : StreamState.CLOSING_UNOPENED;
            deadlines.startEnding(minNanos, this::giveUp);
            flush();
        } else {
            end(true);
        }
    }

    private void reset() {
        StreamLink over = link;
        if (over != null && state.isOpen()) {
            over.reset(opening.peer(), output.sent(), id);
        }
    }

    private void abort() {
        reset();
        end(false);
    }

    private void end(boolean inOrder) {
        state = StreamState.ENDED;
        leaveLink();
        output.clear();
        input.clear();
        deadlines.cancel();
        listener = NOBODY;
        loop.ended(this, inOrder);
        socket.close(inOrder);
        ending.lingerOver();
    }

    @Override
    public String toString() {
        return "ChannelStream[" + id + ", " + state + ", " + output + ", " + input
                + (peerClosed ? ", peer closed]" : "]");
    }
}
