package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.message.UcxResponder;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The responses to a request, and the sending of messages, obey Reactive Streams. */
@Tag("slow")
class RequestRulesTest {

    /** Each publisher has a connection of its own, whose other side responds. */
    abstract static class ResponderRules<T> extends PublisherRules<T> {

        abstract Publisher<T> request(UcxRequester requester, int elements);

        @Override
        final Publisher<T> publisher(long elements) {
            UcxConnection client = peers.connect();
            closeAfterwards(() -> client.close(CloseMode.FORCE).block(Waits.PATIENCE));
            UcxConnection served = peers.nextServed();
            served.respond(new Echo()).subscribe();
            // A request that comes before the responder is registered would be refused.
            Waits.engineOf(served);
            return request(client.requester(), (int) Math.min(elements, MAX_SENT));
        }

        @Override
        final Publisher<T> failed() {
            UcxConnection client = peers.connect();
            client.close(CloseMode.FORCE).block(Waits.PATIENCE);
            peers.nextServed().onDispose().block(Waits.PATIENCE);
            return request(client.requester(), 1);
        }

        private final class Echo implements UcxResponder {

            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                long elements = request.length();
                request.release();
                return Flux.range(0, (int) elements).map(number -> peers.serverResources().buffers().acquire(1));
            }

            @Override
            public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
                return requests;
            }
        }
    }

    /** As many responses as the request has bytes. */
    @Nested
    class StreamRules extends ResponderRules<byte[]> {

        @Override
        Publisher<byte[]> request(UcxRequester requester, int elements) {
            return requester.requestStream(new byte[elements]);
        }
    }

    /** As many responses, within the deadline. */
    @Nested
    class StreamWithDeadlineRules extends ResponderRules<byte[]> {

        @Override
        Publisher<byte[]> request(UcxRequester requester, int elements) {
            return requester.withDeadline(Waits.PATIENCE).requestStream(new byte[elements]);
        }
    }

    /** A channel whose responder returns its requests. */
    @Nested
    class ChannelRules extends ResponderRules<UcxBuffer> {

        @Override
        Publisher<UcxBuffer> request(UcxRequester requester, int elements) {
            return requester.requestChannel(Flux.range(0, elements)
                    .map(number -> peers.clientResources().buffers().acquire(1)));
        }

        @Override
        void release(UcxBuffer element) {
            element.release();
        }
    }

    /** One response. */
    @Nested
    class ResponseRules extends ResponderRules<byte[]> {

        @Override
        Publisher<byte[]> request(UcxRequester requester, int elements) {
            Mono<byte[]> response = requester.requestResponse(new byte[1]);
            return elements == 0 ? response.then(Mono.empty()) : response.repeat(elements - 1L);
        }
    }

    /** A send of messages to a peer that receives them. */
    @Nested
    class OutboundRules extends PublisherRules<Void> {

        @Override
        Publisher<Void> publisher(long elements) {
            UcxConnection client = peers.connect();
            closeAfterwards(() -> client.close(CloseMode.FORCE).block(Waits.PATIENCE));
            peers.nextServed().inbound().receiveByteArrays().subscribe(ignored -> { }, error -> { });
            return client.outbound().sendByteArrays(Flux.range(0, 10).map(number -> new byte[number]));
        }

        @Override
        Publisher<Void> failed() {
            UcxConnection client = peers.connect();
            client.close(CloseMode.FORCE).block(Waits.PATIENCE);
            peers.nextServed().onDispose().block(Waits.PATIENCE);
            return client.outbound().sendByteArrays(Mono.just(new byte[1]));
        }

        @Override
        long mostElements() {
            return 0;
        }
    }
}
