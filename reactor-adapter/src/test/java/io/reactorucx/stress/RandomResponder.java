package io.reactorucx.stress;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.message.UcxResponder;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Responds in each way that a responder may; the length of a request says in which. */
final class RandomResponder implements UcxResponder {

    /** A request whose length has this remainder gets itself as its response. */
    static final int KINDS = 7;

    private final UcxBufferPool pool;

    RandomResponder(UcxBufferPool pool) {
        this.pool = pool;
    }

    static boolean isEchoed(long length) {
        return length % KINDS > 3;
    }

    @Override
    public Mono<Void> fireAndForget(UcxBuffer request) {
        request.release();
        return Mono.empty();
    }

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        if (isEchoed(request.length())) {
            return Mono.just(request);
        }
        int kind = (int) (request.length() % KINDS);
        request.release();
        return switch (kind) {
            case 0 -> Mono.empty();
            case 1 -> Mono.error(new CallJournal.Intended());
            case 2 -> Mono.delay(Duration.ofMillis(2)).then(Mono.empty());
            default -> throw new CallJournal.Intended();
        };
    }

    @Override
    public Flux<UcxBuffer> requestStream(UcxBuffer request) {
        int count = (int) (request.length() % 40);
        request.release();
        Flux<UcxBuffer> responses = Flux.range(0, count).map(each -> pool.copyOf(new byte[each]));
        return count % 5 == 0 ? responses.concatWith(Mono.error(new CallJournal.Intended())) : responses;
    }

    @Override
    public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
        return requests;
    }
}
