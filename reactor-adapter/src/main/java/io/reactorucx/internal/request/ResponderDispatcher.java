package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.message.InboundFrames;
import io.reactorucx.internal.message.MessageMultiplexer;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.message.UcxResponder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The responder's side of the exchanges of one connection. On the engine's thread. */
public final class ResponderDispatcher implements InboundFrames.StreamAcceptor {

    private static final Logger LOG = LoggerFactory.getLogger(ResponderDispatcher.class);

    private final MessageMultiplexer mux;
    private final UcxResponder responder;
    private final AtomicInteger withoutAnswer = new AtomicInteger();

    private ResponderDispatcher(MessageMultiplexer mux, UcxResponder responder) {
        this.mux = mux;
        this.responder = responder;
    }

    /**
     * Answers the requests of a connection until it is cancelled; ends with nothing but an error when somebody else
     * does so already.
     */
    public static Mono<Void> mono(MessageMultiplexer mux, UcxResponder responder) {
        ResponderDispatcher responding = new ResponderDispatcher(mux, responder);
        return Mono.create(sink -> {
            mux.execute(() -> {
                if (!mux.streams().accept(responding)) {
                    sink.error(new IllegalStateException("respond: this connection has a responder already"));
                }
            }, sink::error);
            sink.onDispose(() -> mux.execute(() -> mux.streams().leave(responding)));
        });
    }

    @Override
    public void opened(MessageStream stream, byte[] first) {
        RequestHeader head;
        try {
            head = RequestHeader.parse(first);
        } catch (ProtocolViolationException e) {
            stream.complete();
            stream.cancel();
            throw e;
        }
        if (head.answer() == RequestHeader.Answer.NONE) {
            takeWithoutAnswer(stream, head);
            return;
        }
        boolean simple = head.answer() == RequestHeader.Answer.ONE && !head.follows() && head.deadlineMillis() == 0;
        stream.send(simple ? answer(head) : answers(stream, head), buffer -> buffer,
                new ResponseSubscriber(mux, stream));
    }

    /** As {@link #answers}, for what nearly all requests are, without the operators that the others need. */
    private Mono<UcxBuffer> answer(RequestHeader head) {
        try {
            return Objects.requireNonNull(responder.requestResponse(mux.pool().copyOf(head.request())),
                    "the responder returned null");
        } catch (Throwable t) {
            Exceptions.throwIfFatal(t);
            return Mono.error(t);
        }
    }

    /**
     * Whoever asks for nothing has left already, and that is no reason to stop. Its stream is over, too, so that what
     * is under way is bounded here.
     */
    private void takeWithoutAnswer(MessageStream stream, RequestHeader head) {
        stream.complete();
        if (withoutAnswer.incrementAndGet() > mux.limits().maxStreams()) {
            withoutAnswer.decrementAndGet();
            stream.cancel();
            mux.counters().droppedRequest();
            LOG.debug("[{}] a request without an answer dropped: {} are under way", mux.connection().peer(),
                    mux.limits().maxStreams());
            return;
        }
        answers(stream, head).doFinally(signal -> {
            withoutAnswer.decrementAndGet();
            stream.cancel();
        }).subscribe(ignored -> { }, error -> LOG.debug("[{}] a request without an answer failed",
                mux.connection().peer(), error));
    }

    private Flux<UcxBuffer> answers(MessageStream stream, RequestHeader head) {
        Flux<UcxBuffer> answers = Flux.defer(() -> switch (head.answer()) {
            case NONE -> request(stream, head).flatMap(responder::fireAndForget).then(Mono.<UcxBuffer>empty());
            case ONE -> request(stream, head).flatMap(responder::requestResponse);
            case MANY -> request(stream, head).flatMapMany(responder::requestStream);
            case CHANNEL -> responder.requestChannel(stream.receive());
        });
        return DeadlineOperator.late(answers, head.deadlineMillis());
    }

    private Mono<UcxBuffer> request(MessageStream stream, RequestHeader head) {
        return head.follows() ? stream.receive().take(1, true).next()
                : Mono.fromCallable(() -> mux.pool().copyOf(head.request()));
    }
}
