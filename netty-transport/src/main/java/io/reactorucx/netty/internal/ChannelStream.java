package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The byte stream of one channel: sends and receives while its {@link StreamLifecycle} says that it may.
 *
 * <p>Thread: loop.
 */
public final class ChannelStream {

    private final LoopRounds rounds;
    private final LoopRounds.Turn turn;
    private final StreamOutput output;
    private final StreamInput input;
    private final StreamLifecycle lifecycle;

    ChannelStream(StreamContext context, ChannelStreams all, int id, long token, int window, StreamListener listener,
            StreamSocket socket) {
        this.rounds = context.rounds();
        this.turn = new LoopRounds.Turn(this::deliver, this::resume, this::failed);
        this.output = new StreamOutput(context, id);
        this.input = new StreamInput(context, window, turn, this::broken);
        this.lifecycle = new StreamLifecycle(context, all, id, token, listener, socket, input, output, turn,
                this::flush);
    }

    /** Returns how the stream opens and ends. */
    public StreamLifecycle lifecycle() {
        return lifecycle;
    }

    int id() {
        return lifecycle.id();
    }

    private void failed(Throwable thrown) {
        lifecycle.failed(thrown);
    }

    private void broken(IOException cause) {
        lifecycle.fail(cause);
    }

    /** Opens the stream over a link. */
    void openOver(StreamLink link) {
        if (lifecycle.asksOver(link)) {
            link.add(this);
            lifecycle.join(link);
        }
    }

    /** The peer opens the stream, or has opened it as it was asked to. Returns false if it may not. */
    boolean opened(StreamLink link, int from, long given, int credit) {
        if (!lifecycle.acceptsOpen(link, from, given)) {
            return false;
        }
        output.credit(credit);
        if (lifecycle.isAsked()) {
            lifecycle.open();
        } else {
            link.add(this);
            lifecycle.join(link);
        }
        return true;
    }

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
        output.addCopy(data, length, lifecycle.listener().allocator());
    }

    /** Returns why nothing can be sent any more, or null. */
    public @Nullable IOException writeError() {
        return lifecycle.hasPeerClosed() || lifecycle.state().isClosed() ? new IOException("Broken pipe") : null;
    }

    /** Sends no more than what is queued. */
    public void shutdownOutput() {
        lifecycle.wantFin();
        flush();
    }

    /** Sends as many of the queued bytes as the peer takes, and what else it is to be told. */
    public void flush() {
        if (lifecycle.lossAfterReads() != null && !output.isEmpty()) {
            rounds.ready(turn);
        }
        LinkMessages over = lifecycle.sendsOver();
        if (over == null) {
            return;
        }
        try {
            while (!lifecycle.hasPeerClosed() && output.canSend() && over.room().isFree()) {
                output.send(over, lifecycle.peer(), input.grant());
            }
            output.countWait();
            if (!over.room().isFree()) {
                over.room().await(turn);
                return;
            }
            if (input.owesCredit()) {
                send(over, StreamFrame.Type.CREDIT);
            }
            for (StreamFrame.Type next = lifecycle.owedFrame(); next != null; next = lifecycle.owedFrame()) {
                send(over, next);
                lifecycle.sent(next);
            }
        } catch (UcxException e) {
            input.notTold();
            if (e.isRetryable()) {
                over.room().await(turn);
            } else {
                rounds.later(() -> broken(new IOException("Connection reset by peer", e)));
            }
        }
    }

    private void send(LinkMessages over, StreamFrame.Type type) {
        over.send(lifecycle.peer(), type, output.sent(), input.grant(), id());
    }

    /** There may be room for what had to wait. */
    private void resume() {
        lifecycle.resume();
        input.fetchWaiting(lifecycle.listener().allocator());
        flush();
        rounds.ready(turn);
    }

    /** A frame of the peer has come over the link. */
    void received(StreamFrame.Type type, UcpActiveMessage message) {
        if (type == StreamFrame.Type.DATA) {
            receivedData(message);
            return;
        }
        boolean valid = StreamFrame.isWithoutData(message);
        if (valid && lifecycle.isRefusal(type)) {
            lifecycle.refused();
            return;
        }
        StreamState state = lifecycle.state();
        if (!valid || !state.isOpen() || type == StreamFrame.Type.CLOSED && state != StreamState.LINGERING) {
            refuse(message);
            return;
        }
        if (type != StreamFrame.Type.RESET) {
            output.credit(StreamFrame.credit(message));
        }
        switch (type) {
            case OPEN, DATA, CREDIT -> { }
            case FIN, CLOSE, CLOSE_LINGERING -> {
                if (!lifecycle.peerEnds(type, StreamFrame.offset(message))) {
                    lifecycle.violation();
                }
            }
            case CLOSED -> lifecycle.lingerOver();
            case RESET -> broken(new IOException("Connection reset by peer"));
        }
        if (type == StreamFrame.Type.CREDIT || !output.isEmpty() || lifecycle.hasPeerClosed()) {
            flushAfterFrame();
        }
    }

    private void receivedData(UcpActiveMessage message) {
        boolean valid = message.length() > 0 && lifecycle.state().isOpen();
        if (valid) {
            output.credit(StreamFrame.credit(message));
            valid = input.data(message, StreamFrame.offset(message), lifecycle.listener().allocator());
            rounds.ready(turn);
        }
        if (!valid) {
            refuse(message);
        } else if (!output.isEmpty() || lifecycle.hasPeerClosed()) {
            flushAfterFrame();
        }
    }

    private void flushAfterFrame() {
        if (!lifecycle.isEnded()) {
            flush();
            rounds.ready(turn);
        }
    }

    private void refuse(UcpActiveMessage message) {
        input.drop(message);
        lifecycle.violation();
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
        if (input.owesCredit() && lifecycle.isOpenOverLink()) {
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
        if (input.hasBytes() || isAtEnd() || lifecycle.lossAfterReads() != null) {
            rounds.ready(turn);
        }
    }

    /** The loop's round has come to this stream. */
    private void deliver() {
        if (lifecycle.state() == StreamState.ENDED) {
            return;
        }
        if (lifecycle.owesClosed()) {
            flush();
        }
        lifecycle.listener().writable();
        if (input.isShut()) {
            dropInput();
        }
        int read = input.position();
        if (lifecycle.state() != StreamState.ENDED && (input.hasBytes() || isAtEnd())) {
            lifecycle.listener().readable();
        }
        IOException loss = lifecycle.lossAfterReads();
        if (loss != null && (!input.isUnread() || !output.isEmpty() && input.position() == read)) {
            broken(loss);
        }
    }

    @Override
    public String toString() {
        return "ChannelStream[" + lifecycle + ", " + output + ", " + input + "]";
    }
}
