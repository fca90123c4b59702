package io.reactorucx.message;

import io.reactorucx.buffer.UcxBuffer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Answers requests of a peer; those that it does not answer are refused as
 * {@link UcxRequestException.Reason#UNSUPPORTED}.
 *
 * <p><b>Threading:</b> called on the connection's engine thread: it must not block, and may answer from any thread.
 * What is answered is cancelled when the requester leaves, the deadline comes, or the connection ends.
 * <b>Ownership:</b> a request is a lease, which the method releases; an answer is a lease, which is released when it
 * has gone. <b>Errors:</b> reach the requester as {@link UcxRequestException.Reason#APPLICATION} with their message:
 * say nothing there that the peer should not know.
 */
public interface UcxResponder {

    /**
     * A request without an answer.
     *
     * @param request to be released
     * @return its end is of interest to nobody but the log
     */
    default Mono<Void> fireAndForget(UcxBuffer request) {
        request.release();
        return Mono.error(unsupported("fireAndForget"));
    }

    /**
     * A request with one answer.
     *
     * @param request to be released
     * @return the answer; none is answered as such
     */
    default Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        request.release();
        return Mono.error(unsupported("requestResponse"));
    }

    /**
     * A request with any number of answers, which are asked for at the requester's pace.
     *
     * @param request to be released
     * @return the answers
     */
    default Flux<UcxBuffer> requestStream(UcxBuffer request) {
        request.release();
        return Flux.error(unsupported("requestStream"));
    }

    /**
     * Messages both ways, each at the pace of who takes them. The exchange is over when the answers end.
     *
     * @param requests each to be released
     * @return the answers
     */
    default Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
        return Flux.error(unsupported("requestChannel"));
    }

    private static UcxRequestException unsupported(String kind) {
        return new UcxRequestException(UcxRequestException.Reason.UNSUPPORTED, kind + " is not answered here");
    }
}
