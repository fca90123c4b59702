package io.reactorucx.application;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** A responder, outside of the library's packages, that blocks the engine until it is told to go on. */
public final class BlockingApplication implements UcxResponder {

    /** Opened when a request blocks. */
    public final CountDownLatch blocks = new CountDownLatch(1);
    /** To be opened by the test. */
    public final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        blocks.countDown();
        try {
            if (!goOn.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the test has not let it go on");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Mono.just(request);
    }
}
