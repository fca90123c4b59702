package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
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
import reactor.test.publisher.TestPublisher;

/** Requests beyond those that the peer takes at once wait, in order, up to a limit. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class WaitingRequestsTest implements NeedsUcx {

    private static final int MOST = 4;
    private static final int WAITING = 3;

    @Parameter
    private Route route;
    private Peers peers;
    private UcxRequester requester;
    /** The requests that the responder has got, of either kind. */
    private final List<String> got = new CopyOnWriteArrayList<>();
    /** Ends all of them. */
    private final TestPublisher<String> answer = TestPublisher.create();

    @BeforeEach
    void connect() {
        peers = Peers.connect(route, resources -> resources, server -> server.maxStreams(MOST),
                client -> client.maxWaitingRequests(WAITING));
        peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                String text = taken(request);
                return "first".equals(text) ? Mono.empty() : answer.mono().then(Mono.fromSupplier(() -> lease(text)));
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                return requestResponse(request).flux();
            }

            @Override
            public Mono<Void> fireAndForget(UcxBuffer request) {
                taken(request);
                return Mono.empty();
            }
        }).subscribe();
        Waits.engineOf(peers.served());
        requester = peers.client().requester();
        // The peer's limit arrives with the first response.
        requester.requestResponse(bytes("first")).block(Waits.PATIENCE);
        got.clear();
    }

    @AfterEach
    void close() {
        for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(resources.messageStatistics().getFirst().openStreams()).as("open streams").isZero();
                RequestCounts.assertAllEnded(resources);
                assertThat(resources.messageStatistics().getFirst().waitingRequests()).as("waiting").isZero();
                assertThat(resources.buffers().leases()).as("leases").isZero();
            });
        }
        peers.close();
    }

    private String taken(UcxBuffer request) {
        String text = request.toString(StandardCharsets.UTF_8);
        request.release();
        got.add(text);
        return text;
    }

    private UcxBuffer lease(String text) {
        return peers.serverResources().buffers().copyOf(bytes(text));
    }

    private UcxBuffer ownLease(String text) {
        return peers.clientResources().buffers().copyOf(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private long waiting() {
        return peers.clientResources().messageStatistics().getFirst().waitingRequests();
    }

    /** Sends as many requests as the peer takes at once. */
    private List<PendingOperation> fill() {
        List<PendingOperation> sent = new ArrayList<>(IntStream.range(0, MOST)
                .mapToObj(number -> PendingOperation.of(requester.requestResponse(bytes("early " + number)))).toList());
        await().atMost(Waits.PATIENCE).until(() -> got.size() == MOST);
        return sent;
    }

    private void awaitWaiting(int count) {
        await().atMost(Waits.PATIENCE).until(() -> waiting() == count);
    }

    @Test
    void areSentInOrderWhenOthersHaveEnded() {
        List<PendingOperation> sent = fill();
        sent.add(PendingOperation.of(requester.requestResponse(bytes("late 0"))));
        sent.add(PendingOperation.of(requester.fireAndForget(ownLease("late 1"))));
        sent.add(PendingOperation.of(requester.requestStream(bytes("late 2")).then()));
        awaitWaiting(WAITING);
        assertThat(got).hasSize(MOST);

        answer.complete();

        sent.forEach(PendingOperation::assertDone);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(got.subList(MOST, got.size()))
                .containsExactly("late 0", "late 1", "late 2"));
    }

    @Test
    void areRefusedBeyondTheLimitOfThoseThatWait() {
        List<PendingOperation> sent = fill();
        for (int i = 0; i < WAITING; i++) {
            sent.add(PendingOperation.of(requester.requestResponse(bytes("late"))));
        }
        awaitWaiting(WAITING);
        UcxBuffer lease = ownLease("one more");

        for (Mono<?> refused : List.of(requester.requestResponse(lease), requester.requestStream(bytes("more")).then(),
                requester.fireAndForget(bytes("more")))) {
            assertThat(PendingOperation.of(refused).failure()).isInstanceOfSatisfying(UcxException.class, error ->
                    assertThat(error.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT))
                    .hasMessageContaining("the peer takes 4 streams at once")
                    .hasMessageContaining("maxWaitingRequests is 3");
        }

        assertThat(lease.isDisposed()).isTrue();
        answer.complete();
        sent.forEach(PendingOperation::assertDone);
    }

    @Test
    void areForgottenWhenTheyAreCancelled() {
        List<PendingOperation> sent = fill();
        UcxBuffer one = ownLease("cancelled");
        UcxBuffer other = ownLease("cancelled");
        PendingOperation response = PendingOperation.of(requester.requestResponse(one));
        PendingOperation stream = PendingOperation.of(requester.requestStream(other).then());
        PendingOperation last = PendingOperation.of(requester.requestResponse(bytes("last")));
        awaitWaiting(WAITING);

        response.cancel();
        stream.cancel();

        awaitWaiting(1);
        await().atMost(Waits.PATIENCE).until(() -> one.isDisposed() && other.isDisposed());
        answer.complete();
        last.assertDone();
        sent.forEach(PendingOperation::assertDone);
        assertThat(got).hasSize(MOST + 1).doesNotContain("cancelled");
    }

    @Test
    void endAtTheirDeadline() {
        List<PendingOperation> sent = fill();
        UcxBuffer lease = ownLease("too late");

        Throwable error = PendingOperation.of(requester.withDeadline(Duration.ofMillis(50)).requestResponse(lease))
                .failure();

        assertThat(error).isInstanceOfSatisfying(UcxRequestException.class, late ->
                assertThat(late.reason()).isEqualTo(UcxRequestException.Reason.DEADLINE));
        await().atMost(Waits.PATIENCE).until(lease::isDisposed);
        awaitWaiting(0);
        answer.complete();
        sent.forEach(PendingOperation::assertDone);
        assertThat(got).doesNotContain("too late");
    }

    @Test
    void failWhenThisSideCloses() {
        fill();
        UcxBuffer lease = ownLease("late");
        PendingOperation response = PendingOperation.of(requester.requestResponse(lease));
        PendingOperation stream = PendingOperation.of(requester.requestStream(bytes("late")).then());
        awaitWaiting(2);

        peers.client().disposeNow();

        assertThat(response.failure()).isInstanceOf(UcxClosedException.class);
        assertThat(stream.failure()).isInstanceOf(UcxClosedException.class);
        assertThat(lease.isDisposed()).isTrue();
    }

    @Test
    void failWithTheLossOfTheConnectionWhenThePeerCloses() {
        fill();
        UcxBuffer lease = ownLease("late");
        PendingOperation response = PendingOperation.of(requester.requestResponse(lease));
        PendingOperation stream = PendingOperation.of(requester.requestStream(bytes("late")).then());
        awaitWaiting(2);

        peers.served().dispose();

        for (PendingOperation waiting : List.of(response, stream)) {
            assertThat(waiting.failure()).isInstanceOfSatisfying(UcxException.class, lost ->
                    assertThat(lost.isConnectionLost()).isTrue());
        }
        assertThat(lease.isDisposed()).isTrue();
    }
}
