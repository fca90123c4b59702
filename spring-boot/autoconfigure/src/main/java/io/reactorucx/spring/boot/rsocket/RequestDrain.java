package io.reactorucx.spring.boot.rsocket;

import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.exceptions.RejectedException;
import io.rsocket.plugins.RSocketInterceptor;
import io.rsocket.util.RSocketProxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Counts the requests that a server handles. From a drain on it rejects new ones, which their clients may repeat
 * elsewhere, while those in flight go on.
 *
 * <p><b>Threading:</b> any. <b>Ownership:</b> it releases the payloads that it rejects. <b>Errors:</b> none.
 */
final class RequestDrain implements RSocketInterceptor {

    private final AtomicInteger inFlight = new AtomicInteger();
    private final Sinks.Empty<Void> idle = Sinks.empty();
    private volatile boolean draining;

    /** Rejects new requests from now on; completes without one in flight, or after the grace period. */
    Mono<Void> drain(Duration gracePeriod) {
        return Mono.defer(() -> {
            draining = true;
            if (inFlight.get() == 0) {
                idle.tryEmitEmpty();
            }
            return idle.asMono().timeout(gracePeriod, Mono.empty());
        });
    }

    int inFlight() {
        return inFlight.get();
    }

    private boolean enter() {
        inFlight.incrementAndGet();
        // A drain that has not seen this request sees it leave.
        if (draining) {
            leave();
            return false;
        }
        return true;
    }

    private void leave() {
        if (inFlight.decrementAndGet() == 0 && draining) {
            idle.tryEmitEmpty();
        }
    }

    private static RejectedException rejected() {
        return new RejectedException("the server is shutting down");
    }

    @Override
    public RSocket apply(RSocket responder) {
        return new Drained(responder);
    }

    /** A responder whose requests are counted. */
    private final class Drained extends RSocketProxy {

        Drained(RSocket source) {
            super(source);
        }

        @Override
        public Mono<Void> fireAndForget(Payload payload) {
            return enter() ? counted(Mono.defer(() -> super.fireAndForget(payload))) : rejectMono(payload);
        }

        @Override
        public Mono<Payload> requestResponse(Payload payload) {
            return enter() ? counted(Mono.defer(() -> super.requestResponse(payload))) : rejectMono(payload);
        }

        @Override
        public Flux<Payload> requestStream(Payload payload) {
            if (enter()) {
                return Flux.defer(() -> super.requestStream(payload)).doFinally(end -> leave());
            }
            payload.release();
            return Flux.error(rejected());
        }

        @Override
        public Flux<Payload> requestChannel(Publisher<Payload> payloads) {
            return enter() ? Flux.defer(() -> super.requestChannel(payloads)).doFinally(end -> leave())
                    : Flux.from(payloads).take(1).doOnNext(Payload::release).thenMany(Flux.error(rejected()));
        }

        private <T> Mono<T> counted(Mono<T> request) {
            return request.doFinally(end -> leave());
        }

        private <T> Mono<T> rejectMono(Payload payload) {
            payload.release();
            return Mono.error(rejected());
        }
    }
}
