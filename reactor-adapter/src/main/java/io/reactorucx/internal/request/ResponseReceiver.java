package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageDecoder;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.ReceiveSubscription;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

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

    private ResponseReceiver(MessageStream stream, MessageDecoder<T> decoder, CoreSubscriber<? super T> actual,
            @Nullable T first) {
        this.actual = actual;
        this.value = first == null ? NONE : first;
        this.receiver = new ReceiveSubscription<>(stream.input(), decoder, this);
    }

    /**
     * Receives what comes on a stream.
     *
     * @param first the response if it has come before
     */
    static <T> ResponseReceiver<T> of(MessageStream stream, MessageDecoder<T> decoder,
            CoreSubscriber<? super T> actual, @Nullable T first) {
        ResponseReceiver<T> response = new ResponseReceiver<>(stream, decoder, actual, first);
        stream.input().add(response.receiver);
        return response;
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
            failed = true;
            discard();
            receiver.cancel();
            actual.onError(new IndexOutOfBoundsException("a request for one response got more of them"));
        }
    }

    @Override
    public void onError(Throwable error) {
        discard();
        actual.onError(error instanceof StreamErrorException sent ? RequestErrors.exception(sent) : error);
    }

    @Override
    public void onComplete() {
        Object response = VALUE.getAndSet(this, NONE);
        if (response != NONE) {
            @SuppressWarnings("unchecked")
            T taken = (T) response;
            actual.onNext(taken);
        }
        actual.onComplete();
    }
}
