package io.reactorucx.examples.dashboard;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import reactor.core.publisher.Mono;

/** Responds with what was requested: the lease goes back as it is. */
final class EchoResponder implements UcxResponder {

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        return Mono.just(request);
    }
}
