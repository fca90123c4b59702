package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.Command;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ThrownSignal;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.MessageStreams;
import io.reactorucx.internal.message.SingleMessageStream;
import io.reactorucx.internal.message.receive.InboundStream;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.command.RetryingCommand;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * One subscription to a {@link RequestResponseMono}, which is also its command and its stream: one small object is all
 * that a request needs, as long as one small response comes. Whatever else happens on the stream, a cancel included,
 * goes to a general stream, which then takes its place.
 *
 * <p>The response waits here for the end of its stream. It is released if that end is an error, or if the subscriber
 * cancels. A subscription has an object and a stream's id of its own, so that a late call or frame reaches no other
 * request.
 *
 * <p>Thread: {@link #request} and {@link #cancel} any, everything else the engine's.
 */
final class RequestCall<T> extends SingleMessageStream
        implements Subscription, Command, MessageStreams.Opening {

    /** The values of {@link #content} other than the response or the {@link ResponseReceiver} of a general stream. */
    private enum State { NEW, WAITING, OPEN, EMITTING, ENDED }

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<RequestCall, Object> CONTENT =
            AtomicReferenceFieldUpdater.newUpdater(RequestCall.class, Object.class, "content");
    private static final byte[] HEADER = new RequestHeader(Answer.ONE, false, 0, new byte[0]).toBytes();
    /** Of a large request, which follows: with the peer's credit, or at once. */
    private static final byte[] LARGE_HEADER = new RequestHeader(Answer.ONE, true, 0, new byte[0]).toBytes();
    private static final byte[] LARGE_AT_ONCE = new RequestHeader(Answer.ONE, true, true, 0, null, new byte[0])
            .toBytes();

    private final RequestResponseMono<T> mono;
    private final CoreSubscriber<? super T> actual;
    private volatile Object content = State.NEW;
    /** 0 until something is requested, less than that for ever after a bad request. */
    private volatile byte requested;
    /** See {@link RequestCounters#begun}. */
    private short timed;

    RequestCall(RequestResponseMono<T> mono, CoreSubscriber<? super T> actual) {
        this.mono = mono;
        this.actual = actual;
    }

    @Override
    protected MessageProtocol protocol() {
        return mono.protocol;
    }

    @Override
    public void run(UcpWorker worker) {
        if (protocol().context().isPostponed(this)) {
            return;
        }
        // Messages that the subscriber sends within the call share a batch with the request.
        try (var _ = protocol().context().flushScope()) {
            if (content == State.ENDED) {
                release();
                return;
            }
            timed = protocol().context().counters().requests().begun(Side.CLIENT);
            if (protocol().streams().request(this) && !CONTENT.compareAndSet(this, State.NEW, State.WAITING)) {
                forget();
            }
        }
    }

    /** Counts the end of the request, once. */
    private void over(Outcome outcome) {
        protocol().context().counters().requests().ended(Side.CLIENT, outcome, timed);
    }

    private void over(Throwable error) {
        over(RequestCounters.outcome(Side.CLIENT, error));
    }

    /** The subscriber has cancelled while this waited for the peer to take another request. */
    private void forget() {
        if (protocol().streams().forget(this)) {
            over(Outcome.CANCELLED);
            release();
        }
    }

    @Override
    public void open() {
        Object before = content;
        if (before == State.ENDED) {
            over(Outcome.CANCELLED);
            release();
            return;
        }
        Object now;
        try {
            long bytes = length(mono.request);
            if (HEADER.length + bytes > protocol().context().limits().rendezvousBytes()) {
                now = openLarge();
            } else {
                now = requested > 0 && open(HEADER, mono.request) ? State.OPEN : openGeneral();
                protocol().context().counters().requestMessages().sent(1, bytes);
                release();
            }
        } catch (RuntimeException e) {
            refused(e);
            return;
        }
        if (!CONTENT.compareAndSet(this, before, now)) {
            cancel(now);
        } else if (requested < 0) {
            badRequest();
        } else if (now instanceof ResponseReceiver<?> receiver && requested > 0) {
            receiver.request();
        }
    }

    /** Opens a stream whose frames wait for their turn, or whose subscriber has not requested the response yet. */
    private ResponseReceiver<T> openGeneral() {
        byte[] bytes = mono.request instanceof UcxBuffer lease ? lease.toByteArray() : (byte[]) mono.request;
        MessageStream stream = protocol().streams().open(new RequestHeader(Answer.ONE, false, 0, bytes).toBytes());
        stream.complete();
        return ResponseReceiver.of(stream, mono, actual, null, timed);
    }

    /** Opens a stream on which the request follows as a message, with its memory. */
    private ResponseReceiver<T> openLarge() {
        boolean atOnce = protocol().streams().isPeerReady();
        MessageStream stream = protocol().streams().open(atOnce ? LARGE_AT_ONCE : LARGE_HEADER);
        if (atOnce) {
            stream.takeImpliedCredit();
        }
        ResponseReceiver<T> receiver = ResponseReceiver.of(stream, mono, actual, null, timed);
        receiver.send(stream, mono.request, protocol().context().limits().detailedErrors());
        return receiver;
    }

    private static long length(Object request) {
        return request instanceof UcxBuffer lease ? lease.length() : ((byte[]) request).length;
    }

    @Override
    public void refused(RuntimeException error) {
        boolean waits = CONTENT.getAndSet(this, State.ENDED) != State.ENDED;
        over(waits ? RequestCounters.outcome(Side.CLIENT, error) : Outcome.CANCELLED);
        refuse(error, waits);
    }

    private void refuse(RuntimeException error, boolean waits) {
        release();
        if (waits) {
            signalError(error);
        }
    }

    private void release() {
        if (mono.request instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }

    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            refuse(cause, CONTENT.getAndSet(this, State.ENDED) != State.ENDED);
        } else {
            RetryingCommand.retry(protocol().context().connection().engine(), this);
        }
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            requested = -1;
            protocol().context().execute(this::badRequest);
        } else if (requested == 0) {
            requested = 1;
            if (content instanceof ResponseReceiver<?> receiver) {
                receiver.request();
            }
        }
    }

    /** Fails as rule 3.9 of Reactive Streams says, unless the request is yet to be opened, and fails then. */
    private void badRequest() {
        Object now = content;
        if (now instanceof ResponseReceiver<?> receiver) {
            receiver.badRequest();
        } else if (now != State.NEW && now != State.WAITING) {
            Object before = end();
            if (before == null) {
                return;
            }
            if (before != State.EMITTING) {
                over(Outcome.ERROR);
            }
            cancelStream();
            signalError(new IllegalArgumentException(
                    "request of 0 or less: must be at least 1 (rule 3.9 of Reactive Streams)"));
        }
    }

    @Override
    public void cancel() {
        Object before = CONTENT.getAndSet(this, State.ENDED);
        if (before == State.WAITING) {
            protocol().context().executeUrgent(this::forget);
        } else if (before != State.NEW && before != State.ENDED && before != State.EMITTING) {
            cancel(before);
        }
    }

    private void cancel(Object before) {
        if (before instanceof ResponseReceiver<?> receiver) {
            receiver.cancel();
            protocol().context().executeUrgent(receiver::cancelled);
        } else {
            UcxBuffer.discard(before);
            protocol().context().executeUrgent(this::cancelled);
        }
    }

    private void cancelled() {
        over(Outcome.CANCELLED);
        cancelStream();
    }

    /** Tells the peer, unless the stream has ended since, or a general one has been cancelled in its place. */
    private void cancelStream() {
        if (isOpen()) {
            general();
        }
    }

    /** Ends the subscription. Returns what was there, null if it had ended before. */
    private @Nullable Object end() {
        Object before = CONTENT.getAndSet(this, State.ENDED);
        if (before == State.ENDED) {
            return null;
        }
        return before;
    }

    @Override
    protected void data(InboundBatch batch, int offset, int length, int count) {
        if (count != 1 || content != State.OPEN || length > protocol().context().limits().windowBytes()) {
            handOver(batch, offset, length, count);
            return;
        }
        T response = batch.message(offset, length).decode(mono.decoder);
        if (response == null) {
            // The response waits for memory.
            handOver(batch, offset, length, count);
            return;
        }
        Lease.addOrigin(response, "a response from", protocol().context().connection().peer(), actual,
                ReceiverName::of, mono.place);
        if (!CONTENT.compareAndSet(this, State.OPEN, response)) {
            UcxBuffer.discard(response);
        }
    }

    private void handOver(InboundBatch batch, int offset, int length, int count) {
        MessageStream stream = general();
        stream.data(batch, offset, length, count);
        stream.input().creditChanged();
    }

    @Override
    protected InboundStream inputOfLarge() {
        return general().input();
    }

    /** Puts a general stream in the place of this one; it is cancelled if the subscriber has cancelled. */
    private MessageStream general() {
        Object before = content;
        boolean isOpen = before == State.OPEN || before == State.ENDED;
        int bytes = protocol().context().limits().windowBytes();
        MessageStream stream = becomeRequest(protocol().context().limits().windowMessages() - (isOpen ? 0 : 1),
                isOpen ? bytes : bytes - ResponseReceiver.length(before));
        if (before == State.ENDED) {
            stream.cancel();
            return stream;
        }
        @SuppressWarnings("unchecked")
        ResponseReceiver<T> receiver = ResponseReceiver.of(stream, mono, actual, isOpen ? null : (T) before, timed);
        receiver.request();
        if (!CONTENT.compareAndSet(this, before, receiver)) {
            receiver.cancel();
        }
        return stream;
    }

    @Override
    protected void grant(int messages, int bytes) {
        // Nothing more is sent.
    }

    @Override
    protected void cancelledByPeer() {
        // Nothing more is sent.
    }

    @Override
    protected void endedByPeer(@Nullable RuntimeException error) {
        if (error != null) {
            fail(error instanceof StreamErrorException sent ? RequestErrors.exception(sent) : error);
            return;
        }
        // The subscriber may cancel while it gets the response.
        Object response = CONTENT.getAndSet(this, State.EMITTING);
        if (response == State.ENDED) {
            closed();
            content = State.ENDED;
        } else {
            over(Outcome.SUCCESS);
            closed();
            complete(response == State.OPEN ? null : response);
        }
    }

    private void complete(@Nullable Object response) {
        try {
            if (response != null) {
                @SuppressWarnings("unchecked")
                T value = (T) response;
                emit(value);
            }
            if (end() != null) {
                actual.onComplete();
            }
        } catch (Throwable t) {
            content = State.ENDED;
            ThrownSignal.atEnd(actual, t);
            ApplicationErrors.rethrowIfOutOfMemory(t);
        }
    }

    private void emit(T value) {
        try {
            actual.onNext(value);
        } catch (Throwable t) {
            ThrownSignal.atNext(actual, this, value, t, content == State.EMITTING);
            UcxBuffer.discard(value);
            ApplicationErrors.rethrowIfOutOfMemory(t);
        }
    }

    private void fail(RuntimeException error) {
        closed();
        Object before = end();
        if (before == null) {
            return;
        }
        over(error);
        UcxBuffer.discard(before);
        signalError(error);
    }

    private void signalError(RuntimeException error) {
        try {
            actual.onError(error);
        } catch (Throwable t) {
            ThrownSignal.atEnd(actual, t);
            ApplicationErrors.rethrowIfOutOfMemory(t);
        }
    }

    @Override
    protected void closing(UcxClosedException closed) {
        fail(closed);
    }

    @Override
    protected void peerFinished(UcxException unfinished, UcxException unsent) {
        fail(unfinished);
    }

    @Override
    protected void connectionEnded(@Nullable UcxException loss, UcxClosedException closed, boolean delivered) {
        fail(loss == null ? closed : loss);
    }
}
