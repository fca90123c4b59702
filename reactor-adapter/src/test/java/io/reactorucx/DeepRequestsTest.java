package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** Requests that end at once, each of which is begun while the end of the one before is signalled. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class DeepRequestsTest implements NeedsUcx {

    private static final int REQUESTS = 5_000;

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    private void next(Supplier<Mono<?>> request) {
        if (begun.incrementAndGet() <= REQUESTS) {
            request.get().subscribe(response -> { }, error -> {
                failed.incrementAndGet();
                ended.incrementAndGet();
                next(request);
            }, () -> {
                ended.incrementAndGet();
                next(request);
            });
        }
    }

    @Test
    void requestsWithoutResponse() {
        try (Peers peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS)) {
            peers.served().respond(new UcxResponder() {
                @Override
                public Mono<Void> fireAndForget(UcxBuffer request) {
                    request.release();
                    return Mono.empty();
                }
            }).subscribe();
            UcxRequester requester = peers.client().requester();
            onEngine(peers, () -> next(() -> requester.fireAndForget(new byte[1])));

            await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(ended).hasValue(REQUESTS));
            assertThat(failed).hasValue(0);
            peers.assertWorks();
        }
    }

    @Test
    void requestsThatAreRefusedAtOnce() {
        try (Peers peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS)) {
            UcxRequester requester = peers.client().requester();
            byte[] large = new byte[Math.toIntExact(peers.serverResources().buffers().maxBytes()) + 1];
            onEngine(peers, () -> next(() -> requester.requestResponse(large)));

            await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(failed).hasValue(REQUESTS));
            peers.assertWorks();
        }
    }

    private static void onEngine(Peers peers, Runnable action) {
        peers.client().flush().subscribe(nothing -> { }, error -> { }, action);
    }
}
