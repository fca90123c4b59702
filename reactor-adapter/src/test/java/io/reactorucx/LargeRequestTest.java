package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.RequestStatistics;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Requests that follow the opening of their stream, while the responder has no memory to fetch them into. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class LargeRequestTest implements NeedsUcx {

    private static final long POOL = 4L << 20;
    private static final int LARGE = 1 << 20;

    @Parameter
    private Route route;
    private Peers peers;
    private final AtomicInteger called = new AtomicInteger();
    private final List<UcxBuffer> held = new ArrayList<>();

    @BeforeEach
    void connect() {
        peers = Peers.connect(route, resources -> resources.maxBufferBytes(POOL), UnaryOperator.identity(),
                UnaryOperator.identity());
        peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                called.incrementAndGet();
                return Mono.just(request);
            }
        }).subscribe();
        Waits.engineOf(peers.served());
    }

    @AfterEach
    void close() {
        if (peers != null) {
            held.forEach(UcxBuffer::release);
            Waits.soon().untilAsserted(() -> {
                RequestCounts.assertAllEnded(peers.clientResources());
                RequestCounts.assertAllEnded(peers.serverResources());
                assertThat(peers.clientResources().buffers().leases()).isZero();
                assertThat(peers.serverResources().buffers().leases()).isZero();
            });
            peers.close();
        }
    }

    /** The first request on a connection waits for credit, later ones do not. */
    private void answerOne(int first) {
        byte[] request = new byte[first];
        assertThat(peers.client().requester().requestResponse(request).block(Waits.PATIENCE)).isEqualTo(request);
        called.set(0);
    }

    private void holdTheMemoryOfTheServer() {
        while (held.size() * (long) LARGE < POOL) {
            held.add(peers.serverResources().buffers().acquire(LARGE));
        }
    }

    private long ended(UcxResources resources, Side side, Outcome outcome) {
        return resources.statistics().requests(side).stream().map(RequestStatistics::ended)
                .mapToLong(each -> each.getOrDefault(outcome, 0L)).sum();
    }

    private long begunAtTheServer() {
        return peers.serverResources().statistics().requests(Side.SERVER).stream().mapToLong(RequestStatistics::begun)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(ints = {8, LARGE})
    void cancelledRequestIsNoneForTheResponder(int first) {
        answerOne(first);
        holdTheMemoryOfTheServer();
        long begun = begunAtTheServer();
        Disposable request = peers.client().requester().requestResponse(peers.clientResources().buffers()
                .acquire(LARGE)).subscribe(UcxBuffer::release);
        Waits.soon().untilAsserted(() -> assertThat(begunAtTheServer()).isEqualTo(begun + 1));

        request.dispose();

        Waits.soon().untilAsserted(() -> {
            assertThat(ended(peers.clientResources(), Side.CLIENT, Outcome.CANCELLED)).isOne();
            assertThat(ended(peers.serverResources(), Side.SERVER, Outcome.CANCELLED)).isOne();
        });
        assertThat(called).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, LARGE})
    void requestIsAnsweredOnceThereIsMemory(int first) {
        answerOne(first);
        holdTheMemoryOfTheServer();
        byte[] large = Bytes.array(Bytes.pattern(1, LARGE));
        long begun = begunAtTheServer();
        var response = peers.client().requester().requestResponse(large).toFuture();
        Waits.soon().untilAsserted(() -> assertThat(begunAtTheServer()).isEqualTo(begun + 1));
        assertThat(response).isNotDone();

        held.removeFirst().release();

        assertThat(Mono.fromFuture(response).block(Waits.PATIENCE)).isEqualTo(large);
        assertThat(called).hasValue(1);
    }
}
