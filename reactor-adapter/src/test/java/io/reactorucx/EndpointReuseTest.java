package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** When an endpoint goes to the next connection, and when it must not. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class EndpointReuseTest implements NeedsUcx {

    @Parameter
    private Route route;
    private UcxResources there;
    private UcxResources here;

    @BeforeEach
    void open() {
        there = route.resources().build();
        here = route.resources().build();
    }

    @AfterEach
    void close() {
        if (there != null) {
            here.disposeNow();
            there.disposeNow();
            assertThat(List.of(here.context().isClosed(), there.context().isClosed())).containsExactly(true, true);
        }
    }

    private UcxConnection connect(boolean peerFailureDetection, Function<UcxConnection, Publisher<Void>> handler) {
        UcxBoundServer server = UcxServer.create(there).peerFailureDetection(peerFailureDetection).handle(handler)
                .bindNow();
        return UcxClient.create(here).peerFailureDetection(peerFailureDetection).remoteAddress(server.address())
                .connectNow();
    }

    private void awaitIdle(int endpoints) {
        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(List.of(here.openConnections(), there.openConnections(),
                here.idleEndpoints(), there.idleEndpoints())).as("connections, idle endpoints")
                .containsExactly(0, 0, endpoints, endpoints));
    }

    private static List<ErrorMode> modes(UcxResources resources) {
        return Objects.requireNonNull(EngineCall.mono(resources.engines().getFirst(),
                worker -> worker.endpoints().stream().map(UcpEndpoint::errorMode).toList()).block(Waits.PATIENCE));
    }

    @ParameterizedTest
    @ValueSource(ints = {2_000, 1_000_000})
    void closeByForceAmidMessagesReleasesIt(int bytes) {
        AtomicLong received = new AtomicLong();
        UcxConnection connection = connect(true, served -> served.inbound().receive().doOnNext(UcxBuffer::release)
                .doOnNext(buffer -> received.incrementAndGet()).then());
        byte[] data = new byte[bytes];
        PendingOperation sending = PendingOperation.of(connection.outbound()
                .sendByteArrays(Flux.<byte[]>generate(sink -> sink.next(data))));
        await().atMost(Waits.PATIENCE).until(() -> received.get() > 20);

        connection.close(CloseMode.FORCE).block(Waits.PATIENCE);

        sending.awaitEnd();
        awaitIdle(1);
    }

    @Test
    void bytesThatAreSentAtOnceBelongToTheNewConnection() {
        MemorySegment data = Bytes.pattern(1, 4);
        for (int i = 0; i < 30; i++) {
            UcxConnection connection = connect(true, served -> served.streams().send(data).then(Mono.never()));

            UcxBuffer received = Objects.requireNonNull(connection.streams().receive(4).next().block(Waits.PATIENCE));

            Bytes.assertSame(received.segment(), data);
            received.release();
            connection.close().block(Waits.PATIENCE);
        }
    }

    @Test
    void bytesThatNobodyReceivedAreNotTheNextConnections() {
        UcxConnection first = connect(true, served -> served.streams().send(Bytes.pattern(1, 100)).then(Mono.never()));
        await().atMost(Waits.PATIENCE).until(() -> there.engines().getFirst().counters().inFlight() == 0);
        first.close().block(Waits.PATIENCE);
        MemorySegment data = Bytes.pattern(2, 4);

        UcxConnection second = connect(true, served -> served.streams().send(data).then(Mono.never()));

        UcxBuffer received = Objects.requireNonNull(second.streams().receive(4).next().block(Waits.PATIENCE));
        Bytes.assertSame(received.segment(), data);
        received.release();
        second.close().block(Waits.PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneOfAnotherErrorModeIsNotUsed(boolean peerFailureDetection) {
        connect(peerFailureDetection, served -> Mono.never()).close().block(Waits.PATIENCE);
        awaitIdle(1);

        UcxConnection other = connect(!peerFailureDetection, served -> Mono.never());

        assertThat(List.of(modes(here), modes(there))).allSatisfy(modes ->
                assertThat(modes).containsExactlyInAnyOrder(ErrorMode.PEER, ErrorMode.NONE));
        other.close().block(Waits.PATIENCE);
        awaitIdle(2);
    }

    @Test
    void noMoreAreKeptThanMayBe() {
        UcxResources cramped = route.resources().maxIdleEndpoints(1).build();
        UcxBoundServer server = UcxServer.create(there).handle(served -> Mono.never()).bindNow();
        UcxClient client = UcxClient.create(cramped).remoteAddress(server.address());
        List<UcxConnection> connections = List.of(client.connectNow(), client.connectNow(), client.connectNow());

        Flux.fromIterable(connections).flatMap(UcxConnection::close).blockLast(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).until(() -> cramped.openConnections() == 0 && there.openConnections() == 0);
        assertThat(List.of(cramped.idleEndpoints(), there.idleEndpoints())).containsExactly(1, 1);
        cramped.disposeNow();
    }
}
