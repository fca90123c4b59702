package io.reactorucx.message;

import io.reactorucx.buffer.UcxBuffer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Responds to the requests of a peer. A method that is not overridden refuses its requests as
 * {@link UcxRequestException.Reason#UNSUPPORTED}.
 *
 * <p><b>Threading:</b> called on the connection's engine thread: a method must not block; its publisher may signal on
 * any thread, and is cancelled when the requester cancels, the deadline passes, or the connection ends.
 * <b>Ownership:</b> a request is a lease that belongs to the method from its call on: the method releases it once, or
 * emits it as a response, also when the publisher is cancelled or fails, for example in {@code doFinally}. The library
 * does not release it, and it stays valid after a cancel. A response is a lease that belongs to the library from its
 * emission on, and is released when it has been sent, or cannot be. Leases that the publisher's operators drop at a
 * cancel are released by the discard hook ({@code doOnDiscard}), which the library sets. <b>Errors:</b> a
 * {@link UcxRequestException} reaches the requester as it is, with its code and message. Any other is logged here, and
 * reaches the requester as {@link UcxRequestException.Reason#APPLICATION} without its message, unless
 * {@code detailedErrors(true)} is set; those of a connection that ends, as the loss of the connection.
 */
public interface UcxResponder {

    /**
     * Processes a request without a response.
     *
     * @param request to be released
     * @return completes when the request has been processed; an error is logged
     */
    default Mono<Void> fireAndForget(UcxBuffer request) {
        request.release();
        return Mono.error(unsupported("fireAndForget"));
    }

    /**
     * Responds to a request with one response.
     *
     * @param request to be released
     * @return the response; if it is empty, the requester's is as well
     */
    default Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        request.release();
        return Mono.error(unsupported("requestResponse"));
    }

    /**
     * Responds to a request with any number of responses, as many as the requester requests.
     *
     * @param request to be released
     * @return the responses
     */
    default Flux<UcxBuffer> requestStream(UcxBuffer request) {
        request.release();
        return Flux.error(unsupported("requestStream"));
    }

    /**
     * Exchanges messages in both directions, each at the pace of its subscriber. The end of the responses ends the
     * exchange.
     *
     * @param requests each to be released
     * @return the responses
     */
    default Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
        return Flux.error(unsupported("requestChannel"));
    }

    private static UcxRequestException unsupported(String kind) {
        return new UcxRequestException(UcxRequestException.Reason.UNSUPPORTED, kind + " is not served here");
    }
}
