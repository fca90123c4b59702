package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.testsupport.NoLeaks;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Two peers that send each other more than both pools hold: neither's copies may take the memory to fetch into. Not
 * over self, where both have the same pool.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class LargeBothWaysTest implements NeedsUcx {

    private static final long POOL = 16L << 20;
    private static final int MESSAGES = 60;
    private static final byte[] MESSAGE = Bytes.array(Bytes.pattern(1, 1_000_000));

    private static Mono<Long> received(UcxConnection connection) {
        return connection.inbound().receive()
                .doOnNext(message -> assertThat(message.length()).isEqualTo(MESSAGE.length))
                .doOnNext(UcxBuffer::release).take(MESSAGES).count();
    }

    private static Mono<Void> sent(UcxConnection connection) {
        return connection.outbound().sendByteArrays(Flux.range(0, MESSAGES).map(i -> MESSAGE));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SELF")
    void neitherWaitsForTheOther(Route route) throws Exception {
        try (Peers peers = Peers.connect(route, builder -> builder.maxBufferBytes(POOL), UnaryOperator.identity(),
                UnaryOperator.identity())) {
            UcxConnection one = peers.client();
            UcxConnection other = peers.served();

            var atOne = received(one).toFuture();
            var atOther = received(other).toFuture();
            Mono<Void> all = Mono.when(sent(one), sent(other));

            all.block(Waits.PATIENCE);
            assertThat(atOne.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(MESSAGES);
            assertThat(atOther.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(MESSAGES);
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(peers.clientResources().buffers().leases()).isZero();
                assertThat(peers.serverResources().buffers().leases()).isZero();
            });
        }
    }
}
