package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.MessageStreams;
import io.reactorucx.internal.request.RequestErrors;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** Streams beside the default one: either side opens them, each direction ends by itself, and none blocks another. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class MessageStreamTest implements NeedsUcx {

    private static final int MOST = 8;

    @Parameter
    private Route route;
    private Peers peers;
    private final BlockingQueue<MessageStream> opened = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> firsts = new LinkedBlockingQueue<>();
    private final MessageStreams.StreamAcceptor acceptor = (stream, first) -> {
        firsts.add(new String(first, StandardCharsets.UTF_8));
        opened.add(stream);
    };

    @BeforeEach
    void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(route, resources -> resources, server -> server.maxStreams(MOST), client ->
                    client.maxStreams(MOST));
            accept(peers.served());
            accept(peers.client());
        }
    }

    @AfterEach
    void close() {
        if (peers == null) {
            return;
        }
        for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(resources.messageStatistics().getFirst().openStreams()).as("open streams").isZero();
                RequestCounts.assertAllEnded(resources);
                assertThat(resources.messageStatistics().getFirst().bufferedBytes()).as("held bytes").isZero();
                assertThat(resources.messageStatistics().getFirst().violations()).as("violations").isZero();
            });
        }
        peers.close();
    }

    private void accept(UcxConnection connection) {
        protocol(connection).context().execute(() -> protocol(connection).streams().accept(acceptor));
        Waits.engineOf(connection);
    }

    private static MessageProtocol protocol(UcxConnection connection) {
        return connection.messages();
    }

    private static Mono<MessageStream> opening(UcxConnection connection, String first) {
        return Mono.create(sink -> protocol(connection).context().execute(() -> {
            try {
                sink.success(protocol(connection).streams().open(first.getBytes(StandardCharsets.UTF_8)));
            } catch (RuntimeException e) {
                sink.error(e);
            }
        }));
    }

    private static MessageStream open(UcxConnection connection, String first) {
        return Objects.requireNonNull(opening(connection, first).block(Waits.PATIENCE));
    }

    private MessageStream accepted() {
        try {
            return Objects.requireNonNull(opened.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    "nothing was opened");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Mono<Void> send(MessageStream stream, Flux<String> texts) {
        return stream.send(texts, text -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static Flux<String> receive(MessageStream stream) {
        return stream.receive(message -> message.toString(StandardCharsets.UTF_8));
    }

    private void assertNoLeases() {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(peers.clientResources().buffers().leases())
                .isZero());
    }

    private CompletableFuture<UcxBuffer> request() {
        return peers.client().requester().requestResponse(peers.clientResources().buffers().copyOf(new byte[3]))
                .toFuture();
    }

    @Test
    void secondResponseToRequestResponseIsAnError() {
        CompletableFuture<UcxBuffer> answer = request();
        MessageStream theirs = accepted();

        send(theirs, Flux.just("one", "two")).block(Waits.PATIENCE);

        // Without an end of the stream, which a faulty peer may never send.
        assertThat(answer).failsWithin(Waits.PATIENCE).withThrowableThat()
                .withCauseInstanceOf(IndexOutOfBoundsException.class);
        assertNoLeases();
        theirs.complete();
        theirs.cancel();
    }

    /** The peer's CANCEL and UCX's completion of the last large message may arrive in one round, in this order. */
    @Test
    void sendThatHasSentAllDoesNotFailWhenTheReceiverCancelsWithTheLastMessage() {
        String large = "x".repeat(100_000);
        for (int i = 0; i < 1000; i++) {
            MessageStream mine = open(peers.client(), "");
            MessageStream theirs = accepted();
            theirs.complete();
            CompletableFuture<String> received = receive(theirs).next().toFuture();

            send(mine, Flux.just(large)).block(Waits.PATIENCE);

            assertThat(Waits.get(received)).isEqualTo(large);
            mine.complete();
            mine.cancel();
        }
    }

    /**
     * The release of a sent message may give a buffer to a sender that waits for one, which then sends within the turn
     * of the first stream.
     */
    @Test
    void sendFromWithinTheTurnOfAnotherStreamLosesNothing() {
        Peers few = Peers.connect(route, resources -> resources.maxBufferBytes(8 << 20), server -> server, client ->
                client);
        accept(few.served());
        BlockingQueue<Integer> byDefault = new LinkedBlockingQueue<>();
        few.served().inbound().receiveByteArrays().subscribe(message -> byDefault.add(message.length));
        Sinks.Many<byte[]> source = Sinks.many().unicast().onBackpressureBuffer();
        few.client().outbound().sendByteArrays(source.asFlux()).subscribe(ignored -> { }, error -> { });
        MessageStream ours = open(few.client(), "");
        BlockingQueue<Integer> byStream = new LinkedBlockingQueue<>();
        accepted().receive(EncodedMessage::toByteArray).subscribe(message -> byStream.add(message.length));
        // More than one batch has to be in use.
        Flux.range(0, 3000).subscribe(i -> source.tryEmitNext(new byte[4000]));
        await().atMost(Waits.PATIENCE).until(() -> byDefault.size() == 3000);
        byDefault.clear();
        UcxBufferPool pool = few.clientResources().buffers();
        List<UcxBuffer> messages = List.of(pool.acquire(2000), pool.acquire(10), pool.acquire(20));
        List<UcxBuffer> rest = new ArrayList<>();
        assertThatThrownBy(() -> {
            while (true) {
                rest.add(pool.acquire(2000));
            }
        }).isInstanceOf(UcxException.class);
        pool.acquireLater(2000).subscribe(free -> {
            free.release();
            Flux.range(3000, 4).subscribe(size -> source.tryEmitNext(new byte[size]));
        });

        ours.send(Flux.fromIterable(messages)).block(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(byStream).containsExactly(2000, 10, 20);
            assertThat(byDefault).containsExactly(3000, 3001, 3002, 3003);
        });
        rest.forEach(UcxBuffer::release);
        few.close();
    }

    @Test
    void responseThatAnErrorFollowsIsReleased() {
        CompletableFuture<UcxBuffer> answer = request();
        MessageStream theirs = accepted();

        send(theirs, Flux.just("one")).block(Waits.PATIENCE);
        theirs.fail(RequestErrors.code(UcxRequestException.Reason.OVERLOADED), "too much");
        theirs.cancel();

        assertThat(answer).failsWithin(Waits.PATIENCE).withThrowableThat()
                .withCauseInstanceOf(UcxRequestException.class);
        assertNoLeases();
    }

    @Test
    void responseThatIsCancelledBeforeItsEndIsReleased() {
        CompletableFuture<UcxBuffer> answer = request();
        MessageStream theirs = accepted();
        send(theirs, Flux.just("one")).block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().buffers().leases() == 1);

        answer.cancel(false);

        assertNoLeases();
        theirs.complete();
    }

    @Test
    void bothSidesOpenStreamsAndTheFirstPayloadNeedsNoCredit() throws InterruptedException {
        for (UcxConnection end : List.of(peers.client(), peers.served())) {
            MessageStream ours = open(end, "first of all");
            MessageStream theirs = accepted();
            assertThat(firsts.take()).isEqualTo("first of all");
            CompletableFuture<List<String>> there = receive(theirs).collectList().toFuture();
            CompletableFuture<List<String>> here = receive(ours).collectList().toFuture();

            send(ours, Flux.just("a", "b")).block(Waits.PATIENCE);
            ours.complete();
            send(theirs, Flux.just("c")).block(Waits.PATIENCE);
            theirs.complete();

            assertThat(Waits.get(there)).containsExactly("a", "b");
            assertThat(Waits.get(here)).containsExactly("c");
        }
    }

    @Test
    void errorReachesTheReceiverAfterTheMessagesBeforeIt() {
        MessageStream ours = open(peers.client(), "");
        MessageStream theirs = accepted();
        ours.cancel();
        theirs.complete();
        PendingOperation sent = PendingOperation.of(send(ours, Flux.just("a")));
        ours.fail(4711, "no more of it");

        StepVerifier.create(receive(theirs)).expectNext("a").expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(StreamErrorException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(4711);
                    assertThat(failure).hasMessage("no more of it");
                })).verify(Waits.PATIENCE);
        sent.assertDone();
    }

    @Test
    void cancelReachesTheSenderAndItsSource() {
        MessageStream ours = open(peers.client(), "");
        MessageStream theirs = accepted();
        TestPublisher<String> source = TestPublisher.create();
        PendingOperation sent = PendingOperation.of(send(theirs, source.flux()));
        ours.complete();
        theirs.cancel();
        CompletableFuture<List<String>> received = receive(ours).take(2).collectList().toFuture();
        await().atMost(Waits.PATIENCE).untilAsserted(source::assertWasRequested);
        source.next("a", "b");

        assertThat(Waits.get(received)).containsExactly("a", "b");
        assertThat(sent.failure()).isInstanceOf(UcxClosedException.class).hasMessageContaining("cancelled by peer");
        source.assertCancelled();
    }

    @Test
    void streamWithoutCreditDoesNotBlockOthers() {
        MessageStream stalled = open(peers.client(), "");
        MessageStream stalledThere = accepted();
        PendingOperation waiting = PendingOperation.of(send(stalled, Flux.range(0, 1000).map(String::valueOf)));
        List<MessageStream> running = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            running.add(open(peers.client(), ""));
        }
        List<CompletableFuture<Long>> counts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            MessageStream there = accepted();
            there.complete();
            counts.add(receive(there).count().toFuture());
        }
        for (MessageStream stream : running) {
            stream.cancel();
            send(stream, Flux.range(0, 5000).map(String::valueOf)).doOnSuccess(ignored -> stream.complete())
                    .subscribe();
        }

        counts.forEach(count -> assertThat(Waits.get(count)).isEqualTo(5000));
        waiting.assertPending();
        StepVerifier.create(receive(stalledThere).take(1000)).expectNextCount(1000).expectComplete()
                .verify(Waits.PATIENCE);
        waiting.assertDone();
        stalled.complete();
        stalled.cancel();
        stalledThere.complete();
    }

    @Test
    void moreStreamsThanThePeerTakesAreRefused() {
        // Until the peer's SETTINGS have arrived, the default limit applies.
        StepVerifier.create(peers.client().inbound().receiveStrings().take(1)
                .mergeWith(peers.served().outbound().sendStrings(Mono.just("hello")).then(Mono.empty())))
                .expectNext("hello")
                .expectComplete().verify(Waits.PATIENCE);
        StepVerifier.create(peers.served().inbound().receiveStrings().take(1)
                .mergeWith(peers.client().outbound().sendStrings(Mono.just("hello")).then(Mono.empty())))
                .expectNext("hello")
                .expectComplete().verify(Waits.PATIENCE);
        List<MessageStream> streams = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            streams.add(open(peers.client(), ""));
            streams.add(accepted());
        }

        StepVerifier.create(opening(peers.client(), "")).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxException.class, refusal -> {
                    assertThat(refusal.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
                    assertThat(refusal).hasMessageContaining("takes " + MOST + " streams");
                })).verify(Waits.PATIENCE);
        streams.forEach(stream -> {
            stream.complete();
            stream.cancel();
        });
    }

    @Test
    void closedStreamsMakeRoomForOthers() {
        for (int i = 0; i < 200; i++) {
            MessageStream ours = open(peers.client(), "question");
            MessageStream theirs = accepted();
            ours.complete();
            theirs.cancel();
            CompletableFuture<String> answer = receive(ours).single().toFuture();
            send(theirs, Flux.just("answer")).block(Waits.PATIENCE);
            theirs.complete();
            assertThat(Waits.get(answer)).isEqualTo("answer");
        }
    }

    @Test
    void streamsWithoutAnAcceptorAreRefused() {
        protocol(peers.served()).context().execute(() -> protocol(peers.served()).streams().removeAcceptor(acceptor));
        MessageStream ours = open(peers.client(), "");
        ours.complete();

        StepVerifier.create(receive(ours)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(StreamErrorException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(MessageFrameCodec.STREAM_REFUSED)))
                .verify(Waits.PATIENCE);
    }

    @Test
    void streamsThatWereNeverAnnouncedEndWithTheConnection() {
        MessageStream cancelled = open(peers.client(), "");
        accepted();
        MessageProtocol protocol = protocol(peers.client());
        protocol.context().execute(() -> {
            // Frames are sent at the end of the flush scope, when the connection has ended.
            protocol.streams().open(new byte[0]);
            cancelled.complete();
            cancelled.cancel();
            protocol.connection().beginClose(CloseMode.FORCE);
        });

        peers.client().onDispose().block(Waits.PATIENCE);
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void openStreamsEndWithTheConnection() {
        MessageStream ours = open(peers.client(), "");
        MessageStream theirs = accepted();
        CompletableFuture<String> here = receive(ours).next().toFuture();
        CompletableFuture<String> there = receive(theirs).next().toFuture();
        PendingOperation sent = PendingOperation.of(send(theirs, Flux.never()));
        Waits.engineOf(peers.served());

        peers.client().close().block(Waits.PATIENCE);

        assertThat(Waits.failure(here)).isInstanceOf(UcxClosedException.class);
        assertClosedByThePeer(Waits.failure(there));
        assertClosedByThePeer(sent.failure());
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    private static void assertClosedByThePeer(Throwable error) {
        assertThat(error).isInstanceOfSatisfying(UcxException.class, lost ->
                assertThat(lost.isConnectionLost()).isTrue()).hasMessageContaining("the peer has closed");
    }
}
