package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxInbound;
import io.reactorucx.UcxOutbound;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageEncoder;
import io.reactorucx.message.UcxResponder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The code of {@code docs/guide/messages.md}. */
class MessagesPageTest extends Page {

    private UcxBoundServer echo() {
        // snippet: echo
        UcxBoundServer server = UcxServer.create(resources)
                .bindAddress("127.0.0.1", 0)
                .handle((in, out) -> out.sendStrings(in.receiveStrings().map(text -> "echo " + text)))
                .bindNow();
        // end
        return server;
    }

    @Test
    void responsesAreSubscribedToTogetherWithTheRequests() {
        UcxConnection connection = connect(echo());
        Flux<String> questions = Flux.just("a", "b", "c");

        // snippet: together
        List<String> answers = connection.inbound().receiveStrings()
                .mergeWith(connection.outbound().sendStrings(questions).then(Mono.empty()))
                .take(3)
                .collectList()
                .block();
        // end

        assertThat(answers).containsExactly("echo a", "echo b", "echo c");
    }

    /** A request has gone to the server and back, so both sides have run; still the source was asked for nothing. */
    @Test
    void sendAloneWaitsForDemandOfTheEchoWhichWaitsForDemandOfTheClient() {
        UcxBoundServer server = UcxServer.create(resources)
                .handle(served -> Mono.when(served.respond(answering()),
                        served.outbound().sendStrings(served.inbound().receiveStrings().map(text -> "echo " + text))))
                .bindNow();
        UcxConnection connection = connect(server);
        AtomicBoolean asked = new AtomicBoolean();
        List<String> heard = new ArrayList<>();
        Flux<String> questions = Flux.just("a", "b", "c").doOnRequest(count -> asked.set(true));

        // snippet: trap
        Flux<String> answers = connection.outbound().sendStrings(questions)
                .thenMany(connection.inbound().receiveStrings());
        // end
        var waiting = answers.subscribe(heard::add);
        connection.requester().requestResponse(new byte[0]).block(TIMEOUT);

        assertThat(asked).isFalse();
        assertThat(heard).isEmpty();

        waiting.dispose();
    }

    private UcxResponder answering() {
        return new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        };
    }

    @Test
    void leasesTravelWithoutACopy() {
        ConcurrentLinkedQueue<Long> lengths = new ConcurrentLinkedQueue<>();
        UcxBoundServer server = UcxServer.create(resources).handle((in, out) -> receiveLeases(in, lengths)).bindNow();
        UcxConnection connection = connect(server);

        // snippet: leases
        Flux<UcxBuffer> chunks = Flux.range(0, 100).concatMap(number -> resources.buffers()
                .acquireLater(64 * 1024)
                .doOnNext(chunk -> chunk.segment().fill(number.byteValue())), 1);

        connection.outbound().send(chunks).block();
        // end
        connection.close().block(TIMEOUT);

        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(lengths).hasSize(100));
        assertThat(lengths).containsOnly(64L * 1024);
    }

    private static Publisher<Void> receiveLeases(UcxInbound in, ConcurrentLinkedQueue<Long> lengths) {
        // snippet: receive-leases
        Mono<Void> handled = in.receive()
                .limitRate(32)
                .doOnDiscard(Object.class, UcxBuffer::discard)
                .doOnNext(message -> {
                    try {
                        lengths.add(message.length());
                    } finally {
                        message.release();
                    }
                })
                .then();
        // end
        return handled;
    }

    // snippet: encoder
    /** A price, in twelve bytes. */
    record Price(int instrument, long cents) {

        static final MessageEncoder<Price> ENCODER = new MessageEncoder<>() {
            @Override
            public int length(Price price) {
                return Integer.BYTES + Long.BYTES;
            }

            @Override
            public void encode(Price price, ByteBuffer target) {
                target.putInt(price.instrument()).putLong(price.cents());
            }
        };

        static Price decode(EncodedMessage message) {
            ByteBuffer bytes = message.byteBuffer();
            return new Price(bytes.getInt(), bytes.getLong());
        }
    }
    // end

    @Test
    void valuesTravelByACodec() {
        ConcurrentLinkedQueue<Price> arrived = new ConcurrentLinkedQueue<>();
        Flux<Price> prices = Flux.just(new Price(1, 100), new Price(2, 250));
        UcxBoundServer server = UcxServer.create(resources)
                .handle((in, out) -> exchange(in, out, Flux.empty(), arrived)).bindNow();
        UcxConnection connection = connect(server);

        exchange(connection.inbound(), connection.outbound(), prices, new ConcurrentLinkedQueue<>()).subscribe();

        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(arrived)
                .containsExactly(new Price(1, 100), new Price(2, 250)));
    }

    private static Mono<Void> exchange(UcxInbound in, UcxOutbound out, Flux<Price> prices,
            ConcurrentLinkedQueue<Price> arrived) {
        // snippet: codec
        Flux<Price> received = in.receive(Price::decode);
        Mono<Void> sent = out.send(prices, Price.ENCODER);
        // end
        return Mono.when(sent, received.doOnNext(arrived::add));
    }

    @Test
    void slowWorkGoesToAnotherThread() {
        // snippet: handler
        UcxBoundServer server = UcxServer.create(resources)
                .handle((in, out) -> out.sendStrings(in.receiveStrings()
                        .flatMapSequential(id -> Mono.fromCallable(() -> load(id))
                                .subscribeOn(Schedulers.boundedElastic()), 8)))
                .bindNow();
        // end
        UcxConnection connection = connect(server);

        assertThat(exchange(connection.inbound(), connection.outbound(), List.of("1", "2")))
                .containsExactly("one", "two");
    }

    private static String load(String id) {
        return Map.of("1", "one", "2", "two").getOrDefault(id, "?");
    }

    private static List<String> exchange(UcxInbound in, UcxOutbound out, List<String> questions) {
        return in.receiveStrings().mergeWith(out.sendStrings(Flux.fromIterable(questions)).then(Mono.empty()))
                .take(questions.size()).collectList().block(TIMEOUT);
    }

    /** A row of the page's table of errors. */
    @Test
    void failingSourceEndsItsSendAndNotTheReceiver() {
        UcxConnection connection = connect(echo());
        Flux<String> failing = Flux.concat(Mono.just("a"), Mono.error(new IllegalStateException("planted")));

        List<String> answers = connection.inbound().receiveStrings()
                .mergeWith(connection.outbound().sendStrings(failing).onErrorComplete()
                        .then(connection.outbound().sendStrings(Mono.just("b"))).then(Mono.empty()))
                .take(2).collectList().block(TIMEOUT);

        assertThat(answers).containsExactly("echo a", "echo b");
    }

    @Test
    void windowsAreSetOnBothSides() {
        // snippet: limits
        UcxServer bounded = UcxServer.create(resources)
                .messageWindow(256, 512 * 1024)      // messages and bytes that a stream may be ahead of its receiver
                .maxMessageBytes(1 << 20)            // a larger message fails at its sender
                .messageSizes(8 * 1024, 4 * 1024);   // rendezvous above 8 KiB, batches of up to 4 KiB
        // end
        UcxBoundServer server = bounded.handle((in, out) -> out.sendStrings(in.receiveStrings())).bindNow();
        UcxConnection connection = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port()).connectNow();
        List<String> questions = IntStream.range(0, 1000).mapToObj(Integer::toString).toList();

        assertThat(exchange(connection.inbound(), connection.outbound(), questions)).isEqualTo(questions);
    }
}
