package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.internal.message.context.DelayedRetry;
import io.reactorucx.internal.message.context.FlushScope;
import io.reactorucx.internal.message.context.LargeOffer;
import io.reactorucx.internal.message.context.PeerLimits;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.internal.message.send.SendScheduler;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.command.LimitedLog;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.OperationVisitor;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.handshake.PeerInfo;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flow-controlled messages of one connection: its end on either side, and the errors that streams get then. The
 * streams share the connection, each with its own credit.
 *
 * <p>Thread: engine, where nothing else is said.
 */
public final class MessageProtocol implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MessageProtocol.class);
    private static final LimitedLog VIOLATIONS = new LimitedLog(LOG);

    private final ConnectionCore connection;
    private final EngineMessages shared;
    /** Makes what an active message is here whose data is not inline. */
    private final Function<UcpActiveMessage, UcpLargeOffer> offers;
    private final StreamContext context;
    private final SendScheduler scheduler;
    private final MessageStreams streams;
    private final InboundDispatcher inbound;
    private final SequenceWindow sequence;
    private @Nullable PeerInfo windowPeer;
    private volatile boolean peerClosing;
    private volatile Consumer<? super Throwable> handlerErrors = error -> { };
    private MessagePhase phase = MessagePhase.OPEN;

    MessageProtocol(ConnectionCore connection, FlowControlConfig limits, EngineMessages shared,
            Function<UcpActiveMessage, UcpLargeOffer> offers) {
        this.connection = connection;
        this.shared = shared;
        this.offers = offers;
        FlushScope scope = new FlushScope(this::flush, this::flushed);
        this.context = new StreamContext(connection, limits, shared.counters(),
                shared.offerCounters(), shared.pool(), new PeerLimits(), scope,
                new DelayedRetry(connection.engine(), scope));
        this.sequence = new SequenceWindow(context.limits().windowBytes());
        this.scheduler = new SendScheduler(context, sequence, shared.batches(), shared.offers(),
                this::areOutputsDrained);
        this.streams = new MessageStreams(context, scheduler);
        this.inbound = new InboundDispatcher(context, sequence, streams, this);
    }

    /** Watches the sends, and joins the window of the peer's worker if all connections to it share a queue of UCX. */
    @Override
    public void connected(PeerInfo peer) {
        scheduler.connected(connection.peerToken());
        sequence.peerWindow(peer.limits().windowBytes());
        context.peer().maxMessageBytes(peer.limits().maxMessageBytes());
        context.peer().takesTraces(peer.takesTraces());
        shared.demandWatch().add(streams);
        if (connection.carrier().sharesQueue()) {
            windowPeer = peer;
            scheduler.shareWindow(shared.windows().join(peer.workerId()));
        }
    }

    private void flush() {
        scheduler.flush();
    }

    private void flushed() {
        completeIfDelivered();
        if (phase != MessagePhase.OPEN && isQuiet()) {
            connection.operationEnded();
        }
    }

    /** Completes the default stream once the peer has seen that this side closes, and has not said more about it. */
    private void completeIfDelivered() {
        if (isCloseDelivered()) {
            streams.defaultStream().input().end(null);
        }
    }

    private boolean isCloseDelivered() {
        return phase == MessagePhase.CLOSING_PEER_FINISHED || phase == MessagePhase.CLOSING && scheduler.isDelivered();
    }

    @Override
    public void received(UcpActiveMessage message) {
        if (message.isInline()) {
            received(message.headerBytes() == 0 ? message.readInPlace() : message.toByteArray(),
                    (int) message.length());
            return;
        }
        UcpLargeOffer offer = offers.apply(message);
        if (message.isRendezvous()) {
            received(offer);
        } else {
            take(offer, () -> {
                byte[] batch = offer.batch();
                inbound.received(batch, batch.length);
            });
        }
    }

    /** Takes a batch of the peer, the first {@code size} bytes of an array that is lent for the call. */
    public void received(byte[] batch, int size) {
        try (var _ = context.flushScope()) {
            if (phase == MessagePhase.ENDED) {
                return;
            }
            try {
                inbound.received(batch, size);
            } catch (Throwable t) {
                notTaken(t);
                ApplicationErrors.rethrowIfOutOfMemory(t);
            }
        }
    }

    /** Takes a large message of the peer. */
    public void received(LargeOffer offer) {
        take(offer, () -> inbound.received(offer));
    }

    private void take(LargeOffer offer, Runnable action) {
        try (var _ = context.flushScope()) {
            if (isEnded()) {
                context.release(offer);
                return;
            }
            try {
                action.run();
            } catch (Throwable t) {
                notTaken(t);
                context.release(offer);
                ApplicationErrors.rethrowIfOutOfMemory(t);
            }
        }
    }

    private void notTaken(Throwable thrown) {
        if (thrown instanceof ProtocolViolationException violation) {
            violated(violation);
        } else {
            failed(thrown);
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
        phase = MessagePhase.ENDED;
        streams.close();
        shared.demandWatch().remove(streams);
        scheduler.stop();
        if (windowPeer != null) {
            shared.windows().leave(windowPeer.workerId());
            windowPeer = null;
        }
        UcxClosedException closed = context.closed("send", "the connection is closed");
        inbound.releaseEarly();
        streams.forEach(stream -> stream.connectionEnded(loss, closed, delivered));
        streams.refuseWaiting(loss == null ? closed : loss);
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        if (!isEnded()) {
            context.scope().duringShutdown(() -> end(loss));
        }
        scheduler.leaveWindow();
    }

    @Override
    public void closing() {
        if (phase.isClosing() || isEnded()) {
            return;
        }
        phase = phase.close();
        scheduler.closing(phase == MessagePhase.CLOSING);
        streams.close();
        UcxClosedException closed = context.closed("operation", "the connection is closed");
        context.scope().duringShutdown(() -> streams.forEach(stream -> stream.closing(closed)));
        context.scope().duringShutdown(() -> streams.refuseWaiting(closed));
        context.scope().duringShutdown(this::completeIfDelivered);
    }

    @Override
    public void peerFinished() {
        if (phase.hasPeerFinished() || isEnded()) {
            return;
        }
        phase = phase.peerFinishes();
        scheduler.closing(false);
        streams.close();
        UcxException unsent = closedByPeer("send");
        UcxException unfinished = closedByPeer("receive");
        context.scope().duringShutdown(() -> streams.forEach(stream -> stream.peerFinished(unfinished, unsent)));
        context.scope().duringShutdown(() -> streams.refuseWaiting(closedByPeer("open")));
    }

    @Override
    public void accepted() {
        streams.refuseWith("this server answers no requests: UcxServer.respond(..)");
    }

    /** The peer gets an error in place of the default stream's completion, unless the handler has completed in time. */
    @Override
    public void handlerEnded(boolean failed) {
        if (failed || !phase.isClosing()) {
            scheduler.interrupted(failed);
        }
    }

    @Override
    public void handlerInterrupted() {
        if (!phase.isClosing() && streams.defaultStream().output().isUsed()) {
            scheduler.interrupted(true);
        }
    }

    /** The peer has interrupted a stream, because it closes the connection: it takes no new streams. */
    void peerCloses() {
        peerClosing = true;
        streams.peerCloses();
        streams.refuseWaiting(closedByPeer("open"));
    }

    /** Returns whether the peer has begun to close the connection, although it may still send. Thread: any. */
    public boolean isPeerClosing() {
        return peerClosing;
    }

    /** Returns the error of a stream that the peer says is incomplete, because a side closes the connection. */
    UcxException interruptedByPeer() {
        return phase.isClosing() ? context.closedHere() : closedByPeer("receive");
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
        return isEnded() || !scheduler.isInterruptionDue() && streams.areInputsDrained()
                && (phase.hasPeerFinished() || scheduler.isDelivered());
    }

    @Override
    public void underWay(OperationVisitor visitor) {
        streams.forEachOpen(stream -> visitor.visit(stream,
                MessageStreams.isOpenedHere(stream.id()) ? "request" : "response"));
    }

    private boolean areOutputsDrained() {
        return streams.areOutputsDrained();
    }

    /** Sets the peer's limits. */
    void settings(long maxMessageBytes, int maxStreams) {
        context.peer().maxMessageBytes(maxMessageBytes);
        streams.limit(maxStreams);
    }

    /** Sets what gets the errors of the responder. Thread: any. */
    public void onHandlerError(Consumer<? super Throwable> action) {
        handlerErrors = action;
    }

    /** A responder has failed. Thread: any. */
    public void handlerFailed(Throwable error) {
        handlerErrors.accept(error);
    }

    /** Returns whether the connection has ended, so that no frame is sent or applied any more. */
    boolean isEnded() {
        return phase == MessagePhase.ENDED;
    }

    public MessageStreams streams() {
        return streams;
    }

    /** Returns what the streams share. */
    public StreamContext context() {
        return context;
    }

    SendScheduler scheduler() {
        return scheduler;
    }

    /** Returns a lease with a copy of a request for the responder. Throws when the pool has no memory. */
    public UcxBuffer copyOfRequest(byte[] from, int offset, int length, Object responder) {
        try {
            UcxBuffer copy = shared.pool().acquire(length, null);
            Lease.addOrigin(copy, "a request from", connection.peer(), responder, ReceiverName::of, null);
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

    /** Returns what warns of sends that wait for demand, on all connections of the engine. */
    public DemandWatch demandWatch() {
        return shared.demandWatch();
    }

    public ConnectionCore connection() {
        return connection;
    }
}
