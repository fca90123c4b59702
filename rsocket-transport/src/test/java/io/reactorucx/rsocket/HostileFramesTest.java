package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxServer;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.exceptions.ConnectionErrorException;
import io.rsocket.frame.ErrorFrameCodec;
import io.rsocket.frame.FrameHeaderCodec;
import io.rsocket.frame.FrameType;
import io.rsocket.frame.SetupFrameCodec;
import io.rsocket.util.DefaultPayload;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Peers of UCX whose messages are no frames of RSocket, or are frames that the protocol does not allow there. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class HostileFramesTest {

    /** Many more than a connection takes before it can have ended. */
    private static final int FRAMES = 5_000;
    private static final int UNKNOWN_TYPE = 0x30;
    private static final String KEEP = "keep";

    private static TestResources resources;
    private static TestService service;

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final PrintStream before = System.err;

    @BeforeAll
    static void build() {
        resources = new TestResources("posix");
        service = TestService.start(resources);
    }

    @AfterAll
    static void dispose() {
        service.close();
        resources.close();
    }

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    }

    /** What a peer does wrong is worth one line, and no stack. */
    @AfterEach
    void nothingIsLeftAndTheLogIsShort() {
        resources.awaitNothingLeft();
        System.setErr(before);
        List<String> lines = log.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).as("stacks").noneMatch(line -> line.startsWith("\tat ") || line.contains("Exception"));
        assertThat(lines).as("faults").hasSizeLessThanOrEqualTo(1).allSatisfy(line -> assertThat(line)
                .contains("WARN", "UcxDuplexConnection", "the RSocket connection has ended: the peer has sent "));
    }

    private static byte[] bytes(ByteBuf frame) {
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        return bytes;
    }

    private static byte[] frame(int streamId, int type, int flags, int... body) {
        ByteBuf frame = Unpooled.buffer().writeInt(streamId).writeShort(type << 10 | flags);
        for (int each : body) {
            frame.writeByte(each);
        }
        return bytes(frame);
    }

    private static byte[] frame(int streamId, FrameType type, int flags, int... body) {
        return frame(streamId, type.getEncodedType(), flags, body);
    }

    private static byte[] setup(int interval, String mimeType) {
        return bytes(SetupFrameCodec.encode(ByteBufAllocator.DEFAULT, false, interval, interval, mimeType, mimeType,
                DefaultPayload.create(KEEP)));
    }

    private static byte[] setup() {
        return setup(Integer.MAX_VALUE, "text/plain");
    }

    /** A frame to a server that has got a SETUP, and what the server says of it. */
    static Stream<Arguments> frames() {
        return Stream.of(
                Arguments.of(new byte[0], "a message of 0 bytes"),
                Arguments.of(new byte[] {1, 2, 3, 4, 5}, "a message of 5 bytes"),
                Arguments.of(frame(1, UNKNOWN_TYPE, FrameHeaderCodec.FLAGS_I), "type 48"),
                Arguments.of(frame(1, FrameType.RESERVED, 0), "type 0"),
                Arguments.of(frame(-1, FrameType.CANCEL, 0), "CANCEL of stream -1"),
                Arguments.of(frame(1, FrameType.PAYLOAD, 0), "neither NEXT nor COMPLETE"),
                Arguments.of(frame(1, FrameType.REQUEST_RESPONSE, FrameHeaderCodec.FLAGS_M, 0, 0, 2, 1), "metadata"),
                Arguments.of(frame(1, FrameType.REQUEST_FNF, FrameHeaderCodec.FLAGS_M, 0, 0), "metadata"),
                Arguments.of(frame(1, FrameType.REQUEST_STREAM, 0, 0, 0, 1), "3 bytes after its head"),
                Arguments.of(frame(1, FrameType.REQUEST_STREAM, 0, 0, 0, 0, 0), "requests 0"),
                Arguments.of(frame(1, FrameType.REQUEST_CHANNEL, 0, 255, 0, 0, 0), "requests -16777216"),
                Arguments.of(frame(1, FrameType.REQUEST_N, 0, 0, 0, 0, 0), "requests 0"),
                Arguments.of(frame(1, FrameType.ERROR, 0, 0, 0, 2), "3 bytes after its head"),
                Arguments.of(frame(0, FrameType.KEEPALIVE, 0, 1, 2, 3, 4, 5, 6, 7), "7 bytes after its head"),
                Arguments.of(frame(0, FrameType.LEASE, 0, 0, 0, 0, 1, 0, 0, 0, 1), "LEASE"),
                Arguments.of(frame(0, FrameType.REQUEST_RESPONSE, 0), "REQUEST_RESPONSE of stream 0"),
                Arguments.of(frame(1, FrameType.KEEPALIVE, 0, 1, 2, 3, 4, 5, 6, 7, 8), "KEEPALIVE of stream 1"),
                Arguments.of(setup(), "SETUP of stream 0"),
                Arguments.of(frame(2, FrameType.REQUEST_FNF, 0), "REQUEST_FNF of stream 2"),
                Arguments.of(frame(2, FrameType.PAYLOAD, FrameHeaderCodec.FLAGS_N), "PAYLOAD of stream 2"),
                Arguments.of(frame(2, FrameType.ERROR, 0, 0, 0, 2, 1), "ERROR of stream 2"));
    }

    /** First frames that RSocket cannot read. */
    static Stream<Arguments> firstFrames() {
        byte[] longMimeType = setup(1, "x".repeat(200));
        byte[] whole = setup();
        byte[] resuming = setup();
        resuming[5] |= (byte) SetupFrameCodec.FLAGS_RESUME_ENABLE;
        return Stream.of(
                Arguments.of(new byte[0], "a message of 0 bytes"),
                Arguments.of(frame(0, UNKNOWN_TYPE, 0), "type 48"),
                Arguments.of(frame(0, FrameType.SETUP, 0, 0, 1), "SETUP"),
                Arguments.of(Arrays.copyOf(whole, whole.length - KEEP.length() - 1), "SETUP"),
                Arguments.of(longMimeType, "SETUP"),
                Arguments.of(setup(-1, "text/plain"), "SETUP"),
                Arguments.of(resuming, "SETUP"),
                Arguments.of(frame(0, FrameType.RESUME, 0, 0, 1, 0, 0, 0, 9, 1), "RESUME"));
    }

    private static void attack(List<byte[]> start, byte[] repeated, String said) {
        UcxConnection peer = UcxClient.create(resources.client()).remoteAddress(TestResources.HOST, service.port())
                .connect().block(TestResources.LIMIT);
        List<byte[]> received = new ArrayList<>();
        Mono<Void> ended = peer.inbound().receiveByteArrays().doOnNext(received::add).onErrorComplete().then();
        Mono<Void> sent = peer.outbound().sendByteArrays(Flux.concat(Flux.fromIterable(start),
                Flux.just(repeated).repeat(FRAMES))).onErrorComplete();
        Mono.when(ended, sent).then(peer.onTerminate().onErrorComplete()).block(TestResources.LIMIT);

        assertThat(received).as("what the server said").hasSize(1);
        ByteBuf last = Unpooled.wrappedBuffer(received.getLast());
        assertThat(FrameHeaderCodec.frameType(last)).isEqualTo(FrameType.ERROR);
        assertThat(ErrorFrameCodec.dataUtf8(last))
                .startsWith("the peer has closed the connection: the peer has sent ").contains(said);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("frames")
    void aServerEndsTheConnectionAtTheFirstFrameThatIsWrong(byte[] wrong, String said) {
        attack(List.of(setup()), wrong, said);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("firstFrames")
    void aServerEndsTheConnectionAtAFirstFrameThatIsWrong(byte[] wrong, String said) {
        attack(List.of(), wrong, said);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("frames")
    void aClientEndsTheConnectionAtTheFirstFrameThatIsWrong(byte[] toServer, String said) {
        byte[] wrong = mirrored(toServer);
        UcxBoundServer server = UcxServer.create(resources.server()).handle((in, out) -> Mono.when(
                in.receiveByteArrays().then(), out.sendByteArrays(Flux.just(wrong).repeat(FRAMES)))).bindNow();
        RSocket socket = RSocketConnector.connectWith(UcxClientTransport.create(resources.client(),
                TestResources.HOST, server.port())).block(TestResources.LIMIT);
        StepVerifier.create(socket.onClose()).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(ConnectionErrorException.class)
                .hasMessageContaining("the RSocket connection has ended: the peer has sent ")).verify(
                TestResources.LIMIT);
        server.disposeNow();
    }

    /** Gives the other parity to a stream, whose number is the first integer. */
    private static byte[] mirrored(byte[] frame) {
        byte[] mirrored = frame.clone();
        if (frame.length > Integer.BYTES && frame[3] > 0) {
            mirrored[3] = (byte) (3 - frame[3]);
        }
        return mirrored;
    }

    @Test
    void framesOfStreamsThatHaveEndedAreNoFault() {
        RSocket socket = RSocketConnector.connectWith(UcxClientTransport.create(resources.client(),
                TestResources.HOST, service.port())).block(TestResources.LIMIT);
        for (int i = 0; i < FRAMES / 100; i++) {
            socket.requestStream(DefaultPayload.create("1000")).doOnNext(Payload::release).take(1)
                    .blockLast(TestResources.LIMIT);
        }
        assertThat(socket.isDisposed()).isFalse();
        socket.dispose();
        socket.onClose().onErrorComplete().block(TestResources.LIMIT);
    }

    @Test
    void theLogSaysWhatAPeerHasSent() {
        // At most one warning a second, and other cases have warned too.
        await().atMost(TestResources.LIMIT).until(() -> {
            attack(List.of(), new byte[1], "a message of 1 bytes");
            return log.toString(StandardCharsets.UTF_8).contains("the peer has sent a message of 1 bytes");
        });
    }
}
