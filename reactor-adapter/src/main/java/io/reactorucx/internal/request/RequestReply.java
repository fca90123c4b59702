package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.Command;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.SingleMessageStream;
import io.reactorucx.internal.message.receive.InboundStream;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Fuseable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The responder's side of a small request for one response: the stream, and the subscription to what the responder
 * returns. A response that cannot be written at once, because it is large, or lacks credit, or others are in front of
 * it, is sent on a general stream, which then takes the place of this one.
 *
 * <p>Thread: the signals of the response any, everything else the engine's.
 */
final class RequestReply extends SingleMessageStream implements CoreSubscriber<UcxBuffer>, Command, Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(RequestReply.class);
    private static final AtomicReferenceFieldUpdater<RequestReply, Object> VALUE =
            AtomicReferenceFieldUpdater.newUpdater(RequestReply.class, Object.class, "value");
    private static final Object NONE = new Object();
    /** Nothing more is taken from the responder. */
    private static final Object OVER = new Object();

    private final MessageProtocol protocol;
    private int credit;
    private int creditBytes;
    private boolean endedByPeer;
    private boolean responded;
    /** See {@link io.reactorucx.internal.counter.RequestCounters#begun}. */
    private final short timed;
    private volatile @Nullable Subscription upstream;
    private volatile boolean done;
    /** The responder's error; written before {@link #done}. */
    private @Nullable Throwable error;
    /** The response, until it is sent or released. */
    private volatile Object value = NONE;

    /** Begins a reply, and counts the request, which is so long. */
    RequestReply(MessageProtocol protocol, int credit, int creditBytes, int requestBytes) {
        protocol.context().counters().requestMessages().received(1, requestBytes);
        this.timed = protocol.context().counters().requests().begun(Side.SERVER);
        this.protocol = protocol;
        this.credit = credit;
        this.creditBytes = creditBytes;
    }

    @Override
    protected MessageProtocol protocol() {
        return protocol;
    }

    /** Takes the response from what the responder has returned. */
    void subscribeTo(Mono<UcxBuffer> response) {
        if (response instanceof Fuseable.ScalarCallable<?> scalar) {
            @SuppressWarnings("unchecked")
            Callable<UcxBuffer> known = (Callable<UcxBuffer>) scalar;
            UcxBuffer lease;
            try {
                lease = known.call();
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                fail(ApplicationErrors.signal(Exceptions.unwrap(t)));
                return;
            }
            if (VALUE.compareAndSet(this, NONE, OVER)) {
                respond(lease);
            } else if (lease != null) {
                // The responder has closed the connection.
                lease.dispose();
            }
        } else {
            try {
                response.subscribe(this);
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                Subscription source = upstream;
                if (source != null) {
                    cancel(source);
                }
                fail(ApplicationErrors.signal(Exceptions.unwrap(t)));
            }
        }
    }

    @Override
    public Context currentContext() {
        return ResponseSubscriber.RELEASING;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (Operators.validate(upstream, subscription)) {
            upstream = subscription;
            if (value == OVER) {
                subscription.cancel();
            } else {
                subscription.request(Long.MAX_VALUE);
            }
        }
    }

    @Override
    public void onNext(UcxBuffer response) {
        if (done || !VALUE.compareAndSet(this, NONE, response)) {
            response.dispose();
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (done) {
            Operators.onErrorDropped(failure, currentContext());
            return;
        }
        error = ApplicationErrors.signal(failure);
        onComplete();
    }

    @Override
    public void onComplete() {
        if (!done) {
            done = true;
            protocol.context().connection().engine().execute(this);
        }
    }

    /** The reply is urgent, because it ends a request of the peer. */
    @Override
    public boolean isUrgent() {
        return true;
    }

    @Override
    public void run(UcpWorker worker) {
        protocol.context().within(this);
    }

    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            takeValue();
        } else {
            RetryingCommand.retry(protocol.context().connection().engine(), this);
        }
    }

    /** The responder has completed or failed. */
    @Override
    public void run() {
        Object response = VALUE.getAndSet(this, OVER);
        Throwable failure = error;
        if (response == OVER) {
            return;
        }
        if (failure != null) {
            UcxBuffer.discard(response);
            respondError(failure);
        } else {
            respond(response instanceof UcxBuffer lease ? lease : null);
        }
    }

    private void respond(@Nullable UcxBuffer lease) {
        MemorySegment bytes;
        try {
            bytes = lease == null ? null : lease.segment();
        } catch (IllegalStateException e) {
            // The application has released the lease.
            respondError(e);
            return;
        }
        if (!respond(bytes, credit, creditBytes)) {
            MessageStream stream = general();
            stream.send(lease == null ? Mono.<UcxBuffer>empty() : Mono.just(lease), buffer -> buffer,
                    new ResponseSubscriber(protocol, stream, timed));
            return;
        }
        responded = true;
        over(Outcome.SUCCESS);
        if (lease != null) {
            lease.dispose();
        }
        if (endedByPeer) {
            closed();
        }
    }

    /** Sends an error in place of the response. */
    void fail(Throwable failure) {
        Object before = VALUE.getAndSet(this, OVER);
        if (before != OVER) {
            UcxBuffer.discard(before);
            respondError(failure);
        }
    }

    private void respondError(Throwable failure) {
        new ResponseSubscriber(protocol, general(), timed).onError(failure);
    }

    private void over(Outcome outcome) {
        protocol.context().counters().requests().ended(Side.SERVER, outcome, timed);
    }

    private void closeIfEnded() {
        if (responded && endedByPeer) {
            closed();
        }
    }

    /** Cancels the responder's publisher, and releases what it has emitted. */
    private void stop() {
        takeValue();
        Subscription source = upstream;
        if (source != null && !done) {
            cancel(source);
        }
    }

    private void cancel(Subscription source) {
        try {
            source.cancel();
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            LOG.error("[{}] the response to a request threw at its cancel", protocol.context().connection().name(),
                    ApplicationErrors.printable(t));
        }
    }

    private void takeValue() {
        UcxBuffer.discard(VALUE.getAndSet(this, OVER));
    }

    /** Ends this side's direction without a response. */
    private void stopUnlessResponded() {
        if (!responded) {
            responded = true;
            countCredit(-credit);
            over(Outcome.CANCELLED);
            stop();
        }
    }

    @Override
    protected void data(InboundBatch batch, int offset, int length, int count) {
        throw new ProtocolViolationException("a message of " + length + " bytes with credit for 0");
    }

    @Override
    protected InboundStream inputOfLarge() {
        return general().input();
    }

    private MessageStream general() {
        if (value != OVER) {
            throw new ProtocolViolationException("a large message with credit for 0");
        }
        return becomeResponse(credit, creditBytes, endedByPeer);
    }

    @Override
    protected void grant(int messages, int bytes) {
        if (messages > MessageFrameCodec.MAX_CREDIT - credit || bytes > MessageFrameCodec.MAX_CREDIT - creditBytes) {
            throw new ProtocolViolationException("credit for " + ((long) credit + messages) + " messages and "
                    + ((long) creditBytes + bytes) + " bytes");
        }
        if (!responded) {
            credit += messages;
            creditBytes += bytes;
            countCredit(messages);
        }
    }

    @Override
    protected void endedByPeer(@Nullable RuntimeException cause) {
        if (endedByPeer) {
            throw new ProtocolViolationException("a second end of a stream");
        }
        endedByPeer = true;
        closeIfEnded();
    }

    @Override
    protected void cancelledByPeer() {
        stopUnlessResponded();
        closeIfEnded();
    }

    @Override
    protected void closing(UcxClosedException closed) {
        if (responded) {
            closed();
        } else {
            over(Outcome.CANCELLED);
            stop();
            general().closing(closed);
        }
    }

    @Override
    protected void peerFinished(UcxException unfinished, UcxException unsent) {
        stopUnlessResponded();
        closed();
    }

    @Override
    protected void connectionEnded(@Nullable UcxException loss, UcxClosedException closed, boolean delivered) {
        stopUnlessResponded();
        closed();
    }
}
