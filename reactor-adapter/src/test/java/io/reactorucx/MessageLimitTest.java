package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A message that is larger than the peer takes fails, although no receiver of the peer asks for it. */
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_WORKER_ADDRESS"})
class MessageLimitTest implements NeedsUcx {

    private static final int LIMIT = 100_000;

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private void connect() {
        peers = Peers.connect(route, UnaryOperator.identity(), server -> server.maxMessageBytes(LIMIT),
                UnaryOperator.identity());
    }

    private static void assertRefused(Mono<?> send, int limit) {
        assertThat(PendingOperation.of(send).failure()).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("message of " + (limit + 1) + " bytes: the peer takes at most " + limit);
    }

    private UcxBuffer lease() {
        return peers.clientResources().buffers().acquire(LIMIT + 1);
    }

    @Test
    void onlyMessageOfSendFailsAtOnce() {
        connect();
        assertRefused(peers.client().outbound().sendByteArrays(Mono.just(new byte[LIMIT + 1])), LIMIT);
        assertRefused(peers.client().outbound().sendByteArrays(Flux.just(new byte[LIMIT + 1])), LIMIT);
        assertRefused(peers.client().outbound().sendStrings(Mono.just("x".repeat(LIMIT + 1))), LIMIT);
        assertRefused(peers.client().outbound().send(Mono.just(lease())), LIMIT);

        assertThat(peers.clientResources().buffers().leases()).isZero();
        peers.assertWorks();
    }

    @Test
    void requestFailsAtOnce() {
        connect();
        assertRefused(peers.client().requester().requestResponse(new byte[LIMIT + 1]), LIMIT);
        assertRefused(peers.client().requester().requestResponse(lease()), LIMIT);
        assertRefused(peers.client().requester().fireAndForget(lease()), LIMIT);

        assertThat(peers.clientResources().buffers().leases()).isZero();
        peers.assertWorks();
    }

    @Test
    void requestThatWouldTravelWithItsHeadFailsAtOnce() {
        int few = 1000;
        peers = Peers.connect(route, UnaryOperator.identity(), server -> server.maxMessageBytes(few),
                UnaryOperator.identity());

        assertRefused(peers.client().requester().requestResponse(new byte[few + 1]), few);
        UcxBuffer lease = peers.clientResources().buffers().acquire(few + 1);
        assertRefused(peers.client().requester().requestResponse(lease), few);
        assertRefused(peers.client().requester().withDeadline(Duration.ofMinutes(1))
                .requestResponse(new byte[few + 1]), few);
        assertRefused(peers.client().requester().fireAndForget(new byte[few + 1]), few);

        assertThat(peers.clientResources().buffers().leases()).isZero();
        peers.assertWorks();
    }

    @Test
    void largestLeaseOfThePeersPoolIsLimit() {
        int pool = 4 << 20;
        peers = Peers.connect(route, resources -> resources.maxBufferBytes(pool), UnaryOperator.identity(),
                UnaryOperator.identity());

        assertRefused(peers.client().outbound().sendByteArrays(Mono.just(new byte[pool + 1])), pool);
    }

    @Test
    void requestsWorkWhereEachMessageStaysWithItsSender() {
        for (int size : new int[] {0, 5}) {
            peers = Peers.connect(route, UnaryOperator.identity(), server -> server.messageSizes(size, 256),
                    client -> client.messageSizes(size, 256));
            peers.served().respond(new UcxResponder() {
                @Override
                public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                    return Mono.just(request);
                }
            }).subscribe();
            Waits.engineOf(peers.served());

            assertThat(peers.client().requester().requestResponse(new byte[] {1, 2, 3}).block(Waits.PATIENCE))
                    .containsExactly(1, 2, 3);
            assertThat(peers.client().requester().requestResponse(new byte[0]).block(Waits.PATIENCE)).isEmpty();
            peers.close();
        }
    }
}
