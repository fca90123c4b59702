package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** A pool whose memory stays leased is logged once, with what waits for it and the remedy. */
@ExtendWith(NoLeaks.class)
class MemoryWatchTest implements NeedsUcx {

    private static final int POOL_BYTES = 4 << 20;

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Queue<UcxBuffer> forgotten = new ConcurrentLinkedQueue<>();
    private Peers peers;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, resources -> resources.maxBufferBytes(POOL_BYTES),
                UnaryOperator.identity(), UnaryOperator.identity());
        LeasePool.of(peers.serverResources().buffers()).buffers().watch()
                .configure(Duration.ofMillis(40), warnings::add);
        peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                forgotten.add(request);
                return Mono.empty();
            }
        }).subscribe(ignored -> { }, error -> { });
        Waits.engineOf(peers.served());
    }

    @AfterEach
    void close() {
        if (peers != null) {
            release();
            peers.close();
        }
    }

    private void release() {
        for (UcxBuffer lease = forgotten.poll(); lease != null; lease = forgotten.poll()) {
            lease.release();
        }
    }

    private PendingOperation ask(int bytes) {
        return PendingOperation.of(peers.client().requester().requestResponse(new byte[bytes]));
    }

    private void fillThePool() {
        for (int i = 0; i < 4; i++) {
            ask(1 << 20).assertDone();
        }
    }

    @Test
    void requestThatWaitsForForgottenLeasesIsLoggedOnce() {
        fillThePool();
        PendingOperation first = ask(1 << 20);
        await().atMost(Waits.PATIENCE).until(() -> !warnings.isEmpty());
        PendingOperation second = ask(1 << 20);
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().buffers().waiters() == 2);

        // The refusal of a small request comes later than the wait, and is the same trouble.
        assertThat(ask(10).failure()).isInstanceOf(UcxRequestException.class);

        assertThat(warnings).singleElement().asString()
                .startsWith("buffer pool: [" + peers.served().peer() + "] a large message on stream ")
                .contains("has waited 40 ms for 1048576 bytes", "0 others", "4 leases of 4194304 bytes",
                        "of the pool's 4194304", "a responder its requests", "maxBufferBytes(..)");
        release();
        first.assertDone();
        second.assertDone();
    }

    @Test
    void refusedRequestIsLoggedOnceUntilThePoolHasRecovered() {
        for (int round = 1; round <= 2; round++) {
            fillThePool();
            for (int i = 0; i < 3; i++) {
                assertThat(ask(10).failure()).isInstanceOfSatisfying(UcxRequestException.class, refused ->
                        assertThat(refused.reason()).isEqualTo(Reason.OVERLOADED));
            }
            assertThat(warnings).hasSize(round);
            release();
        }
        assertThat(warnings.getFirst()).startsWith("buffer pool: [" + peers.served().peer()
                + "] a request of 10 bytes was refused: the application holds 4 leases of 4194304 bytes");
    }
}
