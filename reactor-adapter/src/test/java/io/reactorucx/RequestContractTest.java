package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;
import reactor.util.retry.Retry;

/**
 * Requests with one, many or no response, and channels: how they end, and what a cancel or a deadline does on the other
 * side.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "ENCRYPTED_BY_TCP"})
class RequestContractTest implements NeedsUcx {

    private static final int MOST = 4;
    private static final Duration SHORT = TestTime.millis(200);

    @Parameter
    private Route route;
    private Peers peers;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final TestPublisher<UcxBuffer> answers = TestPublisher.create();

    @BeforeEach
    void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(route, resources -> resources, server -> server.maxStreams(MOST), client ->
                    client.maxStreams(MOST));
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

    private UcxRequester served(UcxResponder responder) {
        peers.served().respond(responder).subscribe(ignored -> { }, error -> said.add(error.toString()));
        Waits.engineOf(peers.served());
        return peers.client().requester();
    }

    private UcxBuffer lease(byte[] bytes) {
        return peers.clientResources().buffers().copyOf(bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(UcxBuffer buffer) {
        String text = buffer.toString(StandardCharsets.UTF_8);
        buffer.release();
        return text;
    }

    private UcxBuffer answer(String text) {
        return peers.serverResources().buffers().copyOf(bytes(text));
    }

    private String next() throws InterruptedException {
        return said.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static byte[] pattern(int size) {
        return Bytes.array(Bytes.pattern(size, size));
    }

    @Test
    void responseOfEachSizeBelongsToItsRequest() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        });

        for (int size : new int[] {0, 1, 8, 4096, 16_378, 16_379, 16 << 10, 100_000, 3 << 20}) {
            byte[] request = pattern(size);
            assertThat(requester.requestResponse(request).block(Waits.PATIENCE)).as("%d bytes", size)
                    .isEqualTo(request);
            UcxBuffer back = requester.requestResponse(lease(request)).block(Waits.PATIENCE);
            assertThat(back.toByteArray()).as("%d bytes as a lease", size).isEqualTo(request);
            back.release();
        }
    }

    @Test
    void concurrentRequestsDoNotWaitForEachOther() {
        Sinks.One<UcxBuffer> slow = Sinks.one();
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                String asked = text(request);
                return "slow".equals(asked) ? slow.asMono() : Mono.just(answer(asked + "!"));
            }
        });
        CompletableFuture<byte[]> waiting = requester.requestResponse(bytes("slow")).toFuture();

        for (int i = 0; i < 100; i++) {
            assertThat(requester.requestResponse(bytes("" + i)).block(Waits.PATIENCE)).isEqualTo(bytes(i + "!"));
        }
        assertThat(waiting).isNotDone();
        slow.tryEmitValue(answer("late"));
        assertThat(Waits.get(waiting)).isEqualTo(bytes("late"));
    }

    @Test
    void missingResponseIsAnEmptyMono() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return Mono.empty();
            }
        });

        StepVerifier.create(requester.requestResponse(bytes("?"))).verifyComplete();
    }

    @Test
    void fireAndForgetArrivesAndOutlivesItsSendersSubscription() throws InterruptedException {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<Void> fireAndForget(UcxBuffer request) {
                int length = (int) request.length();
                request.release();
                return Mono.delay(Duration.ofMillis(20)).doOnNext(tick -> said.add("done " + length)).then();
            }
        });

        requester.fireAndForget(new byte[3]).block(Waits.PATIENCE);
        assertThat(next()).isEqualTo("done 3");
        requester.fireAndForget(lease(new byte[1 << 20])).block(Waits.PATIENCE);
        assertThat(next()).isEqualTo("done " + (1 << 20));
    }

    @Test
    void fireAndForgetsInProgressAreLimitedByMaxStreams() {
        AtomicLong begun = new AtomicLong();
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<Void> fireAndForget(UcxBuffer request) {
                request.release();
                begun.incrementAndGet();
                return answers.mono().then();
            }
        });

        for (int i = 0; i < 2 * MOST; i++) {
            requester.fireAndForget(bytes("" + i)).retryWhen(Retry.fixedDelay(500, Duration.ofMillis(10)))
                    .block(Waits.PATIENCE);
        }

        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().messageStatistics().getFirst()
                .droppedRequests() == MOST);
        assertThat(begun).hasValue(MOST);
        answers.complete();
    }

    @Test
    void largeRequestThatEndsBeforeItsFirstCreditIsReleased() {
        UcxBuffer stream = lease(pattern(50_000));
        assertRefused(peers.client().requester().requestStream(stream), Reason.REFUSED);
        UcxBuffer forgotten = lease(pattern(50_000));
        PendingOperation.of(peers.client().requester().fireAndForget(forgotten)).awaitEnd();

        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(List.of(stream.isDisposed(), forgotten.isDisposed()))
                .containsExactly(true, true));
    }

    @Test
    void responsesComeAtTheRequestersPace() {
        AtomicLong asked = new AtomicLong();
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                int count = Integer.parseInt(text(request));
                return Flux.range(0, count).map(number -> answer("" + number)).doOnRequest(asked::addAndGet);
            }
        });

        StepVerifier.create(requester.requestStream(bytes("10")).map(RequestContractTest::number), 3)
                .expectNext(0, 1, 2).then(() -> assertThat(asked).hasValueLessThanOrEqualTo(3))
                .thenRequest(7).expectNext(3, 4, 5, 6, 7, 8, 9).verifyComplete();
    }

    private static int number(byte[] bytes) {
        return Integer.parseInt(new String(bytes, StandardCharsets.UTF_8));
    }

    @Test
    void channelGoesBothWaysAndEndsWithTheResponses() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
                return requests.map(request -> answer(text(request) + "!")).take(3);
            }
        });
        Sinks.Many<UcxBuffer> requests = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Void> left = new CompletableFuture<>();

        StepVerifier.create(requester.requestChannel(requests.asFlux().doOnCancel(() -> left.complete(null)))
                .map(RequestContractTest::text))
                .then(() -> requests.tryEmitNext(lease(bytes("a")))).expectNext("a!")
                .then(() -> requests.tryEmitNext(lease(bytes("b")))).expectNext("b!")
                .then(() -> requests.tryEmitNext(lease(bytes("c")))).expectNext("c!")
                .expectComplete().verify(Waits.PATIENCE);
        Waits.get(left);
    }

    @Test
    void failedRequestsOfAChannelEndBothSides() throws InterruptedException {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
                return requests.doOnNext(UcxBuffer::release).doFinally(signal -> said.add("ended"))
                        .thenMany(Flux.empty());
            }
        });

        StepVerifier.create(requester.requestChannel(Flux.error(new IllegalStateException("no more"))))
                .expectErrorMessage("no more").verify(Waits.PATIENCE);
        assertThat(next()).isEqualTo("ended");
    }

    @Test
    void cancelReachesTheResponder() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return answers.mono();
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                request.release();
                return answers.flux();
            }
        });
        PendingOperation response = PendingOperation.of(requester.requestResponse(bytes("?")));
        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertSubscribers);

        response.cancel();

        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertNoSubscribers);
        PendingOperation stream = PendingOperation.of(requester.requestStream(bytes("?")).doOnNext(bytes -> { })
                .then());
        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertSubscribers);
        stream.cancel();
        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertNoSubscribers);
    }

    @Test
    void deadlineEndsBothSides() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return answers.mono();
            }
        });

        assertThatThrownBy(() -> requester.withDeadline(SHORT).requestResponse(bytes("?")).block(Waits.PATIENCE))
                .isInstanceOfSatisfying(UcxRequestException.class, error -> assertThat(error.reason())
                .isEqualTo(Reason.DEADLINE));
        answers.assertWasSubscribed();
        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertNoSubscribers);
    }

    @Test
    void errorsCarryTheReason() {
        UcxRequester nobody = peers.client().requester();
        assertRefused(nobody.requestResponse(bytes("?")), Reason.REFUSED);
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                throw new IllegalStateException("out of coffee");
            }
        });
        assertRefused(requester.requestResponse(bytes("?")), Reason.APPLICATION);
        StepVerifier.create(requester.requestResponse(bytes("?"))).expectErrorMessage("the peer's application failed")
                .verify(Waits.PATIENCE);
        assertRefused(requester.requestStream(bytes("?")), Reason.UNSUPPORTED);
        assertRefused(requester.requestChannel(Flux.never()), Reason.UNSUPPORTED);
        StepVerifier.create(peers.served().respond(new UcxResponder() { })).expectError(IllegalStateException.class)
                .verify(Waits.PATIENCE);
    }

    private static void assertRefused(org.reactivestreams.Publisher<?> answer, Reason reason) {
        StepVerifier.create(answer).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxRequestException.class,
                    refused -> assertThat(refused.reason()).isEqualTo(reason))).verify(Waits.PATIENCE);
    }

    @Test
    void requestsInProgressEndWithTheConnection() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return answers.mono();
            }
        });
        PendingOperation waiting = PendingOperation.of(requester.requestResponse(bytes("?")));
        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertSubscribers);

        peers.client().disposeNow();

        assertThat(waiting.failure()).isInstanceOf(UcxException.class);
        await().atMost(Waits.PATIENCE).untilAsserted(answers::assertNoSubscribers);
        UcxBuffer lease = lease(bytes("?"));
        StepVerifier.create(requester.requestResponse(lease)).expectError(UcxClosedException.class)
                .verify(Waits.PATIENCE);
        assertThat(lease.isDisposed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"FLUSH, false", "FLUSH, true", "FORCE, false", "FORCE, true"})
    void responsesThatTheConnectionsEndInterruptsDoNotComplete(CloseMode mode, boolean byTheServer)
            throws InterruptedException {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                return Flux.just(answer(text(request))).concatWith(Flux.never());
            }
        });
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        CompletableFuture<Void> end = requester.requestStream(bytes("one")).doOnNext(answer -> got.add("one")).then()
                .toFuture();
        assertThat(got.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("one");

        (byTheServer ? peers.served() : peers.client()).close(mode).block(Waits.PATIENCE);

        assertThat(end).failsWithin(Waits.PATIENCE);
    }

    @Test
    void requestThatIsCancelledWhileItIsOpenedLeavesNothing() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        });

        for (int i = 0; i < 300; i++) {
            PendingOperation.of(requester.requestResponse(lease(pattern(i % 3 == 0 ? 50_000 : 10)))
                    .doOnNext(UcxBuffer::release)
                    .doOnDiscard(UcxBuffer.class, UcxBuffer::dispose)).cancel();
        }
        assertThat(requester.requestResponse(bytes("still")).retryWhen(Retry.fixedDelay(500, Duration.ofMillis(10)))
                .block(Waits.PATIENCE)).isEqualTo(bytes("still"));
    }
}
