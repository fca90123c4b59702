package io.reactorucx;

import static io.reactorucx.HandshakePair.CLIENT;
import static io.reactorucx.HandshakePair.SERVER;
import static io.reactorucx.HandshakePair.facts;
import static io.reactorucx.HandshakePair.identified;
import static io.reactorucx.HandshakePair.secret;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ControlFrame.Type;
import io.reactorucx.transport.handshake.HandshakeFailure.Kind;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.Rejection;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What two sides of a handshake say to each other, and how it ends. */
class HandshakeTest {

    private final HandshakePair pair = new HandshakePair();

    @Test
    void eachLearnsTheOthersFacts() {
        pair.meet(CLIENT, null, SERVER, null);

        pair.assertConnected();
        assertThat(pair.client.types()).containsExactly(Type.HELLO);
        assertThat(pair.server.types()).containsExactly(Type.WELCOME);
        assertThat(pair.client.all.getFirst().fields().buffer(Key.TOKEN).getLong())
                .isEqualTo(pair.clientIdentity.ownToken());
    }

    @Test
    void shorterHeartbeatHolds() {
        assertThat(PeerInfo.heartbeat(CLIENT, SERVER)).isEqualTo(Duration.ofMillis(3000))
                .isEqualTo(PeerInfo.heartbeat(SERVER, CLIENT));
        PeerInfo off = facts(ErrorMode.PEER, ByteOrder.LITTLE_ENDIAN, 0, 1);
        assertThat(PeerInfo.heartbeat(CLIENT, off)).isEqualTo(Duration.ofMillis(5000))
                .isEqualTo(PeerInfo.heartbeat(off, CLIENT));
        assertThat(PeerInfo.heartbeat(off, off)).isEqualTo(Duration.ZERO);
        PeerInfo hasty = facts(ErrorMode.PEER, ByteOrder.LITTLE_ENDIAN, 1, 1);
        assertThat(PeerInfo.heartbeat(CLIENT, hasty)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void whatDiffersIsSaidOnBothSides() {
        pair.meet(facts(ErrorMode.NONE, ByteOrder.LITTLE_ENDIAN, 0, 1), null, SERVER, null);

        pair.server.assertFailed(Kind.MISMATCH, "error mode: NONE at the client, PEER at the server");
        pair.client.assertFailed(Kind.PEER, "error mode: NONE at the client, PEER at the server");
    }

    @Test
    void otherByteOrderIsRefused() {
        pair.meet(CLIENT, null, facts(ErrorMode.PEER, ByteOrder.BIG_ENDIAN, 0, 1), null);

        pair.server.assertFailed(Kind.MISMATCH, "byte order: LITTLE_ENDIAN at the client, BIG_ENDIAN at the server");
        pair.client.assertFailed(Kind.PEER, "byte order: LITTLE_ENDIAN at the client, BIG_ENDIAN at the server");
    }

    @Test
    void serverThatHasEnoughSaysWhetherToTryAgain() {
        pair.between(CLIENT, null, SERVER, null);
        pair.server.rejection = new Rejection(UcxStatus.BUSY, "30 connections are all that it takes");
        pair.clientSide.start();
        pair.run();

        pair.server.assertFailed(Kind.ADMISSION, "30 connections are all that it takes");
        pair.client.assertFailed(Kind.PEER, "30 connections are all that it takes");
        assertThat(pair.client.failure.toException("them").isRetryable()).isTrue();
    }

    /** A server that does not look: the client does, and tells it. */
    @Test
    void clientLooksAtWhatDiffersToo() {
        pair.between(CLIENT, null, SERVER, null);
        pair.clientSide.start();
        pair.clientSide.received(ControlFrame.of(Type.WELCOME,
                identified(facts(ErrorMode.NONE, ByteOrder.LITTLE_ENDIAN, 0, 1))));

        pair.client.assertFailed(Kind.MISMATCH, "error mode: PEER at the client, NONE at the server");
        assertThat(pair.client.types()).containsExactly(Type.HELLO, Type.REJECT);
    }

    @Test
    void otherVersionIsSaidOnBothSides() {
        pair.between(CLIENT, null, SERVER, null);
        pair.serverSide.received(new ControlFrame(1, Type.HELLO, ControlFields.NONE, UcxStatus.REJECTED, ""));
        String mismatch = "protocol version: 1 at the client, " + ControlFrame.PROTOCOL_VERSION + " at the server";
        pair.server.assertFailed(Kind.VERSION, mismatch);
        assertThat(pair.server.all.getFirst().reason()).isEqualTo(mismatch);

        pair.clientSide.start();
        pair.clientSide.received(new ControlFrame(1, Type.REJECT, ControlFields.NONE,
                UcxStatus.REJECTED, "protocol version 2 there, 1 here"));
        pair.client.assertFailed(Kind.PEER, "protocol version 2 there, 1 here");
    }

    @ParameterizedTest
    @EnumSource(value = Type.class, names = "HELLO", mode = EnumSource.Mode.EXCLUDE)
    void firstFrameIsHello(Type type) {
        pair.between(CLIENT, null, SERVER, null);
        pair.serverSide.received(ControlFrame.of(type));
        pair.server.assertFailed(Kind.PROTOCOL, "the first frame was " + type + ", not HELLO");
        assertThat(pair.server.all.getFirst().reason()).contains("the first frame was " + type);
    }

    /**
     * Any frames in any order: both sides end once at most, say nothing afterwards (see Said), and nobody is let in
     * without a proof.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anyFramesInAnyOrderEndItAtMostOnce(boolean authenticated) {
        Random random = new Random(authenticated ? 1 : 2);
        Type[] types = Type.values();
        int connected = 0;
        for (int i = 0; i < 20_000; i++) {
            HandshakePair test = new HandshakePair();
            test.between(CLIENT, authenticated ? secret() : null, SERVER, authenticated ? secret() : null);
            test.clientSide.start();
            for (int n = 0; n < 6; n++) {
                ControlFields fields = random.nextInt(4) == 0 ? ControlFields.NONE : identified(CLIENT);
                if (random.nextBoolean()) {
                    fields = fields.with(Key.AUTHENTICATION, new byte[32]);
                }
                if (random.nextBoolean()) {
                    fields = fields.with(Key.AUTHENTICATION_METHOD, "hmac-sha-256");
                }
                Type type = types[random.nextInt(types.length)];
                ControlFrame frame = new ControlFrame(random.nextInt(8) == 0 ? 1 : ControlFrame.PROTOCOL_VERSION,
                        type, fields, UcxStatus.REJECTED, "");
                test.serverSide.received(frame);
                test.clientSide.received(frame);
                test.client.runTasks();
                test.server.runTasks();
            }
            if (test.client.peer != null || test.server.peer != null) {
                connected++;
            }
        }
        assertThat(connected).satisfies(count -> assertThat(count == 0).isEqualTo(authenticated));
    }
}
