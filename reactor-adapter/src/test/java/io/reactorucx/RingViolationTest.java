package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that do not keep to the agreement on rings: it costs the connection, or nothing. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RingViolationTest implements NeedsUcx {

    private static final int RING_BYTES = 256 << 10;
    private static final long BOTH_RINGS = 2 * SharedPages.mappedBytes(RING_BYTES);
    private static final byte OFFER = 0;
    private static final byte MAPPED = 1;
    private static final byte DECLINE = 2;
    private static final byte WAKE = 3;

    private static Peers connect() {
        Peers peers = Peers.connect(Route.RING_BY_SOCKET_ADDRESS);
        Waits.soon().untilAsserted(() -> {
            assertThat(peers.serverResources().buffers().mappedBytes()).isEqualTo(BOTH_RINGS);
            assertThat(peers.clientResources().buffers().mappedBytes()).isEqualTo(BOTH_RINGS);
        });
        peers.assertWorks();
        return peers;
    }

    private static void send(Peers peers, byte... behindToken) {
        RawFrames.send(peers.clientResources(), ReservedMessageIds.RINGS, behindToken);
    }

    private static byte[] offer(int descriptor, int bytes) {
        return ByteBuffer.allocate(1 + 8 + 2 * SharedPages.KEY_BYTES).put(OFFER).putInt(descriptor).putInt(bytes)
                .array();
    }

    /** What no honest peer says once both have agreed. */
    enum Violation {
        OFFER_AGAIN(offer(3, RING_BYTES)),
        MAPPED_AGAIN(MAPPED),
        DECLINED_AFTERWARDS(DECLINE),
        UNKNOWN_TYPE((byte) 4),
        NEGATIVE_TYPE((byte) -1),
        NO_TYPE(),
        SHORT_OFFER(OFFER, (byte) 1, (byte) 2),
        LONG_WAKE(WAKE, (byte) 0),
        LONG_OFFER(ByteBuffer.allocate(1000).array());

        private final byte[] frame;

        Violation(byte... frame) {
            this.frame = frame;
        }
    }

    @ParameterizedTest
    @EnumSource
    void costsTheConnection(Violation violation) {
        try (Peers peers = connect()) {
            send(peers, violation.frame);

            peers.served().onDispose().block(Waits.PATIENCE);
            peers.client().onDispose().block(Waits.PATIENCE);
            assertThat(peers.serverResources().droppedMessages(DropReason.GARBAGE)).isOne();
            UcxConnection next = peers.connect();
            Peers.assertWorks(next, peers.nextServed());
            assertThat(peers.serverResources().buffers().mappedBytes()).as("the same rings").isEqualTo(BOTH_RINGS);
        }
    }

    @Test
    void frameWithAHeaderCostsTheConnection() {
        try (Peers peers = connect()) {
            RawFrames.send(peers.clientResources(), ReservedMessageIds.RINGS,
                    MemorySegment.ofArray(new byte[] {WAKE}), Bytes.zeroed(0), AmProtocol.EAGER, true);

            peers.served().onDispose().block(Waits.PATIENCE);
            assertThat(peers.serverResources().droppedMessages(DropReason.GARBAGE)).isOne();
        }
    }

    @Test
    void wakeUpsForNothingDoNoHarm() {
        try (Peers peers = connect()) {
            for (int i = 0; i < 1000; i++) {
                send(peers, WAKE);
            }
            peers.assertWorks();
            assertThat(peers.serverResources().droppedMessages(DropReason.GARBAGE)).isZero();
        }
    }

    @Test
    void peerWithoutRingsHasNothingToSayOfThem() {
        UcxResources without = Route.RING_BY_SOCKET_ADDRESS.resources().ringBytes(0).build();
        try (Peers peers = Peers.connect(Route.RING_BY_SOCKET_ADDRESS)) {
            UcxConnection connection = UcxClient.create(without).remoteAddress("127.0.0.1", peers.server().port())
                    .connectNow();
            UcxConnection served = peers.nextServed();
            for (byte[] frame : new byte[][] {offer(3, RING_BYTES), {MAPPED}, {DECLINE}, {WAKE}}) {
                RawFrames.send(without, ReservedMessageIds.RINGS, frame);
            }
            Peers.assertWorks(connection, served);
            peers.assertWorks();
            connection.disposeNow();
            served.onDispose().block(Waits.PATIENCE);
        } finally {
            without.disposeNow();
        }
    }

    @Test
    void ringsThatNoConnectionUsesAreGivenBack() {
        try (Peers peers = connect()) {
            peers.client().disposeNow();
            peers.served().onDispose().block(Waits.PATIENCE);

            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(peers.serverResources().buffers().mappedBytes()).isZero();
                assertThat(peers.clientResources().buffers().mappedBytes()).isZero();
            });
            UcxConnection next = peers.connect();
            Peers.assertWorks(next, peers.nextServed());
            assertThat(peers.serverResources().buffers().mappedBytes()).isEqualTo(BOTH_RINGS);
        }
    }
}
