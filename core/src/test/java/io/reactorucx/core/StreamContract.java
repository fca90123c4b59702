package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Byte streams. */
abstract class StreamContract extends LinkContract {

    StreamContract(Link link) {
        super(link);
    }

    private Outcome send(MemorySegment payload) {
        return Outcome.of(done -> pair.toServer.stream().send(payload, null, done));
    }

    private Outcome receive(MemorySegment destination, boolean waitAll) {
        return receive(UcpData.of(destination), waitAll);
    }

    private Outcome receive(UcpData destination, boolean waitAll) {
        Outcome received = Outcome.of(done -> pair.toClient.stream().receive(destination, waitAll, done).isImmediate());
        assertThat(received.isDone()).as("a completion within the call").isFalse();
        return received;
    }

    /** Lets what was sent before arrive: an active message that is sent after it. */
    private void letArrive() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.EMPTY, AmProtocol.EAGER);
        pair.awaitMessage();
        pair.awaitOk(sent);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 100, 8192, 100_000, 4 << 20})
    void receivesAllThatIsWaitedFor(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment destination = Arena.ofAuto().allocate(bytes + 10).fill((byte) 0x55);
        Outcome received = receive(destination.asSlice(0, bytes), true);
        pair.awaitOk(send(payload));
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(bytes);
        assertThat(destination.asSlice(0, bytes).mismatch(payload)).isEqualTo(-1);
        assertThat(destination.asSlice(bytes).mismatch(Arena.ofAuto().allocate(10).fill((byte) 0x55))).isEqualTo(-1);
    }

    @Test
    void takesWhatIsThere() {
        pair.awaitOk(send(Pair.pattern(100)));
        letArrive();
        MemorySegment destination = Arena.ofAuto().allocate(1000);
        Outcome received = receive(destination, false);
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(100);
        assertThat(destination.asSlice(0, 100).mismatch(Pair.pattern(100))).isEqualTo(-1);
    }

    @Test
    void keepsNoBordersOfWhatWasSent() {
        MemorySegment whole = Pair.pattern(1000);
        for (int offset = 0; offset < 1000; offset += 100) {
            pair.awaitOk(send(whole.asSlice(offset, 100)));
        }
        MemorySegment destination = Arena.ofAuto().allocate(1000);
        for (int offset = 0; offset < 1000; offset += 250) {
            Outcome received = receive(destination.asSlice(offset, 250), true);
            pair.awaitOk(received);
            assertThat(received.length()).isEqualTo(250);
        }
        assertThat(destination.mismatch(whole)).isEqualTo(-1);
    }

    @Test
    void endsReceivesInTheirOrder() {
        List<Outcome> received = new ArrayList<>();
        MemorySegment destination = Arena.ofAuto().allocate(1000);
        for (int offset = 0; offset < 1000; offset += 10) {
            received.add(receive(destination.asSlice(offset, 10), true));
        }
        pair.awaitOk(send(Pair.pattern(1000)));
        received.forEach(pair::awaitOk);
        assertThat(destination.mismatch(Pair.pattern(1000))).isEqualTo(-1);
    }

    @Test
    void sendsAndReceivesSegments() {
        MemorySegment payload = Pair.pattern(50_000);
        MemorySegment destination = Arena.ofAuto().allocate(50_000);
        Outcome received = receive(
                UcpData.ofSegments(List.of(destination.asSlice(0, 7), Pair.EMPTY, destination.asSlice(7))), true);
        pair.run(done -> pair.toServer.stream().send(
                UcpData.ofSegments(List.of(payload.asSlice(0, 49_000), payload.asSlice(49_000))), Set.of(), done)
                .isImmediate());
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(50_000);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
    }

    @Test
    void handsOverWholeElementsOnly() {
        MemorySegment payload = Pair.pattern(80);
        MemorySegment destination = Arena.ofAuto().allocate(160);
        Outcome received = receive(UcpData.elements(destination, 8), false);
        pair.awaitOk(send(payload.asSlice(0, 5)));
        letArrive();
        assertThat(received.isDone()).as("a receive of a part of an element").isFalse();
        pair.awaitOk(send(payload.asSlice(5)));
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(80);
        assertThat(destination.asSlice(0, 80).mismatch(payload)).isEqualTo(-1);
    }

    @Test
    void lendsWhatHasArrived() {
        assertThat(pair.toClient.stream().borrow()).isEmpty();
        MemorySegment payload = Pair.pattern(20_000);
        Outcome sent = send(payload);
        MemorySegment destination = Arena.ofAuto().allocate(20_000);
        long[] offset = {0};
        pair.until(() -> {
            pair.toClient.stream().borrow().ifPresent(data -> {
                assertThat(pair.toClient.stream().lent()).isEqualTo(1);
                MemorySegment.copy(data.segment(), 0, destination, offset[0], data.segment().byteSize());
                offset[0] += data.segment().byteSize();
                data.close();
                data.close();
            });
            return offset[0] == 20_000;
        }, "all bytes");
        pair.awaitOk(sent);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
        assertThat(pair.toClient.stream().lent()).isZero();
    }

    @Test
    void takesBackWhatWasLentWhenEndpointCloses() {
        pair.awaitOk(send(Pair.pattern(100)));
        letArrive();
        UcpStreamData data = pair.toClient.stream().borrow().orElseThrow();
        MemorySegment segment = data.segment();
        assertThat(segment.mismatch(Pair.pattern(100))).isEqualTo(-1);
        CloseMode mode = link.errorMode() == ErrorMode.PEER ? CloseMode.FORCE : CloseMode.FLUSH;
        pair.run(done -> pair.toClient.close(mode, done));
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        data.close();
    }

    @Test
    void namesEndpointsThatHaveData() {
        assertThat(pair.server.streams().poll()).isEmpty();
        pair.awaitOk(send(Pair.pattern(100)));
        letArrive();
        assertThat(pair.server.streams().poll()).containsExactly(pair.toClient);
        assertThat(pair.server.streams().poll()).isEmpty();
        pair.awaitOk(receive(Arena.ofAuto().allocate(100), true));
    }

    @Test
    void closesEndpointGracefullyWithReceiveInFlight() {
        Outcome received = receive(Arena.ofAuto().allocate(100), true);
        assertThat(pair.toClient.inFlight()).isEqualTo(1);
        Outcome closed = Outcome.of(done -> pair.toClient.close(CloseMode.FLUSH, done));
        assertThat(pair.await(received)).isNotEqualTo(UcxStatus.OK);
        pair.until(closed::isDone, "the end of the close");
    }

    @Test
    void endsReceiveWhenPeerCloses() {
        assumeTrue(link.errorMode() == ErrorMode.PEER, "without peer failure handling UCX does not report that the peer"
                + " has closed");
        Outcome received = receive(Arena.ofAuto().allocate(100), true);
        Outcome closed = Outcome.of(done -> pair.toServer.close(CloseMode.FORCE, done));
        assertThat(pair.await(received)).isNotEqualTo(UcxStatus.OK);
        pair.until(closed::isDone, "the end of the close");
    }

    @Test
    void refusesEmptySendWhichAbortsTheReceiver() {
        assertThatThrownBy(() -> pair.toServer.stream().send(Pair.EMPTY, null, BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("payload of 0 bytes");
        assertThatThrownBy(() -> pair.toServer.stream().send(UcpData.ofSegments(List.of(Pair.EMPTY)), Set.of(),
                BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("payload of 0 bytes");
        pair.assertStillWorks();
    }

    @Test
    void refusesEmptyReceiveWhichAbortsTheProcess() {
        assertThatThrownBy(() -> pair.toServer.stream().receive(UcpData.of(Pair.EMPTY), false, BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("destination of 0 bytes");
        pair.assertStillWorks();
    }

    @Test
    void refusesGenericDataWhoseFailureAbortsTheProcess() {
        assertThatThrownBy(() -> pair.toServer.stream().receive(UcpData.generic(Reversed.ofSize(10)), false,
                BadInput.NEVER))
                .isInstanceOf(UcxUnsupportedException.class);
        assertThatThrownBy(() -> pair.toServer.stream().send(UcpData.generic(Reversed.ofSize(10)), Set.of(),
                BadInput.NEVER))
                .isInstanceOf(UcxUnsupportedException.class);
        pair.assertStillWorks();
    }

    @Test
    void refusesSegmentsThatUcxWouldTakeForBytes() {
        UcpData segments = UcpData.ofSegments(List.of(Pair.pattern(10), Pair.pattern(10)));
        assertThatThrownBy(() -> pair.toServer.stream().send(segments, Set.of(RequestFlag.NO_IMMEDIATE_COMPLETION),
                BadInput.NEVER))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("plain bytes");
        pair.assertStillWorks();
    }
}
