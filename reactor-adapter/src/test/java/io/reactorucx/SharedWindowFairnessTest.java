package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.CloseMode;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** More connections between two workers than the queue of UCX's shared memory has entries. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "POSIX_BY_WORKER_ADDRESS"})
class SharedWindowFairnessTest implements NeedsUcx {

    private static final int CONNECTIONS = 150;
    private static final int MESSAGES = 2000;

    @Parameter
    private Route route;

    private static byte[] message(int number) {
        return ByteBuffer.allocate(Long.BYTES).putInt(number).array();
    }

    @Test
    void connectionsThatSendAtOnceEachDeliverAllMessagesInOrder() {
        try (Peers peers = Peers.connect(route, UnaryOperator.identity(), server -> server.messageWindow(64, 1 << 20),
                client -> client.messageWindow(64, 1 << 20))) {
            AtomicInteger complete = new AtomicInteger();
            List<UcxConnection> connections = new ArrayList<>();
            List<Disposable> receivers = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.add(peers.connect());
                AtomicInteger next = new AtomicInteger();
                receivers.add(peers.nextServed().inbound().receiveByteArrays().subscribe(bytes -> {
                    assertThat(ByteBuffer.wrap(bytes).getInt()).isEqualTo(next.getAndIncrement());
                    if (next.get() == MESSAGES) {
                        complete.incrementAndGet();
                    }
                }));
            }
            Flux.fromIterable(connections)
                    .flatMap(connection -> connection.outbound().sendByteArrays(Flux.range(0, MESSAGES)
                    .map(SharedWindowFairnessTest::message)),
                            CONNECTIONS)
                    .blockLast(Waits.PATIENCE);
            await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(complete).hasValue(CONNECTIONS));
            receivers.forEach(Disposable::dispose);
            Flux.fromIterable(connections).flatMap(UcxConnection::close, CONNECTIONS).blockLast(Waits.PATIENCE);
        }
    }

    @Test
    void connectionThatIsClosedByForceKeepsNoOtherWaiting() {
        int pairs = 30;
        try (Peers peers = Peers.connect(route, UnaryOperator.identity(), server -> server.messageWindow(64, 1 << 20),
                client -> client.messageWindow(64, 1 << 20))) {
            List<UcxConnection> staying = new ArrayList<>();
            List<UcxConnection> leaving = new ArrayList<>();
            AtomicInteger received = new AtomicInteger();
            AtomicInteger fromThoseWhoLeave = new AtomicInteger();
            AtomicInteger ended = new AtomicInteger();
            for (int i = 0; i < pairs; i++) {
                staying.add(peers.connect());
                peers.nextServed().inbound().receiveByteArrays()
                        .subscribe(bytes -> received.incrementAndGet(), error -> { });
                leaving.add(peers.connect());
                peers.nextServed().inbound().receiveByteArrays()
                        .subscribe(bytes -> fromThoseWhoLeave.incrementAndGet(), error -> { });
            }
            leaving.forEach(connection -> connection.outbound()
                    .sendByteArrays(Flux.range(0, Integer.MAX_VALUE).map(SharedWindowFairnessTest::message))
                    .doFinally(how -> ended.incrementAndGet()).onErrorComplete().subscribe());
            await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(fromThoseWhoLeave)
                    .hasValueGreaterThan(pairs * 64));
            CompletableFuture<Void> sent = Flux.fromIterable(staying).flatMap(connection -> connection.outbound()
                    .sendByteArrays(Flux.range(0, MESSAGES).map(SharedWindowFairnessTest::message)), pairs).then()
                    .toFuture();
            Flux.fromIterable(leaving).flatMap(connection -> connection.close(CloseMode.FORCE), pairs)
                    .blockLast(Waits.PATIENCE);
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(sent).isCompleted();
                assertThat(received).hasValue(pairs * MESSAGES);
                assertThat(ended).hasValue(pairs);
            });
            Flux.fromIterable(staying).flatMap(UcxConnection::close, pairs).blockLast(Waits.PATIENCE);
        }
    }
}
