package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxServer;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.util.ByteBufPayload;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Payloads of a mebibyte, in one frame or in fragments, with and without a copy for RSocket's user. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class LargePayloadTest {

    private static final int MIB = 1 << 20;
    private static final int PAYLOADS = 20;
    private static final int AT_ONCE = 4;

    private static byte[] content(int seed) {
        byte[] bytes = new byte[MIB + seed];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Payload payload(int seed) {
        byte[] bytes = content(seed);
        ByteBuf data = seed % 2 == 0 ? Unpooled.wrappedBuffer(bytes)
                : Unpooled.directBuffer(bytes.length).writeBytes(bytes);
        return ByteBufPayload.create(data, Unpooled.wrappedBuffer(new byte[] {(byte) seed}));
    }

    private static boolean isEcho(int seed, Payload answer) {
        try {
            return Unpooled.wrappedBuffer(content(seed)).equals(answer.data())
                    && answer.metadata().getByte(answer.metadata().readerIndex()) == seed;
        } finally {
            answer.release();
        }
    }

    @ParameterizedTest
    @CsvSource({"posix, 0, true", "posix, 0, false", "posix, 64, true", "posix, 1000, true", "posix, 65536, false",
        "tcp, 0, true", "tcp, 16384, true"})
    void comeBackAsTheyWere(String transports, int mtu, boolean zeroCopy) {
        PayloadDecoder decoder = zeroCopy ? PayloadDecoder.ZERO_COPY : PayloadDecoder.DEFAULT;
        int payloads = mtu == 64 ? 1 : PAYLOADS;
        try (TestResources resources = new TestResources(transports);
                TestService service = TestService.start(UcxServer.create(resources.server()), server ->
                        (mtu == 0 ? server : server.fragment(mtu)).payloadDecoder(decoder))) {
            RSocketConnector connector = RSocketConnector.create().payloadDecoder(decoder);
            RSocket socket = (mtu == 0 ? connector : connector.fragment(mtu))
                    .connect(UcxClientTransport.create(UcxClient.create(resources.client())
                            .remoteAddress(TestResources.HOST, service.port()))).block(TestResources.LIMIT);

            assertThat(Flux.range(0, payloads).flatMap(seed -> Mono.defer(() -> socket.requestResponse(payload(seed)))
                    .map(answer -> isEcho(seed, answer)), AT_ONCE).collectList().block(TestResources.LIMIT))
                    .hasSize(payloads).containsOnly(true);
            socket.dispose();
            socket.onClose().block(TestResources.LIMIT);
            resources.awaitNothingLeft();
        }
    }
}
