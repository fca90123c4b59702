package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.engine.Timeout;
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
    private StreamListener listener;
    private @Nullable StreamLink link;
    private StreamState state = StreamState.OPENING;
    /** Whether this side has asked the peer to open the stream, and knows its token. */
    private boolean asked;
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
    private @Nullable Timeout deadline;
    private @Nullable Timeout handshake;
    private boolean isReady;

    ChannelStream(LoopEngine loop, int id, long token, int window, StreamListener listener, StreamSocket socket) {
        this.loop = loop;
        this.id = id;
        this.token = token;
        this.output = new StreamOutput(loop, id);
        this.input = new StreamInput(this, loop, window);
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
        try {
            handshake = loop.afterHandshakeTimeout(() -> {
                if (!state.isEnded() && !state.isOpen()) {
                    loop.counters().handshakeFailed();
                    fail(new IOException("Connection timed out: the peer has not opened the channel in time"));
                }
            });
        } catch (UcxException e) {
            loop.later(() -> fail(new IOException("the loop has as many timeouts as it may", e)));
        }
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
        link = over;
        over.add(this);
        asked = true;
        sendOpen(over, () -> { });
    }

    /** Sends OPEN, as soon as the engine has a slot for it. */
    private void sendOpen(StreamLink over, Runnable whenSent) {
        if (state.isEnded()) {
            return;
        }
        try {
            over.sendOpen(peer, peerToken, input.grant(), id);
        } catch (UcxException e) {
            if (e.isRetryable() && !over.isEnded()) {
                loop.later(() -> sendOpen(over, whenSent));
            } else {
                loop.later(() -> fail(new IOException("the channel could not be opened", e)));
            }
            return;
        }
        whenSent.run();
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
            link = over;
            over.add(this);
            sendOpen(over, this::open);
        }
        return true;
    }

    private void open() {
        loop.opened(this);
        if (handshake != null) {
            handshake.cancel();
        }
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
        if (!state.isOpen() || over == null) {
            return;
        }
        try {
            while (!peerClosed && output.canSend()) {
                output.send(over, peer, granted());
            }
            output.countWait();
            if (creditOwed) {
                sendCredit(over);
            }
            if (output.isEmpty() || peerClosed) {
                sendEnd(over);
            }
        } catch (UcxException e) {
            if (e.isRetryable()) {
                loop.flushLater(this);
            } else {
                loop.later(() -> fail(new IOException("Connection reset by peer", e)));
            }
        }
    }

    /** The credit that goes with the next frame. */
    private int granted() {
        creditOwed = false;
        return input.grant();
    }

    private void sendCredit(StreamLink over) {
        over.send(peer, StreamFrame.Type.CREDIT, output.sent(), granted(), id);
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

    /** Does something for this stream. What that throws, the lack of memory for a buffer too, ends the stream. */
    void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(new IOException("the channel has failed: " + e, e));
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
        if (!state.isEnded() && (input.hasBytes() || isAtEnd())) {
            listener.readable();
        }
        IOException loss = lossAfterReads;
        if (loss != null && !input.isUnread()) {
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
                setDeadline(this::notOpened);
            }
        } else if (!inOrder) {
            lost(new IOException("Connection reset by peer: its socket has ended"));
        } else if (!peerClosed) {
            setDeadline(() -> lost(new IOException("Connection reset by peer: its channel has ended without CLOSE")));
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
            setDeadline(this::notOpened);
        }
    }

    private void notOpened() {
        fail(new IOException("Connection reset by peer: the channel was not opened"));
    }

    /** The peer is gone: the channel learns of it when it has read what has come. */
    void lost(IOException cause) {
        if (!state.isEnded()) {
            if (input.isFinished() && peerClosed) {
                // It had said so before.
                link = null;
                output.clear();
            } else {
                lossAfterReads = cause;
            }
            if (state == StreamState.CLOSING) {
                end(false);
            } else {
                loop.ready(this);
            }
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
        if (abortive || unread) {
            reset();
            end(false);
        } else if (state.isOpen() || !output.isEmpty()) {
            boolean open = state.isOpen();
            state = open ? StreamState.CLOSING : StreamState.CLOSING_UNOPENED;
            setDeadline(() -> {
                reset();
                end(false);
            });
            flush();
        } else {
            end(true);
        }
    }

    private void reset() {
        StreamLink over = link;
        if (over != null && state.isOpen()) {
            try {
                over.send(peer, StreamFrame.Type.RESET, output.sent(), 0, id);
            } catch (UcxException e) {
                // The socket tells it as well.
            }
        }
    }

    private void setDeadline(Runnable action) {
        Runnable due = () -> {
            if (!state.isEnded()) {
                action.run();
            }
        };
        if (deadline == null) {
            try {
                deadline = loop.afterCloseTimeout(due);
            } catch (UcxException e) {
                // The loop has as many timeouts as it may, or ends.
                loop.later(due);
            }
        }
    }

    private void end(boolean inOrder) {
        state = StreamState.ENDED;
        StreamLink over = link;
        if (over != null) {
            over.remove(this);
        }
        output.clear();
        input.clear();
        if (deadline != null) {
            deadline.cancel();
        }
        if (handshake != null) {
            handshake.cancel();
        }
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
