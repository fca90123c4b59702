package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxServer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.util.ByteBufPayload;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Netty watches each buffer at its strictest level, while connections carry frames and are closed amid them. */
@ExtendWith(NoLeaks.class)
class BufferLeaksTest {

    private static final int REQUESTS = 80;
    private static final int AT_ONCE = 8;
    private static final int[] SIZES = {8, 1000, 20_000, 200_000};
    private static final String ON_PURPOSE = "lost on purpose";
    private static final int ROUNDS_BEHIND = 3;

    private final List<String> reports = new CopyOnWriteArrayList<>();
    private ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    @BeforeEach
    void watch() {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> reports.add(records));
    }

    @AfterEach
    void stopWatching() {
        ByteBufUtil.setLeakListener(null);
        ResourceLeakDetector.setLevel(before);
    }

    private static Payload payload(int number) {
        int size = SIZES[number % SIZES.length];
        return ByteBufPayload.create(PooledByteBufAllocator.DEFAULT.directBuffer(size).writeZero(size));
    }

    private static Mono<Void> echo(RSocket socket, int number) {
        return Mono.defer(() -> socket.requestResponse(payload(number))).doOnNext(Payload::release).then();
    }

    @Test
    void noBufferIsLost() {
        Deque<UcxConnection> connections = new ConcurrentLinkedDeque<>();
        try (TestResources resources = new TestResources("posix");
                TestService service = TestService.start(UcxServer.create(resources.server()), server ->
                        server.payloadDecoder(PayloadDecoder.ZERO_COPY))) {
            for (CloseMode mode : CloseMode.values()) {
                RSocket socket = RSocketConnector.create().payloadDecoder(PayloadDecoder.ZERO_COPY)
                        .connect(UcxClientTransport.create(UcxClient.create(resources.client())
                                .remoteAddress(TestResources.HOST, service.port()).doOnConnected(connections::add)))
                        .block(TestResources.LIMIT);
                Flux.range(0, REQUESTS).flatMap(number -> echo(socket, number), AT_ONCE).blockLast(TestResources.LIMIT);
                // Closed in the middle: the requests fail, and what waits is released.
                Flux.range(0, REQUESTS).doOnNext(number -> {
                    if (number == REQUESTS / 2) {
                        connections.getLast().close(mode).subscribe();
                    }
                }).flatMap(number -> echo(socket, number).onErrorComplete(), AT_ONCE).blockLast(TestResources.LIMIT);
                socket.onClose().onErrorComplete().block(TestResources.LIMIT);
            }
            resources.awaitNothingLeft();
        }

        // A buffer that is lost on purpose shows that the watch works, and when it has looked.
        PooledByteBufAllocator.DEFAULT.directBuffer(SIZES[0]).touch(ON_PURPOSE);
        await().atMost(TestResources.LIMIT).until(() -> {
            collect();
            return reports.stream().anyMatch(each -> each.contains(ON_PURPOSE));
        });
        for (int i = 0; i < ROUNDS_BEHIND; i++) {
            collect();
        }
        assertThat(reports).filteredOn(each -> !each.contains(ON_PURPOSE)).isEmpty();
    }

    /** The watch reports with the next buffer that is made. */
    private static void collect() {
        System.gc();
        PooledByteBufAllocator.DEFAULT.directBuffer(SIZES[0]).release();
    }
}
