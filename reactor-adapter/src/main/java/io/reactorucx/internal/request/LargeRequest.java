package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.receive.ReceiveSubscription;
import io.reactorucx.message.UcxResponder;
import java.util.Objects;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.publisher.Mono;

/**
 * The responder's side of a large request for one response, with neither deadline nor observer: calls the responder
 * once the request is here, and has the response sent.
 *
 * <p>Thread: engine.
 */
final class LargeRequest implements CoreSubscriber<UcxBuffer> {

    private final MessageStream stream;
    private final UcxResponder responder;
    private final ResponseSubscriber response;
    private boolean over;

    private LargeRequest(MessageStream stream, UcxResponder responder, ResponseSubscriber response) {
        this.stream = stream;
        this.responder = responder;
        this.response = response;
    }

    /**
     * Receives the request.
     *
     * @param response gets the end of the sending of the response, or what is in the place of it
     */
    static void receive(MessageStream stream, UcxResponder responder, ResponseSubscriber response) {
        ReceiveSubscription<UcxBuffer> receiver = new ReceiveSubscription<>(stream.input(), EncodedMessage::lease,
                new LargeRequest(stream, responder, response), responder, null);
        stream.input().add(receiver);
        receiver.request(1);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        // The demand of one is all there is.
    }

    @Override
    public void onNext(UcxBuffer request) {
        over = true;
        if (stream.hasEndedOutput()) {
            // The requester has cancelled.
            request.dispose();
            stream.send(Mono.<UcxBuffer>empty(), lease -> lease, response);
            return;
        }
        Mono<UcxBuffer> answer;
        try {
            answer = Objects.requireNonNull(responder.requestResponse(request), "the responder returned null");
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            response.onError(ApplicationErrors.signal(t));
            return;
        }
        // A value that is known throws nowhere but where the send takes it.
        stream.send(answer instanceof Fuseable.ScalarCallable<?> ? answer : new ContainedPublisher<>(answer),
                lease -> lease, response);
    }

    @Override
    public void onError(Throwable error) {
        if (!over) {
            over = true;
            response.onError(error);
        }
    }

    @Override
    public void onComplete() {
        if (!over) {
            over = true;
            response.onComplete();
        }
    }
}
