package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxOutbound;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocketErrorException;
import io.rsocket.exceptions.ConnectionErrorException;
import io.rsocket.frame.ErrorFrameCodec;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * A connection under an RSocket. Frames leave by one send of the connection's message stream, so that the peer's credit
 * decides how many; the others wait in a {@link FrameQueue}.
 *
 * <p>Thread: any.
 */
final class UcxDuplexConnection implements DuplexConnection {

    /** How long a last frame may wait until the peer takes it. */
    private static final long FAREWELL_SECONDS = 5;

    private static final FaultLog FAULTS = new FaultLog();

    private final UcxConnection connection;
    private final TransportSettings settings;
    private final TransportCounters counters;
    private final UcxOutbound outbound;
    private final FrameQueue queue;
    private final FrameRules rules;
    private final SocketAddress remoteAddress;
    /** This side has decided how the connection ends. */
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean receiving = new AtomicBoolean();
    private final Disposable.Swap farewell = Disposables.swap();
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private volatile @Nullable UcxClosedChannelException failure;
    private volatile @Nullable FrameReceiver receiver;
    private volatile boolean terminated;
    /** RSocket has given the connection up. */
    private volatile boolean disposed;

    private UcxDuplexConnection(UcxConnection connection, FrameRules rules, TransportSettings settings,
            TransportCounters counters) {
        this.connection = connection;
        this.rules = rules;
        this.settings = settings;
        this.counters = counters;
        this.outbound = connection.outbound();
        this.queue = new FrameQueue(settings.maxQueuedBytes());
        this.remoteAddress = PeerAddress.of(connection.peer());
    }

    /** Creates the connection, which sends from now on; throws for a raw peer. */
    static UcxDuplexConnection start(UcxConnection connection, FrameRules rules, TransportSettings settings,
            TransportCounters counters) {
        UcxDuplexConnection started = new UcxDuplexConnection(connection, rules, settings, counters);
        started.start();
        return started;
    }

    private void start() {
        counters.opened(queue);
        outbound.send(queue.frames(), queue.encoder()).subscribe(new Sending());
        // Frames that were not sent are released before the end is signalled.
        Mono.whenDelayError(connection.onTerminate().doOnTerminate(this::terminated), queue.emptied())
                .subscribe(ignored -> { }, this::ended, () -> ended(null));
    }

    private void terminated() {
        terminated = true;
        queue.dispose();
    }

    private void ended(@Nullable Throwable loss) {
        counters.closed(queue);
        farewell.dispose();
        UcxClosedChannelException reason = failure;
        if (reason != null) {
            closed.tryEmitError(reason);
        } else if (loss != null && !rules.isOfSession()) {
            closed.tryEmitError(new UcxClosedChannelException(connection.peer(), loss));
        } else {
            closed.tryEmitEmpty();
        }
    }

    @Override
    public void sendFrame(int streamId, ByteBuf frame) {
        rules.sends(streamId, frame);
        if (!queue.offer(streamId, frame)) {
            overflowed(frame);
        }
    }

    /**
     * Returns whether RSocket gets a message of the peer. One that is no frame, or a frame that the peer may not send,
     * ends the connection: RSocket would log its stack, and those of all that follow.
     */
    boolean accepts(ByteBuf message) {
        if (disposed || failure != null) {
            return false;
        }
        String violation = rules.violation(message);
        if (violation != null) {
            fail(new UcxClosedChannelException(connection.peer(), "the peer has sent " + violation));
        }
        return violation == null;
    }

    /** RSocket has no way to be told to wait, and a frame that is missing would break the connection unseen. */
    private void overflowed(ByteBuf frame) {
        UcxClosedChannelException reason = new UcxClosedChannelException(connection.peer(), queue.bytes()
                + " bytes of frames wait for the peer, and maxQueuedBytes " + queue.maxBytes()
                + " leaves no room for another; request fewer payloads at a time");
        if (fail(reason)) {
            counters.overflowed();
        }
    }

    /**
     * Ends the connection for a reason that this side has found, unless it is closing. Returns whether it did. RSocket
     * gets the reason as the error of a connection, with which it fails all requests, and so does the peer's.
     */
    private boolean fail(UcxClosedChannelException reason) {
        if (terminated || !closing.compareAndSet(false, true)) {
            return false;
        }
        failure = reason;
        FAULTS.warn(reason.getMessage());
        queue.dispose();
        FrameReceiver current = receiver;
        if (current != null && current.isOnItsThread()) {
            explain(reason);
            return true;
        }
        try {
            connection.scheduler().schedule(() -> explain(reason));
        } catch (RejectedExecutionException e) {
            // The engine has closed, and the connection with it.
            close(CloseMode.FORCE);
        }
        return true;
    }

