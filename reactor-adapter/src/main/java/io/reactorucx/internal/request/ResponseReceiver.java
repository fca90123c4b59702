package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ThrownSignal;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.receive.ReceiveSubscription;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Receives the only response of a request from a general stream.
 *
 * <p>The response waits here for the end of its stream. It is released if that end is an error, or if the subscriber
 * cancels.
 *
 * <p>Thread: {@link #request}, {@link #badRequest} and {@link #cancel} any, everything else the engine's.
 */
final class ResponseReceiver<T> implements CoreSubscriber<T> {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<ResponseReceiver, Object> VALUE =
            AtomicReferenceFieldUpdater.newUpdater(ResponseReceiver.class, Object.class, "value");
    private static final Object NONE = new Object();

    private final CoreSubscriber<? super T> actual;
    private final ReceiveSubscription<T> receiver;
    private volatile boolean cancelled;
    /** The response, until it is emitted or released. */
    private volatile Object value;
    private boolean failed;
    /** Of a request that does not travel with the opening of the stream. */
    private @Nullable RequestSend sending;
    private final RequestCounters requests;
    private final short timed;
    private boolean over;

    private ResponseReceiver(MessageStream stream, RequestResponseMono<T> mono, CoreSubscriber<? super T> actual,
            @Nullable T first, short timed) {
        this.actual = actual;
        this.requests = mono.protocol.context().counters().requests();
        this.timed = timed;
        this.value = first == null ? NONE : first;
        this.receiver = new ReceiveSubscription<>(stream.input(), mono.decoder, this, actual, mono.place);
    }

    /**
     * Receives what comes on a stream.
     *
     * @param first the response if it has come before
     * @param timed of the request, see {@link RequestCounters#begun}
     */
    static <T> ResponseReceiver<T> of(MessageStream stream, RequestResponseMono<T> mono,
            CoreSubscriber<? super T> actual, @Nullable T first, short timed) {
        ResponseReceiver<T> response = new ResponseReceiver<>(stream, mono, actual, first, timed);
        stream.input().add(response.receiver);
        return response;
    }

    /** Sends the request on its stream, and ends this side's direction. */
    void send(MessageStream stream, Object request, boolean detailedErrors) {
        RequestSend send = new RequestSend(error -> {
            // UcxClosedException: the responder has responded before it had all, or the response fails with it.
            if (!over && !cancelled && !(error instanceof UcxClosedException)) {
                RequestErrors.fail(stream, error, detailedErrors);
                fail(error);
            }
        });
        sending = send;
        stream.send(Mono.just(request), message -> message, send);
        stream.complete();
    }

    static int length(Object response) {
        return response instanceof UcxBuffer lease ? (int) lease.length() : ((byte[]) response).length;
    }

    /** Takes any number of responses, so that a second one is seen, which is an error. */
    void request() {
        receiver.request(Long.MAX_VALUE);
    }

    void badRequest() {
        receiver.request(-1);
    }

    void cancel() {
        cancelled = true;
        discard();
        receiver.cancel();
        endSending();
    }

    private void endSending() {
        if (sending != null) {
            sending.cancel();
        }
    }

    /** Counts the cancel, which came on any thread, unless the request has ended before. */
    void cancelled() {
        over(Outcome.CANCELLED);
    }

    private void over(Outcome outcome) {
        if (!over) {
            over = true;
            requests.ended(Side.CLIENT, outcome, timed);
        }
    }

    private void discard() {
        UcxBuffer.discard(VALUE.getAndSet(this, NONE));
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        // No-op: the subscription is the receiver.
    }

    @Override
    public void onNext(T response) {
        if (failed || value != NONE) {
            UcxBuffer.discard(response);
            tooMany();
            return;
        }
        value = response;
        if (cancelled) {
            discard();
        }
    }

    /** Fails with the second response: the peer may send any number of them without an end. */
    private void tooMany() {
        if (!failed) {
            fail(new IndexOutOfBoundsException("a request for one response got more of them"));
        }
    }

    private void fail(Throwable error) {
        failed = true;
        over(RequestCounters.outcome(Side.CLIENT, error));
        discard();
        receiver.cancel();
        endSending();
        actual.onError(error);
    }

    @Override
    public void onError(Throwable error) {
        discard();
        endSending();
        Throwable shown = error instanceof StreamErrorException sent ? RequestErrors.exception(sent) : error;
        over(RequestCounters.outcome(Side.CLIENT, shown));
        actual.onError(shown);
    }

    @Override
    public void onComplete() {
        over(Outcome.SUCCESS);
        endSending();
        Object response = VALUE.getAndSet(this, NONE);
        if (response != NONE) {
            @SuppressWarnings("unchecked")
            T taken = (T) response;
            try {
                actual.onNext(taken);
            } catch (Throwable t) {
                ThrownSignal.atNext(actual, receiver, taken, t, !cancelled);
                UcxBuffer.discard(taken);
                ApplicationErrors.rethrowIfOutOfMemory(t);
                return;
            }
        }
        actual.onComplete();
    }
}
