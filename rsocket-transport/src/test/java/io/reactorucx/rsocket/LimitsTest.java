package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxServer;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.exceptions.ConnectionErrorException;
import io.rsocket.util.DefaultPayload;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Frames beyond the limits of this side or of the peer. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class LimitsTest {

    private static final int KIB = 1 << 10;
    private static final int QUEUED_BYTES = 64 * KIB;
    private static final int FRAME_BYTES = 128 * KIB;
    private static final int MTU = 16 * KIB;

    private static TestResources resources;

    @BeforeAll
    static void build() {
        resources = new TestResources("posix");
    }

    @AfterAll
    static void dispose() {
        resources.close();
    }

    @AfterEach
    void nothingIsLeft() {
        resources.awaitNothingLeft();
    }

    private static UcxClient client(int port) {
        return UcxClient.create(resources.client()).remoteAddress(TestResources.HOST, port);
    }

    private static Payload payload(int length) {
        return DefaultPayload.create(new byte[length]);
    }

    private static Mono<Integer> echo(RSocket socket, int length) {
        return socket.requestResponse(payload(length)).map(answer -> {
            int bytes = answer.data().readableBytes();
            answer.release();
            return bytes;
        });
    }

    @Test
    void framesThatThePeerDoesNotTakeEndTheConnectionAtTheLimit() {
        // Accepts connections, and never asks for a message.
        UcxBoundServer silent = UcxServer.create(resources.server()).handle(UcxConnection::onClosing).bindNow();
        UcxClientTransport transport = UcxClientTransport.create(client(silent.port())).maxQueuedBytes(QUEUED_BYTES);
        RSocket socket = RSocketConnector.connectWith(transport).block(TestResources.LIMIT);
        StepVerifier unanswered = StepVerifier.create(echo(socket, KIB))
                .expectErrorSatisfies(LimitsTest::assertOverflow).verifyLater();
        int sent = 0;
        while (sent < QUEUED_BYTES / KIB - 2) {
            socket.fireAndForget(payload(KIB)).block(TestResources.LIMIT);
            sent++;
        }
        assertThat(socket.isDisposed()).isFalse();
        assertThat(transport.statistics().connections()).isOne();
        assertThat(transport.statistics().queuedBytes()).isBetween((long) sent * KIB, (long) QUEUED_BYTES);
        assertThat(transport.statistics().overflows()).isZero();

        socket.fireAndForget(payload(2 * KIB)).onErrorComplete().block(TestResources.LIMIT);
        unanswered.verify(TestResources.LIMIT);
        StepVerifier.create(socket.onClose()).expectErrorSatisfies(LimitsTest::assertOverflow)
                .verify(TestResources.LIMIT);
        StepVerifier.create(echo(socket, KIB)).expectErrorSatisfies(LimitsTest::assertOverflow)
                .verify(TestResources.LIMIT);
        await().atMost(TestResources.LIMIT).untilAsserted(() -> assertThat(transport.statistics())
                .isEqualTo(new UcxTransportStatistics(0, 0, 1)));
        silent.disposeNow();
    }

    @Test
    void aSourceThatNeverRestsIsCancelledAtTheLimit() {
        AtomicBoolean cancelled = new AtomicBoolean();
        SocketAcceptor endless = SocketAcceptor.forRequestStream(request -> Flux.<Payload>generate(
                sink -> sink.next(payload(KIB))).doOnCancel(() -> cancelled.set(true)));
        UcxBoundTransport server = RSocketServer.create(endless).bindNow(UcxServerTransport.create(
                UcxServer.create(resources.server())).maxQueuedBytes(QUEUED_BYTES));
        RSocket greedy = RSocketConnector.connectWith(UcxClientTransport.create(client(server.address().getPort())))
                .block(TestResources.LIMIT);
        StepVerifier.create(greedy.requestStream(payload(KIB)).map(each -> each.release()).then())
                .expectErrorSatisfies(error -> {
                    assertOverflow(error);
                    assertThat(error).hasMessageStartingWith("the peer has closed the connection: ");
                }).verify(TestResources.LIMIT);

        await().atMost(TestResources.LIMIT).untilTrue(cancelled);
        RSocket next = RSocketConnector.connectWith(UcxClientTransport.create(client(server.address().getPort())))
                .block(TestResources.LIMIT);
        assertThat(next.isDisposed()).isFalse();
        assertThat(server.statistics().overflows()).isOne();
        next.dispose();
        next.onClose().onErrorComplete().block(TestResources.LIMIT);
        server.dispose();
        server.onClose().block(TestResources.LIMIT);
    }

    private static void assertOverflow(Throwable error) {
        assertThat(error).isInstanceOf(ConnectionErrorException.class)
                .hasMessageContaining("maxQueuedBytes " + QUEUED_BYTES)
                .hasMessageContaining("bytes of frames wait for the peer");
    }

    @Test
    void aFrameThatIsLargerThanThePeerTakesEndsTheConnectionAndSaysSo() {
        try (TestService service = TestService.start(UcxServer.create(resources.server())
                .maxMessageBytes(QUEUED_BYTES), server -> server)) {
            RSocket socket = RSocketConnector.connectWith(UcxClientTransport.create(client(service.port())))
                    .block(TestResources.LIMIT);
            assertThat(echo(socket, KIB).block(TestResources.LIMIT)).isEqualTo(KIB);

            StepVerifier.create(echo(socket, FRAME_BYTES)).expectErrorSatisfies(error -> assertThat(error)
                    .isInstanceOf(ConnectionErrorException.class)
                    .hasMessageContaining("the peer takes at most " + QUEUED_BYTES)).verify(TestResources.LIMIT);
        }
    }

    @Test
    void theReceiverOfAFrameThatIsTooLargeLearnsWhyTheSenderClosed() {
        UcxBoundTransport server = RSocketServer.create(SocketAcceptor.forRequestResponse(request -> {
            request.release();
            return Mono.just(payload(FRAME_BYTES));
        })).bindNow(UcxServerTransport.create(UcxServer.create(resources.server())));
        RSocket socket = RSocketConnector.connectWith(UcxClientTransport.create(client(server.address().getPort())
                .maxMessageBytes(QUEUED_BYTES))).block(TestResources.LIMIT);

        StepVerifier.create(echo(socket, KIB)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(ConnectionErrorException.class)
                .hasMessageStartingWith("the peer has closed the connection: ")
                .hasMessageContaining("the peer takes at most " + QUEUED_BYTES)).verify(TestResources.LIMIT);

        server.dispose();
        server.onClose().block(TestResources.LIMIT);
    }

    @Test
    void aPayloadThatIsLargerThanAFrameFailsAloneOrIsFragmented() {
        try (TestService service = TestService.start(UcxServer.create(resources.server())
                .maxMessageBytes(QUEUED_BYTES), server -> server.fragment(MTU))) {
            UcxClientTransport transport = UcxClientTransport.create(client(service.port()))
                    .maxFrameLength(QUEUED_BYTES);
            RSocket whole = RSocketConnector.connectWith(transport).block(TestResources.LIMIT);
            StepVerifier.create(echo(whole, FRAME_BYTES)).expectError(IllegalArgumentException.class)
                    .verify(TestResources.LIMIT);
            assertThat(echo(whole, KIB).block(TestResources.LIMIT)).as("afterwards").isEqualTo(KIB);

            RSocket inParts = RSocketConnector.create().fragment(MTU).connect(transport).block(TestResources.LIMIT);
            assertThat(echo(inParts, FRAME_BYTES).block(TestResources.LIMIT)).isEqualTo(FRAME_BYTES);
            whole.dispose();
            inParts.dispose();
            whole.onClose().then(inParts.onClose()).block(TestResources.LIMIT);
        }
    }
}
