package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Ucx;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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

/**
 * Answers that meet their deadline on the way: no lease is lost to that, on either side, and no hook is needed for it.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class DeadlineTest implements NeedsUcx {

    private static final int REQUESTS = 3000;
    private static final int LANES = 8;
    private static final Duration DEADLINE = Duration.ofMillis(2);

    @Parameter
    private Route route;
    private Peers peers;
    private final SplittableRandom random = new SplittableRandom(20_261_121);
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();

    @BeforeEach
    void connect() {
        if (Ucx.isAvailable()) {
            // Nothing is left to the garbage collector here.
            peers = Peers.connect(route, builder -> builder.leakDetection(LeakDetection.DISABLED),
                    UnaryOperator.identity(),
                    UnaryOperator.identity());
            peers.served().respond(new Tardy()).subscribe();
            Waits.engineOf(peers.served());
            Waits.engineOf(peers.served());
        }
    }

    @AfterEach
    void nothingIsLeft() {
        if (peers == null) {
            return;
        }
        for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(resources.buffers().leases()).as("leases").isZero();
                assertThat(resources.messageStatistics().getFirst().openStreams()).as("open streams").isZero();
                RequestCounts.assertAllEnded(resources);
                assertThat(resources.messageStatistics().getFirst().bufferedBytes()).as("held bytes").isZero();
                assertThat(resources.messageStatistics().getFirst().violations()).as("violations").isZero();
            });
        }
        peers.close();
    }

    /** Answers about when the deadline comes, small and large ones. */
    private final class Tardy implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return later(request).map(asked -> answer(asked));
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            return later(request).flatMapMany(asked -> Flux.range(0, 1000).map(number -> answer(asked)));
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return requests.concatMap(this::requestResponse, 0);
        }

        private Mono<Integer> later(UcxBuffer request) {
            int asked = (int) request.length();
            request.release();
            return asked % 3 == 0 ? Mono.just(asked) : Mono.delay(DEADLINE.dividedBy(asked % 3)).thenReturn(asked);
        }

        private UcxBuffer answer(int asked) {
            return peers.serverResources().buffers().acquire(asked);
        }
    }

    private int size() {
        return random.nextInt(10) == 0 ? 20_000 + random.nextInt(50_000) : random.nextInt(100);
    }

    private UcxBuffer lease() {
        return peers.clientResources().buffers().acquire(size());
    }

    private void hammer(Function<UcxRequester, Flux<UcxBuffer>> request) {
        UcxRequester requester = peers.client().requester().withDeadline(DEADLINE);
        Flux.range(0, REQUESTS).flatMap(number -> request.apply(requester).doOnNext(answer -> {
            answered.incrementAndGet();
            answer.release();
        }).onErrorResume(UcxRequestException.class, error -> {
            assertThat(error.reason()).isEqualTo(Reason.DEADLINE);
            late.incrementAndGet();
            return Mono.empty();
        }), LANES).blockLast(Waits.PATIENCE.multipliedBy(3));
        assertThat(late).as("deadlines that came first").hasPositiveValue();
        assertThat(answered).as("answers that came first").hasPositiveValue();
    }

    @Test
    void answersOfOne() {
        hammer(requester -> requester.requestResponse(lease()).flux());
    }

    @Test
    void answersOfMany() {
        hammer(requester -> requester.requestStream(lease()));
    }

    @Test
    void messagesBothWays() {
        hammer(requester -> requester.requestChannel(Flux.range(0, 5).map(number -> lease())));
    }
}
