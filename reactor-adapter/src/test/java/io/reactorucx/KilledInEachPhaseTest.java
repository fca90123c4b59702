package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** SIGKILL of the peer's process while it is in one phase of its life with this one: nothing hangs, nothing is left. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class KilledInEachPhaseTest implements NeedsUcx {

    private static final int OFFERS = 4;

    @Parameter
    private String transports;
    private UcxResources resources;
    private EchoProcess server;

    @BeforeEach
    void start() {
        resources = UcxResources.builder().transports(transports.split(",")).remoteMemoryAccess(true)
                .maxBufferBytes(256L << 20).build();
        server = new EchoProcess(transports.split(","));
    }

    @AfterEach
    void assertNothingIsLeft() {
        if (server != null) {
            server.close();
        }
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private static void assertUcxError(Throwable error) {
        assertThat(error).isInstanceOf(UcxException.class);
    }

    @Test
    void whileItIsConnectedToWithItsProcessStopped() {
        server.stop();
        PendingOperation connecting = PendingOperation.of(server.client(resources).connect());

        server.kill();

        assertUcxError(connecting.failure());
    }

    @Test
    void whileItsEngineDoesNotAnswerTheHandshake() {
        UcxConnection first = server.client(resources).connectNow();
        server.stall(first);
        PendingOperation connecting = PendingOperation.of(server.client(resources).connect());
        connecting.assertPending();

        server.kill();

        assertUcxError(connecting.failure());
        first.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void whileSmallMessagesFlow() {
        UcxConnection connection = server.client(resources).connectNow();
        AtomicLong answers = new AtomicLong();
        Mono<Void> send = connection.activeMessages().send(EchoServer.ECHO, Bytes.pattern(1, 64));
        // Each answer is a reason for the next message, so that some are always on their way in both directions.
        PendingOperation flow = PendingOperation.of(connection.activeMessages().receive(EchoServer.ECHOED)
                .doOnNext(answer -> answers.incrementAndGet())
                .flatMap(answer -> send).then());
        Flux.range(0, 16).flatMap(number -> send).then().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> answers.get() > 1000);

        server.kill();

        assertUcxError(flow.failure());
        connection.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void whileItsOffersAreFetched() {
        UcxConnection connection = server.client(resources).connectNow();
        Inbox offers = Inbox.of(connection, EchoServer.OFFERED);
        for (int i = 0; i < OFFERS; i++) {
            connection.activeMessages().send(EchoServer.OFFER, new byte[0]).block(Waits.PATIENCE);
        }
        List<Mono<Void>> fetches = new ArrayList<>();
        for (int i = 0; i < OFFERS; i++) {
            fetches.add(offers.next().fetch(resources.buffers()).doOnNext(UcxBuffer::release).then()
                    .onErrorComplete(UcxException.class));
        }
        PendingOperation all = PendingOperation.of(Mono.when(fetches));

        server.kill();

        all.assertDone();
        connection.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void whileItFetchesOurOffers() {
        UcxConnection connection = server.client(resources).connectNow();
        List<Mono<Void>> sends = new ArrayList<>();
        for (int i = 0; i < OFFERS; i++) {
            MemorySegment payload = Bytes.pattern(i, 16L * Bytes.MIB);
            sends.add(connection.activeMessages().send(EchoServer.ECHO, MemorySegment.NULL, payload,
                    AmProtocol.RENDEZVOUS)
                    .onErrorComplete(UcxException.class));
        }
        PendingOperation all = PendingOperation.of(Mono.when(sends));
        Waits.engineOf(connection);

        server.kill();

        all.assertDone();
        connection.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void whileItsMemoryIsReadAndWritten() {
        UcxConnection connection = server.client(resources).connectNow();
        RemoteMemory memory = connection.memory(server.registered());
        MemorySegment ours = Bytes.zeroed(Bytes.MIB);
        AtomicLong rounds = new AtomicLong();
        PendingOperation working = PendingOperation.of(Flux.range(0, Integer.MAX_VALUE)
                .concatMap(number -> memory.get(0, ours).then(memory.put(Bytes.MIB, ours))
                .doOnSuccess(done -> rounds.incrementAndGet())).then());
        await().atMost(Waits.PATIENCE).until(() -> rounds.get() > 10);

        server.kill();

        assertUcxError(working.failure());
        connection.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void whileThisSideClosesInGoodOrder() {
        UcxConnection connection = server.client(resources).connectNow();
        server.stop();
        PendingOperation closing = PendingOperation.of(connection.close());
        Waits.engineOf(connection);

        server.kill();

        closing.assertDone();
    }
}
