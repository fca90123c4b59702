package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** A client that has done the handshake sends an address that UCX cannot be given: it costs its own connection. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class FalseAddressTest implements NeedsUcx {

    private static final int HEADER_BYTES = 9;
    /** Of a transport: the sum of its name, three numbers of 4 bytes, flags of 4 bytes, a length, and its address. */
    private static final int LATENCY_SIGN_AT = 13;
    private static final int CONNECTS_FLAG_AT = 16;
    private static final int LENGTH_AT = 18;

    @Parameter
    private String transports;
    private UcxResources resources;
    private UcxResources otherResources;
    private UcxBoundServer server;

    /** What is wrong with an address. */
    enum Fault {
        CUT_OFF(address -> Arrays.copyOf(address, address.length - 5)),
        TOO_LONG(address -> Arrays.copyOf(address, address.length + 3)),
        LONGER_THAN_IT_IS(address -> changed(address, LENGTH_AT, length -> (byte) (length | 0x3f))),
        NEGATIVE_LATENCY(address -> changed(address, LATENCY_SIGN_AT, last -> (byte) (last | 0x80))),
        CONNECTS_TO_NOTHING(address -> changed(address, CONNECTS_FLAG_AT, flags -> (byte) (flags & ~1)));

        private final UnaryOperator<byte[]> change;

        Fault(UnaryOperator<byte[]> change) {
            this.change = change;
        }

        /** Changes the byte at a distance from the start of each transport. */
        private static byte[] changed(byte[] address, int distance, UnaryOperator<Byte> change) {
            ByteBuffer rest = ByteBuffer.wrap(address).position(HEADER_BYTES);
            boolean lastDevice;
            do {
                boolean lastTransport = rest.get() < 0;
                int device = rest.get();
                lastDevice = device < 0;
                rest.position(rest.position() + Integer.bitCount(device & 0x60) + (device & 0x1f));
                while (!lastTransport) {
                    int start = rest.position();
                    int length = rest.get(start + LENGTH_AT);
                    lastTransport = length < 0;
                    address[start + distance] = change.apply(address[start + distance]);
                    rest.position(start + LENGTH_AT + 1 + (length & 0x3f));
                }
            } while (!lastDevice);
            return address;
        }
    }

    @BeforeEach
    void serve() {
        resources = UcxResources.builder().transports(transports.split(",")).build();
        otherResources = UcxResources.builder().transports(transports.split(",")).build();
        server = UcxServer.create(resources).closeTimeout(Duration.ofMillis(300))
                .handshakeTimeout(Waits.PATIENCE.multipliedBy(4))
                .handle(connection -> connection.outbound().send(connection.inbound().receive())).bindNow();
    }

    @AfterEach
    void close() {
        if (otherResources != null) {
            server.disposeNow();
            otherResources.disposeNow();
            ResourceAssertions.in(resources);
        }
    }

    @ParameterizedTest
    @EnumSource
    void costsItsOwnConnection(Fault fault) {
        byte[] address = fault.change.apply(Objects.requireNonNull(
                otherResources.workerAddress(0).block(Waits.PATIENCE)).clone());
        ConnectionIdentity identity = new ConnectionIdentity(address);
        try (SocketPeer client = SocketPeer.connect(server.port())) {
            HandshakePair.Said said = new HandshakePair.Said();
            ClientHandshake handshake = new ClientHandshake(
                    HandshakePair.facts(ErrorMode.PEER, ByteOrder.nativeOrder(), 0, 11), identity, ControlFields.NONE,
                    null, HandshakePair.IMMEDIATE, "the server", said);
            handshake.start();
            client.send(said.frames.remove().toBytes());
            handshake.received(client.nextControl());
            assertThat(said.peer).isNotNull();
            assertThat(BindFrame.parse(client.next())).isNotNull();

            client.send(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken(), 0, address).toBytes());

            assertThat(client.nextControl().type()).isEqualTo(ControlFrame.Type.REJECT);
            client.awaitEnd();
        }
        await().atMost(Waits.PATIENCE).until(() -> resources.pendingHandshakes() == 0);
        assertThat(resources.openConnections()).isZero();
        UcxConnection honest = UcxClient.create(otherResources).remoteAddress("127.0.0.1", server.port()).connectNow();
        honest.outbound().sendStrings(Mono.just("hello")).subscribe();
        assertThat(honest.inbound().receiveStrings().blockFirst(Waits.PATIENCE)).isEqualTo("hello");
        honest.disposeNow();
    }
}
