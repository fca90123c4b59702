package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
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
    private StreamListener listener;
    private @Nullable StreamLink link;
    private StreamState state = StreamState.OPENING;
    /** Whether this side has asked the peer to open the stream, and knows its token. */
    private boolean asked;
    private boolean openOwed;
    private boolean isPeerKnown;
    private boolean refused;
    private boolean socketClosed;
    private int peer;
    private long peerToken;
    private boolean finWanted;
    private boolean finSent;
    private boolean peerClosed;
    private boolean creditOwed;
    private @Nullable IOException lossAfterReads;
    /** Whether what is being fetched is not waited for any more. */
    private boolean isReady;

    ChannelStream(LoopEngine loop, int id, long token, int window, StreamListener listener, StreamSocket socket) {
        this.loop = loop;
        this.id = id;
        this.token = token;
        this.output = new StreamOutput(loop, id);
        this.input = new StreamInput(this, loop, window);
        this.deadlines = new StreamDeadlines(loop);
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
        isPeerKnown = true;
        peer = channel;
        peerToken = itsToken;
    }

    /** Opens the stream over a link. */
    void openOver(StreamLink over) {
        if (state.isEnded()) {
            return;
        }
        if (over.isEnded()) {
            fail(new IOException("Connection reset by peer: the link of the two loops has ended"));
            return;
        }
        asked = true;
        join(over);
    }

    private void join(StreamLink over) {
        link = over;
        over.add(this);
        input.fetchOver(over);
        openOwed = true;
        sendOpen(over);
    }

    /** Sends OPEN, as soon as the link has room for it. */
    private void sendOpen(StreamLink over) {
        try {
            if (over.room().isFree()) {
                over.sendOpen(peer, peerToken, input.grant(), id);
                openOwed = false;
            } else {
                over.room().await(this);
            }
        } catch (UcxException e) {
            if (e.isRetryable() && !over.isEnded()) {
                over.room().await(this);
            } else {
                loop.later(() -> fail(new IOException("the channel could not be opened", e)));
            }
        }
        if (!openOwed && !asked) {
            open();
        }
    }

    /** The peer opens the stream, or has opened it as it was asked to. Returns false if it may not. */
    boolean opened(StreamLink over, int from, long given, int theirCredit) {
        boolean isOurs = asked ? link == over : link == null;
        if (state.isOpen() || state.isEnded() || !isPeerKnown || !isOurs || given != token || from != peer) {
            return false;
        }
        output.credit(theirCredit);
        if (asked) {
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
        return isPeerKnown && peer == channel;
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
        output.addCopy(data, length, listener.allocator());
    }

    /** Returns why nothing can be sent any more, or null. */
    public @Nullable IOException writeError() {
        return peerClosed || state.isEnded() ? new IOException("Broken pipe") : null;
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
                output.send(over, peer, granted());
            }
            output.countWait();
            if (!over.room().isFree()) {
                over.room().await(this);
                return;
            }
            if (creditOwed) {
                over.send(peer, StreamFrame.Type.CREDIT, output.sent(), granted(), id);
            }
            if (output.isEmpty() || peerClosed) {
                sendEnd(over);
            }
        } catch (UcxException e) {
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
        if (over != null && openOwed) {
            sendOpen(over);
        }
        input.fetchWaiting(listener.allocator());
        flush();
        loop.ready(this);
    }

    /** The credit that goes with the next frame. */
    private int granted() {
        creditOwed = false;
        return input.grant();
    }

    private void sendEnd(StreamLink over) {
        if (state == StreamState.CLOSING) {
            over.send(peer, StreamFrame.Type.CLOSE, output.sent(), granted(), id);
            end(true);
        } else if (finWanted && !finSent) {
            over.send(peer, StreamFrame.Type.FIN, output.sent(), granted(), id);
            finSent = true;
        }
    }

    /** Sends no more than what is queued. */
    public void shutdownOutput() {
        finWanted = true;
        flush();
    }

    // ---- receiving

    void received(StreamFrame.Type type, UcpActiveMessage message) {
        if (type == StreamFrame.Type.RESET && asked && !state.isOpen() && !state.isEnded()) {
            refused();
            return;
        }
        int offset = StreamFrame.offset(message);
        boolean valid = state.isOpen() && type == StreamFrame.Type.DATA == message.length() > 0;
        if (valid && type != StreamFrame.Type.RESET) {
            output.credit(StreamFrame.credit(message));
        }
        if (type == StreamFrame.Type.DATA && valid) {
            valid = input.data(message, offset, listener.allocator());
            loop.ready(this);
        }
        if (!valid) {
            loop.drop(message);
            violation();
            return;
        }
        switch (type) {
            case OPEN, DATA, CREDIT -> { }
            case FIN -> peerEnded(offset, false);
            case CLOSE -> peerEnded(offset, true);
            case RESET -> fail(new IOException("Connection reset by peer"));
        }
        if (!state.isEnded() && (type == StreamFrame.Type.CREDIT || !output.isEmpty() || peerClosed)) {
            flush();
            loop.ready(this);
        }
    }

    private void violation() {
        loop.counters().violated();
        reset();
        fail(new IOException("the peer has sent what it may not: its channel was reset"));
    }

    private void peerEnded(int offset, boolean closed) {
        if (!input.finish(offset)) {
            violation();
            return;
        }
        peerClosed |= closed;
        loop.ready(this);
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
            creditOwed = true;
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
        socketClosed = true;
        if (!state.isOpen()) {
            if (!inOrder || state == StreamState.CLOSING_UNOPENED) {
                fail(new IOException("Connection reset by peer: the socket has ended before the channel was open"));
            } else if (!asked || refused) {
                endUnopened();
            } else {
                deadlines.startEnding(this::notOpened);
            }
        } else if (!inOrder) {
            lost(new IOException("Connection reset by peer: its socket has ended"));
        } else if (!hasPeerClosed()) {
            deadlines.startEnding(() -> lost(new IOException(
                    "Connection reset by peer: its channel has ended without CLOSE, or without its data")));
        }
    }

    /** The peer has closed its channel in order, before it was open. */
    private void endUnopened() {
        input.finishUnopened();
        peerClosed = true;
        loop.ready(this);
    }

    /** The peer has no channel any more: the socket tells whether it has closed it in order. */
    private void refused() {
        refused = true;
        if (socketClosed) {
            endUnopened();
        } else {
            deadlines.startEnding(this::notOpened);
        }
    }

    private void notOpened() {
        fail(new IOException("Connection reset by peer: the channel was not opened"));
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
            // It had said so before.
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
        if (state == StreamState.CLOSING) {
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
        if (state.isEnded() || state == StreamState.CLOSING) {
            return;
        }
        boolean unread = input.isUnread();
        listener = NOBODY;
        input.shut();
        input.skip();
        if (abortive || unread || lossAfterReads != null) {
            abort();
        } else if (state.isOpen() ? link != null : !output.isEmpty()) {
            state = state.isOpen() ? StreamState.CLOSING : StreamState.CLOSING_UNOPENED;
            deadlines.startEnding(this::abort);
            flush();
        } else {
            end(true);
        }
    }

    private void reset() {
        StreamLink over = link;
        if (over != null && state.isOpen()) {
            over.reset(peer, output.sent(), id);
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
    }

    @Override
    public String toString() {
        return "ChannelStream[" + id + ", " + state + ", " + output + ", " + input
                + (peerClosed ? ", peer closed]" : "]");
    }
}
