package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.transport.buffer.LeaseOrigin;
import io.reactorucx.transport.command.LimitedLog;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.OperationVisitor;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.connection.SharedMemoryTransport;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.handshake.PeerInfo;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flow-controlled messages of one connection: streams that share it, each with its own credit.
 *
 * <p>Thread: engine, {@link #execute} aside. Everything here runs within a {@link #flushScope}; when the outermost one
 * closes, what was written meanwhile is sent.
 */
public final class MessageMultiplexer implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MessageMultiplexer.class);
    private static final LimitedLog VIOLATIONS = new LimitedLog(LOG);

    private final ConnectionCore connection;
    private final MessageProtocolFactory shared;
    private final FlowControlConfig limits;
    private final SendScheduler scheduler;
    private final FlushScope flushScope;
    private final MessageStreams streams;
    private final InboundDispatcher inbound;
    private final SequenceWindow sequence;
    private @Nullable PeerInfo windowPeer;
    private volatile long peerMaxMessageBytes = FlowControlConfig.DEFAULT.maxMessageBytes();
    private volatile boolean peerClosing;
    private volatile boolean peerTakesTraces;
    private volatile Consumer<? super Throwable> handlerErrors = error -> { };
    private boolean closing;
    private boolean peerFinished;
    private boolean ended;

    MessageMultiplexer(ConnectionCore connection, MessageProtocolFactory shared) {
        this.connection = connection;
        this.shared = shared;
        this.limits = connection.config().messages();
        this.sequence = new SequenceWindow(limits.windowBytes());
        this.scheduler = new SendScheduler(this, connection, shared, sequence);
        this.flushScope = new FlushScope(scheduler, this);
        this.streams = new MessageStreams(this);
        this.inbound = new InboundDispatcher(this, sequence);
    }

    /** Watches the sends, and joins the window of the peer's worker if all connections to it share a queue of UCX. */
    @Override
    public void connected(PeerInfo peer) {
        sequence.peerWindow(peer.limits().windowBytes());
        peerMaxMessageBytes = peer.limits().maxMessageBytes();
        peerTakesTraces = peer.takesTraces();
        shared.demandWatch().add(this);
        if (SharedMemoryTransport.carries(connection.endpoint())) {
            windowPeer = peer;
            scheduler.shareWindow(shared.windows().join(peer.workerId()));
        }
    }

    /** Opens a scope, at whose end what was written within is sent: {@code try (var _ = mux.flushScope())}. */
    FlushScope flushScope() {
        return flushScope.open();
    }

    /** The outermost scope has closed. */
    void flushed() {
        completeIfDelivered();
        if (ended || isClosing() && isQuiet()) {
            connection.operationEnded();
        }
    }

    /** Completes the default stream once the peer has seen that this side closes, and has not said more about it. */
    private void completeIfDelivered() {
        if (!ended && isCloseDelivered()) {
            streams.defaultStream().input().end(null);
        }
    }

    private boolean isCloseDelivered() {
        return closing && (peerFinished || scheduler.isDelivered());
    }

    boolean isEngineThread() {
        return connection.engine().isEngineThread();
    }

    /**
     * Runs an action in a flush scope on the engine's thread. Nothing happens once the engine is closed. Thread: any.
     */
    public void execute(Runnable action) {
        connection.execute(worker -> within(action));
    }

    /** Runs an action that ends something, which may overtake what was submitted before. Thread: any. */
    public void executeUrgent(Runnable action) {
        connection.executeUrgent(worker -> within(action));
    }

    /** Runs an action as {@link #execute(Runnable)} does, or calls back once the engine is closed. Thread: any. */
    public void execute(Runnable action, Consumer<RuntimeException> whenEngineClosed) {
        connection.execute(worker -> within(action), whenEngineClosed);
    }

    /** Runs an action in a flush scope. */
    public void within(Runnable action) {
        try (var _ = flushScope()) {
            action.run();
        }
    }

    @Override
    public void received(UcpActiveMessage message) {
        try (var _ = flushScope()) {
            receive(message);
        }
    }

    private void receive(UcpActiveMessage message) {
        if (ended) {
            inbound.release(message);
            return;
        }
        try {
            inbound.received(message);
        } catch (ProtocolViolationException e) {
            violated(e);
            inbound.release(message);
        } catch (Throwable t) {
            failed(t);
            inbound.release(message);
            ApplicationErrors.rethrowIfOutOfMemory(t);
        }
    }

    /** The peer has violated the protocol, which ends this connection and no other. */
    private void violated(ProtocolViolationException violation) {
        shared.counters().violation();
        VIOLATIONS.warn("[" + connection.name() + "] violates the protocol, and its connection is closed: "
                + violation.getMessage(), null);
        abort("the peer does not keep to the protocol: " + violation.getMessage(), null);
    }

    /** This side, or the application that it calls, has failed: the messages behind this one cannot be delivered. */
    private void failed(Throwable fault) {
        LOG.error("[{}] a message could not be taken, which ends the connection", connection.name(), fault);
        abort("a message could not be taken: " + fault, fault);
    }

    private void abort(String why, @Nullable Throwable cause) {
        try {
            end(new UcxException(UcxStatus.IO_ERROR, "receive", connection.peer(), why, cause));
        } finally {
            connection.beginClose(CloseMode.FORCE);
        }
    }

    private void end(@Nullable UcxException loss) {
        boolean delivered = isCloseDelivered();
        ended = true;
        shared.demandWatch().remove(this);
        scheduler.stop();
        if (windowPeer != null) {
            shared.windows().leave(windowPeer.workerId());
            windowPeer = null;
        }
        UcxClosedException closed = closed("send", "the connection is closed");
        inbound.releaseEarly();
        streams.forEach(stream -> stream.connectionEnded(loss, closed, delivered));
        streams.refuseWaiting(loss == null ? closed : loss);
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        if (!ended) {
            flushScope.duringShutdown(() -> end(loss));
        }
        scheduler.leaveWindow();
    }

    @Override
    public void closing() {
        if (closing || ended) {
            return;
        }
        closing = true;
        UcxClosedException closed = closed("operation", "the connection is closed");
        flushScope.duringShutdown(() -> streams.forEach(stream -> stream.closing(closed)));
        flushScope.duringShutdown(() -> streams.refuseWaiting(closed));
        flushScope.duringShutdown(this::completeIfDelivered);
    }

    @Override
    public void peerFinished() {
        if (peerFinished || ended) {
            return;
        }
        peerFinished = true;
        UcxException unsent = closedByPeer("send");
        UcxException unfinished = closedByPeer("receive");
        flushScope.duringShutdown(() -> streams.forEach(stream -> stream.peerFinished(unfinished, unsent)));
        flushScope.duringShutdown(() -> streams.refuseWaiting(closedByPeer("open")));
    }

    @Override
    public void accepted() {
        streams.refuseWith("this server answers no requests: UcxServer.respond(..)");
    }

    /** The peer gets an error in place of the default stream's completion, unless the handler has completed in time. */
    @Override
    public void handlerEnded(boolean failed) {
        if (failed || !closing) {
            streams.defaultStream().output().interrupted(failed);
        }
    }

    @Override
    public void handlerInterrupted() {
        OutboundStream output = streams.defaultStream().output();
        if (!closing && output.isUsed()) {
            output.interrupted(true);
        }
    }

    /** The peer has interrupted a stream, because it closes the connection: it takes no new streams. */
    void peerCloses() {
        peerClosing = true;
        streams.refuseWaiting(closedByPeer("open"));
    }

    /** Returns whether the peer has begun to close the connection, although it may still send. Thread: any. */
    public boolean isPeerClosing() {
        return peerClosing;
    }

    boolean isInterrupted() {
        return streams.defaultStream().output().isInterrupted();
    }

    /** Returns the error of a stream that the peer says is incomplete, because a side closes the connection. */
    UcxException interruptedByPeer() {
        return closing ? closedHere() : closedByPeer("receive");
    }

    /** Returns the error of a stream that was not complete when this side closed the connection. */
    UcxClosedException closedHere() {
        return closed("receive", "this side has closed the connection before the stream was complete");
    }

    /** Returns the error of a stream that was not complete when the peer closed the connection. */
    UcxException closedByPeer(String operation) {
        return new UcxException(UcxStatus.CONNECTION_RESET, operation, connection.peer(),
                "the peer has closed the connection before this stream was complete");
    }

    /** The peer has sent LAST, and waits for the acknowledgement of everything before. */
    void last() {
        peerClosing = true;
        sequence.acknowledgeAtOnce();
        peerFinished();
    }

    @Override
    public boolean isQuiet() {
        // A FIN must not overtake the frame that says what the peer's close has interrupted here.
        boolean told = scheduler.isStopped() || !streams.defaultStream().output().isInterruptionDue();
        return ended || told && streams.areInputsDrained() && (peerFinished || scheduler.isDelivered());
    }

    @Override
    public void underWay(OperationVisitor visitor) {
        streams.forEachOpen(stream -> visitor.visit(stream, stream.isOpenedHere() ? "request" : "response"));
    }

    /** Returns whether LAST is due: this side closes, and all queued messages have been sent. */
    boolean isLastDue() {
        return closing && !peerFinished && streams.areOutputsDrained();
    }

    /** Sets the peer's limits. */
    void settings(long maxMessageBytes, int maxStreams) {
        peerMaxMessageBytes = maxMessageBytes;
        streams.limit(maxStreams);
    }

    /** Returns whether the peer reads a trace context in the head of a request. Thread: any. */
    public boolean peerTakesTraces() {
        return peerTakesTraces;
    }

    /** Sets what gets the errors of the responder. Thread: any. */
    public void onHandlerError(Consumer<? super Throwable> action) {
        handlerErrors = action;
    }

    /** A responder has failed. Thread: any. */
    public void handlerFailed(Throwable error) {
        handlerErrors.accept(error);
    }

    /** Returns the largest message that the peer takes. Thread: any. */
    public long peerMaxMessageBytes() {
        return peerMaxMessageBytes;
    }

    /** Refuses a message that is larger than the peer takes. Thread: any. */
    public void checkLength(long length) {
        long max = peerMaxMessageBytes;
        if (length > max) {
            throw new IllegalArgumentException("message of " + length + " bytes: the peer takes at most " + max);
        }
    }

    /** Returns the largest message that this side takes, for which the pool has to have room. */
    long maxMessageBytes() {
        return Math.min(limits.maxMessageBytes(), Long.highestOneBit(shared.pool().maxBytes()));
    }

    /** Refuses a message of the peer that is larger than what this side has said that it takes. */
    public void requireTaken(long length) {
        if (length > maxMessageBytes()) {
            throw new ProtocolViolationException("a message of " + length + " bytes, at most " + maxMessageBytes()
                    + " are taken");
        }
    }

    /** Checks a stream's credit after the batch that is being applied. */
    void creditMayBeDue(MessageStream stream) {
        inbound.creditMayBeDue(stream);
    }

    /** Retries a stream that has failed for want of memory or of a slot of the engine. */
    void retryLater(MessageStream stream) {
        scheduler.retryLater(stream);
    }

    /** Releases data that the peer offers. */
    void release(UcpActiveMessage message) {
        inbound.release(message);
    }

    UcxClosedException closed(String operation, String why) {
        return new UcxClosedException(operation, connection.peer(), why);
    }

    /** Returns whether the connection has ended, so that no frame is sent or applied any more. */
    boolean isEnded() {
        return ended;
    }

    boolean isClosing() {
        return closing || peerFinished || ended;
    }

    public MessageStreams streams() {
        return streams;
    }

    SendScheduler scheduler() {
        return scheduler;
    }

    public FlowControlConfig limits() {
        return limits;
    }

    ProtocolCounters protocolCounters() {
        return shared.counts();
    }

    public MessageCounters counters() {
        return shared.counters();
    }

    /** Returns a lease with a copy of a request for the responder. Throws when the pool has no memory. */
    public UcxBuffer copyOfRequest(byte[] from, int offset, int length, Object responder) {
        try {
            UcxBuffer copy = shared.pool().acquire(length, null);
            LeaseOrigin.add(copy, "a request from", connection.peer(), responder, ReceiverName::of, null);
            MemorySegment.copy(from, offset, copy.segment(), ValueLayout.JAVA_BYTE, 0, length);
            return copy;
        } catch (UcxException e) {
            if (e.status() == UcxStatus.EXCEEDS_LIMIT) {
                shared.pool().buffers().watch().refused("[" + connection.peer() + "] a request of "
                        + length + " bytes");
            }
            throw e;
        }
    }

    public LeasePool pool() {
        return shared.pool();
    }

    /** Returns what warns of sends that wait for demand, on all connections of the engine. */
    public DemandWatch demandWatch() {
        return shared.demandWatch();
    }

    UcpWorker worker() {
        return connection.registry().worker();
    }

    public ConnectionCore connection() {
        return connection;
    }
}