    /**
     * Tells the peer and RSocket the reason. RSocket cancels what it sends at the end of the connection alone, and a
     * source that never rests would keep the engine from that end, so the end is signalled here.
     */
    private void explain(UcxClosedChannelException reason) {
        farewell(reason.reason());
        FrameReceiver current = receiver;
        if (current != null) {
            current.fail(ErrorFrameCodec.encode(alloc(), 0, new ConnectionErrorException(reason.getMessage(), reason)));
        }
        closed.tryEmitError(reason);
    }

    /**
     * Sends one error frame behind what the send has taken from the queue, whose other frames have been dropped, and
     * closes. A peer that does not take it in time learns of the close alone.
     */
    private void farewell(String reason) {
        ByteBuf frame = ErrorFrameCodec.encode(alloc(), 0, new ConnectionErrorException("the peer has closed the"
                + " connection: " + reason));
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        closeLater(CloseMode.FORCE);
        outbound.sendByteArrays(Mono.just(bytes)).subscribe(ignored -> { },
                error -> close(CloseMode.FORCE), () -> close(CloseMode.FLUSH));
    }

    @Override
    public void sendErrorAndClose(RSocketErrorException error) {
        if (closing.compareAndSet(false, true)) {
            queue.end(ErrorFrameCodec.encode(alloc(), 0, error));
            closeLater(CloseMode.FLUSH);
        }
    }

    @Override
    public void dispose() {
        disposed = true;
        closing.set(true);
        queue.end();
        // RSocket calls this as well when it has been told a failure, of which the peer is being told.
        if (failure == null) {
            close(CloseMode.FLUSH);
        }
    }

    private void close(CloseMode mode) {
        connection.close(mode).subscribe();
    }

    private void closeLater(CloseMode mode) {
        farewell.update(Schedulers.parallel().schedule(() -> close(mode), FAREWELL_SECONDS, TimeUnit.SECONDS));
    }

    /** All frames have been sent, or no more can be. */
    private void sendEnded(@Nullable Throwable error) {
        if (error != null && !isEnd(error)) {
            fail(new UcxClosedChannelException(connection.peer(), error));
        } else if (failure == null) {
            close(CloseMode.FLUSH);
        }
    }

    /** Returns whether an error tells that the connection ends, which {@code onTerminate} explains, and no other. */
    private boolean isEnd(Throwable error) {
        return error instanceof UcxException end && (end.isConnectionLost() || connection.isDisposed());
    }

    @Override
    public Flux<ByteBuf> receive() {
        Flux<ByteBuf> frames = connection.inbound().receive(FrameDecoder::decode);
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
                if (receiving.compareAndSet(false, true)) {
                    FrameReceiver subscribed = new FrameReceiver(UcxDuplexConnection.this, actual);
                    receiver = subscribed;
                    frames.subscribe(subscribed);
                } else if (disposed) {
                    // RSocket subscribes to what it has disposed of, when a session ends while it resumes.
                    Operators.complete(actual);
                } else {
                    Operators.error(actual, new IllegalStateException("receive: a connection has one subscriber"));
                }
            }
        };
    }

    /**
     * No more frames come. Returns what RSocket's subscriber gets as the error, null if a side has closed the
     * connection.
     */
    @Nullable Throwable received(@Nullable Throwable error) {
        boolean closedHere = closing.get();
        UcxClosedChannelException reason = error == null || closedHere ? null
                : new UcxClosedChannelException(connection.peer(), error);
        if (reason != null && error != null && !isEnd(error)) {
            fail(reason);
        } else {
            closing.set(true);
            close(CloseMode.FLUSH);
        }
        return reason;
    }

    /** RSocket receives no more. If it does not close the connection as well, the peer's sends would wait for ever. */
    void receiverLeft() {
        if (!isDisposed()) {
            closeLater(CloseMode.FLUSH);
        }
    }

    @Override
    public ByteBufAllocator alloc() {
        return settings.allocator();
    }

    @Override
    public SocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public boolean isDisposed() {
        return closing.get() || connection.isDisposed();
    }

    @Override
    public Mono<Void> onClose() {
        return closed.asMono();
    }

    @Override
    public String toString() {
        return "UcxDuplexConnection[" + connection + "]";
    }

    /** The subscriber of the send. */
    private final class Sending implements CoreSubscriber<Void> {

        @Override
        public Context currentContext() {
            return queue.discarding();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            // The send ends with the queue or with the connection, and there is nothing to request.
        }

        @Override
        public void onNext(Void nothing) {
            throw new IllegalStateException("a send emits nothing");
        }

        @Override
        public void onError(Throwable error) {
            sendEnded(error);
        }

        @Override
        public void onComplete() {
            sendEnded(null);
        }
    }
}
