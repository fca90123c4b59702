package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedBuffer;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is received from a peer obeys Reactive Streams. */
@Tag("slow")
class ReceiveRulesTest {

    private static final int ID = 17;
    private static final int LARGE = 100_000;
    private static final byte[] ONE_BYTE = {1};

    /** Active messages. */
    @Nested
    class ActiveMessagesRules extends ReceivedRules<ActiveMessage> {

        @Override
        Flux<ActiveMessage> receive(UcxConnection served) {
            return served.activeMessages().receive(ID);
        }

        @Override
        Mono<Void> send(UcxConnection client) {
            return client.activeMessages().send(ID, ONE_BYTE);
        }

        @Override
        void release(ActiveMessage element) {
            super.release(element);
            element.discard();
        }

        @Override
        Publisher<ActiveMessage> failed() {
            return ofClosedConnection();
        }
    }

    /** Offered data, which is fetched into memory of the caller. */
    @Nested
    class FetchIntoMemoryRules extends OfferRules<MemorySegment> {

        @Override
        Mono<MemorySegment> fetch(ActiveMessage offered) {
            return offered.fetch(Bytes.zeroed(LARGE));
        }
    }

    /** Offered data, which is fetched into a lease. */
    @Nested
    class FetchIntoPoolRules extends OfferRules<UcxBuffer> {

        @Override
        Mono<UcxBuffer> fetch(ActiveMessage offered) {
            return offered.fetch(peers.serverResources().buffers());
        }

        @Override
        void release(UcxBuffer element) {
            super.release(element);
            element.release();
        }
    }

    /** One offer after the other, each asked for when the one before has been fetched. */
    abstract static class OfferRules<T> extends ReceivedRules<T> {

        abstract Mono<T> fetch(ActiveMessage offered);

        @Override
        Flux<T> receive(UcxConnection served) {
            return served.activeMessages().receive(ID).concatMap(this::fetch, 0);
        }

        @Override
        Mono<Void> send(UcxConnection client) {
            return client.activeMessages().send(ID, MemorySegment.NULL, Bytes.zeroed(LARGE), AmProtocol.RENDEZVOUS);
        }
    }

    /** Tagged messages. */
    @Nested
    class TagsRules extends ReceivedRules<TaggedBuffer> {

        private long tag;

        @Override
        Flux<TaggedBuffer> receive(UcxConnection served) {
            tag++;
            return served.tags().receiveAll(tag, -1, 8);
        }

        @Override
        Mono<Void> send(UcxConnection client) {
            return client.tags().send(tag, Bytes.zeroed(1));
        }

        @Override
        void release(TaggedBuffer element) {
            super.release(element);
            element.data().release();
        }
    }

    /** Flow-controlled messages. */
    @Nested
    class InboundRules extends ReceivedRules<UcxBuffer> {

        @Override
        Flux<UcxBuffer> receive(UcxConnection served) {
            return served.inbound().receive();
        }

        @Override
        Mono<Void> send(UcxConnection client) {
            return client.outbound().sendByteArrays(Mono.just(ONE_BYTE));
        }

        @Override
        Publisher<UcxBuffer> failed() {
            UcxConnection client = peers.connect();
            closeAfterwards(client::disposeNow);
            UcxInbound inbound = peers.nextServed().inbound();
            closeAfterwards(inbound.receive().subscribe()::dispose);
            return inbound.receive();
        }

        @Override
        void release(UcxBuffer element) {
            super.release(element);
            element.release();
        }
    }

    /** The byte stream, a byte at a time: UCX keeps no other bounds. */
    @Nested
    class StreamRules extends ReceivedRules<UcxBuffer> {

        @Override
        Flux<UcxBuffer> receive(UcxConnection served) {
            return served.streams().receive(1);
        }

        @Override
        Mono<Void> send(UcxConnection client) {
            return client.streams().send(Bytes.zeroed(1));
        }

        @Override
        Publisher<UcxBuffer> failed() {
            UcxConnection client = peers.connect();
            closeAfterwards(client::disposeNow);
            ByteStream streams = peers.nextServed().streams();
            closeAfterwards(streams.receive().subscribe()::dispose);
            return streams.receive();
        }

        @Override
        void release(UcxBuffer element) {
            super.release(element);
            element.release();
        }
    }
}
