package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Ucx;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** What comes late for a request that has ended, from its subscriber or its peer, does not touch those that follow. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class RequestSuccessorsTest implements NeedsUcx {

    private static final int MANY = 2000;
    private static final int AT_ONCE = 4;

    @Parameter
    private Route route;
    private Peers peers;
    private final Map<String, Sinks.One<String>> held = new ConcurrentHashMap<>();
    private final AtomicInteger cancelled = new AtomicInteger();

    @BeforeEach
    void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(route, resources -> resources, server -> server.maxStreams(AT_ONCE),
                    client -> client.maxStreams(AT_ONCE));
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
                assertThat(resources.messageStatistics().getFirst().sendCredit()).as("credit").isZero();
                assertThat(resources.messageStatistics().getFirst().violations()).as("violations").isZero();
            });
        }
        peers.close();
    }

    private UcxRequester served(UcxResponder responder) {
        peers.served().respond(responder).subscribe(ignored -> { }, error -> { });
        Waits.engineOf(peers.served());
        return peers.client().requester();
    }

    /** Responds with the request at once, or when the test says so to those that begin with "hold". */
    private UcxRequester served() {
        return served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                String asked = request.toString(StandardCharsets.UTF_8);
                if (!asked.startsWith("hold")) {
                    return Mono.just(request);
                }
                request.release();
                return held.computeIfAbsent(asked, name -> Sinks.one()).asMono().map(text -> lease(bytes(text)))
                        .doOnCancel(cancelled::incrementAndGet);
            }
        });
    }

    private UcxBuffer lease(byte[] bytes) {
        return peers.serverResources().buffers().copyOf(bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void answer(String asked) {
        held.get(asked).tryEmitValue("answer to " + asked);
    }

    /** A subscriber that shows its subscription, also when it has ended. */
    private static class Kept extends BaseSubscriber<byte[]> {

        private final CompletableFuture<byte[]> response = new CompletableFuture<>();
        private final CompletableFuture<Subscription> ended = new CompletableFuture<>();
        private Subscription subscription;

        @Override
        protected void hookOnSubscribe(Subscription upstream) {
            subscription = upstream;
            upstream.request(1);
        }

        @Override
        protected void hookOnNext(byte[] value) {
            response.complete(value);
        }

        @Override
        protected void hookFinally(SignalType type) {
            ended.complete(subscription);
        }
    }

    @Test
    void lateCallsOfAnEndedRequestDoNotReachItsSuccessors() {
        UcxRequester requester = served();
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            Kept first = new Kept();
            requester.requestResponse(bytes("first")).subscribe(first);
            Subscription ended = Waits.get(first.ended);
            String asked = "hold " + i;
            CompletableFuture<byte[]> second = requester.requestResponse(bytes(asked)).toFuture();

            ended.cancel();
            ended.request(1);
            ended.request(-1);
            ended.cancel();
            // What those calls have sent, if anything, has arrived when this has been answered.
            assertThat(requester.requestResponse(bytes("barrier")).block(Waits.PATIENCE)).isEqualTo(bytes("barrier"));

            assertThat(second).as("the request behind a late cancel").isNotDone();
            answer(asked);
            assertThat(Waits.get(second)).isEqualTo(bytes("answer to " + asked));
        }
        assertThat(cancelled).as("responders that were cancelled").hasValue(0);
    }

    @Test
    void lateResponseOfACancelledRequestDoesNotReachItsSuccessors() {
        UcxRequester requester = served();
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            Kept first = new Kept();
            requester.requestResponse(bytes("hold first " + i)).subscribe(first);
            String asked = "hold first " + i;
            await().atMost(Waits.PATIENCE).until(() -> held.containsKey(asked));
            // The response and the cancel cross, each time a little differently.
            first.cancel();
            CompletableFuture<byte[]> second = requester.requestResponse(bytes("hold second " + i)).toFuture();
            answer(asked);
            String next = "hold second " + i;
            await().atMost(Waits.PATIENCE).until(() -> held.containsKey(next));
            answer(next);

            assertThat(Waits.get(second)).isEqualTo(bytes("answer to " + next));
            assertThat(first.response).as("the response of a cancelled request").isNotDone();
        }
    }

    @Test
    void cancelsAmidManyRequestsLeaveTheOthersTheirOwnResponses() {
        UcxRequester requester = served(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                if (request.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0) % 3 == 0) {
                    return Mono.just(request);
                }
                byte[] asked = request.toByteArray();
                request.release();
                return Mono.delay(Duration.ZERO).map(tick -> lease(asked));
            }
        });
        // The client knows then how many requests the server takes at once.
        requester.requestResponse(new byte[16]).block(Waits.PATIENCE);
        AtomicInteger wrong = new AtomicInteger();

        Long right = Flux.range(0, MANY).flatMap(number -> {
            byte[] request = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putInt(number).putInt(12, ~number)
                    .array();
            Mono<byte[]> response = requester.requestResponse(request);
            if (number % 2 == 0) {
                return response.doOnNext(got -> wrong.addAndGet(Arrays.equals(got, request) ? 0 : 1))
                        .takeUntilOther(Mono.delay(Duration.ofNanos(number * 100L))).then(Mono.<Integer>empty());
            }
            return response.map(got -> Arrays.equals(got, request) ? 1 : 0);
        }, 2 * AT_ONCE).filter(equal -> equal == 1).count().block(Waits.PATIENCE);

        assertThat(right).isEqualTo(MANY / 2);
        assertThat(wrong).as("cancelled requests that got another's response").hasValue(0);
    }

    @Test
    void responseWaitsForItsDemand() {
        UcxRequester requester = served();

        StepVerifier.create(requester.requestResponse(bytes("later")), 0).expectSubscription()
                .then(() -> assertThat(requester.requestResponse(bytes("barrier")).block(Waits.PATIENCE))
                .isEqualTo(bytes("barrier"))).thenRequest(1)
                .assertNext(response -> assertThat(response).isEqualTo(bytes("later"))).expectComplete()
                .verify(Waits.PATIENCE);
    }

    @Test
    void badRequestFailsARequestThatIsOpen() {
        UcxRequester requester = served();
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        Kept first = new Kept() {
            @Override
            protected void hookOnError(Throwable error) {
                failed.complete(error);
            }
        };
        requester.requestResponse(bytes("hold")).subscribe(first);
        await().atMost(Waits.PATIENCE).until(() -> held.containsKey("hold"));

        first.subscription.request(0);

        assertThat(Waits.get(failed)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3.9");
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(cancelled).hasValue(1));
    }
}
