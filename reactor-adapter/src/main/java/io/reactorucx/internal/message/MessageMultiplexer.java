package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.config.FlowControlConfig;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ProtocolHandler;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.handshake.PeerInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flow-controlled messages of one connection: streams that share it, each with its own credit.
 *
 * <p>All on the engine's thread, {@link #execute} aside. Whatever happens here happens between {@link #enter} and
 * {@link #leave}; when the outermost of these ends, what has come up to be sent goes, together where it fits.
 */
public final class MessageMultiplexer implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MessageMultiplexer.class);

    private final ConnectionCore connection;
    private final FlowControlConfig limits;
    private final UcxBufferPool pool;
    private final MessageCounters counters;
    private final SharedSendWindows windows;
    private final SequenceWindow sequence = new SequenceWindow();
    private final SendScheduler outbox;
    private final InboundFrames streams;
    private final InboundBatch batch;
    private final List<MessageStream> touched = new ArrayList<>();
    private @Nullable MessageStream lastTouched;
    private @Nullable PeerInfo peer;
    private volatile long peerMaxMessageBytes = FlowControlConfig.DEFAULT.maxMessageBytes();
    private int depth;
    private boolean flushing;
    private boolean closing;
    private boolean peerFinished;
    private boolean ended;

    MessageMultiplexer(ConnectionCore connection, MessageProtocolFactory shared) {
        this.connection = connection;
        this.limits = connection.config().messages();
        this.pool = shared.pool();
        this.counters = shared.counters();
        this.windows = shared.windows();
        this.outbox = new SendScheduler(this, connection, sequence, shared.batches());
        this.batch = new InboundBatch(pool);
        this.streams = new InboundFrames(this, batch);
    }

    /**
     * The handshake is done: where the way to the peer's worker is also that of its other connections, room there is
     * shared with them.
     */
    public void connected(PeerInfo facts) {
        if (SharedSendWindows.isShared(connection.endpoint())) {
            peer = facts;
            outbox.shares(windows.join(facts.workerId()));
        }
    }

    public void enter() {
        depth++;
    }

    public void leave() {
        flushAndLeave();
        if (depth == 0 && (ended || isClosing() && isQuiet())) {
            connection.operationEnded();
        }
    }

    /** As {@link #within}, in a step of the connection's end, which looks by itself whether it can go on. */
    private void withinAnEnd(Runnable step) {
        enter();
        try {
            step.run();
        } finally {
            flushAndLeave();
        }
    }

    private void flushAndLeave() {
        if (depth == 1 && !flushing) {
            flushing = true;
            try {
                outbox.flush();
            } finally {
                flushing = false;
                depth--;
            }
        } else {
            depth--;
        }
    }

    /** Whether this is the engine's thread. */
    boolean isHere() {
        return connection.engine().isEngineThread();
    }

    /**
     * Runs something on the engine's thread, and then sends what came of it; nothing happens once the engine is closed.
     * Any thread.
     */
    public void execute(Runnable action) {
        connection.execute(worker -> within(action));
    }

    /** As above, and tells when the engine is closed. */
    public void execute(Runnable action, Consumer<RuntimeException> whenEngineClosed) {
        connection.execute(worker -> within(action), whenEngineClosed);
    }

    /** Sends what comes of an action when it, and whatever it is part of, has ended. */
    void within(Runnable action) {
        enter();
        try {
            action.run();
        } finally {
            leave();
        }
    }

    @Override
    public void received(UcpActiveMessage message) {
        enter();
        try {
            take(message);
        } catch (ProtocolViolationException e) {
            violated(e);
            release(message);
        } catch (RuntimeException | Error e) {
            failed(e);
            release(message);
        } finally {
            leave();
        }
    }

    private void take(UcpActiveMessage message) {
        if (ended) {
            release(message);
            return;
        }
        Object arrived = message.isRendezvous() ? message : contents(message);
        if (!sequence.arrived(arrived, number(arrived))) {
            return;
        }
        for (Object next = arrived; next != null; next = sequence.advance()) {
            if (next instanceof UcpActiveMessage large) {
                large(large);
            } else {
                batch((byte[]) next);
            }
        }
    }

    private int number(Object arrived) {
        if (arrived instanceof UcpActiveMessage large && large.length() > maxMessageBytes()) {
            throw new ProtocolViolationException("a message of " + large.length() + " bytes, at most "
                    + maxMessageBytes() + " are taken");
        }
        return MessageFrameCodec.sequence(arrived instanceof UcpActiveMessage large ? header(large) : (byte[]) arrived);
    }

    /** The bytes of a batch, which UCX may hold when they are more than the worker copies by itself. */
    private byte[] contents(UcpActiveMessage message) {
        if (message.isInline()) {
            return message.takeBytes();
        }
        if (message.length() > MessageFrameCodec.MAX_BATCH_BYTES) {
            throw new ProtocolViolationException("a batch of " + message.length() + " bytes");
        }
        MemorySegment copy = Arena.ofAuto().allocate(message.length());
        worker().activeMessages().fetch(message, copy, null, (status, length, tag) -> { });
        return copy.toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] header(UcpActiveMessage large) {
        return large.header().toArray(ValueLayout.JAVA_BYTE);
    }

    private void large(UcpActiveMessage message) {
        MessageStream stream = null;
        try {
            if (!ended) {
                byte[] header = header(message);
                stream = streams.find(MessageFrameCodec.stream(header));
                sequence.acknowledged(MessageFrameCodec.acknowledged(header));
            }
            if (stream != null) {
                stream.input().arrived(message);
            }
        } catch (RuntimeException | Error e) {
            // It may be one that has waited for its turn, and is not known to who gets this.
            release(message);
            throw e;
        }
        if (stream == null) {
            release(message);
        } else {
            counters.received(1);
            stream.input().drain();
        }
    }

    private void batch(byte[] bytes) {
        if (ended) {
            return;
        }
        sequence.acknowledged(MessageFrameCodec.acknowledged(bytes));
        batch.begin(bytes);
        try {
            MessageFrameCodec.parse(bytes, streams);
        } finally {
            batch.end();
            streams.batchEnded();
            for (int i = 0; i < touched.size(); i++) {
                touched.get(i).input().creditChanged();
            }
            touched.clear();
            lastTouched = null;
        }
    }

    /** Credit of a stream may be due when the batch has been taken apart. */
    void touched(MessageStream stream) {
        if (stream != lastTouched) {
            lastTouched = stream;
            touched.add(stream);
        }
    }

    /** The peer does not keep to the protocol, which ends this connection and nothing else. */
    private void violated(ProtocolViolationException violation) {
        counters.violation();
        LOG.debug("[{}] does not keep to the protocol: {}", connection.peer(), violation.getMessage());
        giveUp("the peer does not keep to the protocol: " + violation.getMessage(), null);
    }

    /** A fault of this side, or of what it calls: those behind this message would wait for their turn forever. */
    private void failed(Throwable fault) {
        LOG.error("[{}] a message could not be taken, which ends the connection", connection.peer(), fault);
        giveUp("a message could not be taken: " + fault, fault);
    }

    private void giveUp(String why, @Nullable Throwable cause) {
        try {
            end(new UcxException(UcxStatus.IO_ERROR, "receive", connection.peer(), why, cause));
        } finally {
            connection.beginClose(CloseMode.FORCE);
        }
    }

    private void end(@Nullable UcxException loss) {
        ended = true;
        outbox.stop();
        if (peer != null) {
            windows.leave(peer.workerId());
            peer = null;
        }
        UcxClosedException closed = closed("send", "the connection is closed");
        for (Object early = sequence.pollAny(); early != null; early = sequence.pollAny()) {
            if (early instanceof UcpActiveMessage large) {
                release(large);
            }
        }
        streams.forEach(stream -> {
            stream.output().end(loss == null ? closed : loss);
            // The default stream is over with its connection, another only when its sender says so.
            UcxException unfinished = stream.isDefault() || loss != null ? loss : closed;
            stream.input().abandon(unfinished, closed("receive", "the connection is closed"));
        });
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        if (!ended) {
            withinAnEnd(() -> end(loss));
        }
        outbox.leaveRoom();
    }

    @Override
    public void closing() {
        if (closing || ended) {
            return;
        }
        closing = true;
        UcxClosedException closed = closed("operation", "the connection is closed");
        withinAnEnd(() -> streams.forEach(stream -> {
            stream.output().closing(closed);
            stream.input().end(stream.isDefault() ? null : closed);
        }));
    }

    @Override
    public void peerFinished() {
        if (peerFinished || ended) {
            return;
        }
        peerFinished = true;
        UcxClosedException closed = closed("operation", "the peer has closed the connection");
        withinAnEnd(() -> streams.forEach(stream -> {
            // First: what is sent may come from what is received, and is then complete as well.
            stream.input().end(stream.isDefault() ? null : closed);
            stream.output().end(closed);
        }));
    }

    /** The peer's last word on this id: it wants to know that all has arrived. */
    void last() {
        sequence.acknowledgeAtOnce();
        peerFinished();
    }

    @Override
    public boolean isQuiet() {
        return ended || streams.areInputsDrained() && (peerFinished || outbox.isDelivered());
    }

    /** Whether this side's last word is due: all that was taken has gone. */
    boolean isLastDue() {
        return closing && !peerFinished && streams.areOutputsDrained();
    }

    /** What the peer says that it takes. */
    void settings(long maxMessageBytes, int maxStreams) {
        peerMaxMessageBytes = maxMessageBytes;
        streams.limit(maxStreams);
    }

    /** Any thread. */
    long peerMaxMessageBytes() {
        return peerMaxMessageBytes;
    }

    /** The largest message that this side takes: the pool has to have room for it. */
    long maxMessageBytes() {
        return Math.min(limits.maxMessageBytes(), Long.highestOneBit(pool.maxBytes()));
    }

    /** Tries again in a moment, when there may be slots again. */
    void retryLater(MessageStream stream) {
        outbox.retryLater(stream);
    }

    /** Gives data up that the peer offers. */
    void release(UcpActiveMessage message) {
        if (!message.isInline() && !worker().isClosed() && worker().activeMessages().holds(message)) {
            worker().activeMessages().release(message);
        }
    }

    UcxClosedException closed(String operation, String why) {
        return new UcxClosedException(operation, connection.peer(), why);
    }

    /** Whether the connection has ended, so that frames say nothing any more. */
    boolean isEnded() {
        return ended;
    }

    boolean isClosing() {
        return closing || peerFinished || ended;
    }

    public InboundFrames streams() {
        return streams;
    }

    SendScheduler outbox() {
        return outbox;
    }

    public FlowControlConfig limits() {
        return limits;
    }

    public MessageCounters counters() {
        return counters;
    }

    public UcxBufferPool pool() {
        return pool;
    }

    UcpWorker worker() {
        return connection.registry().worker();
    }

    public ConnectionCore connection() {
        return connection;
    }
}
