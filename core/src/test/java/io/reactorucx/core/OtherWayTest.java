package io.reactorucx.core;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.shm.NativeBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that go another way than UCX: checked before, and handed to handlers, as if they had gone by UCX. */
class OtherWayTest {

    private static final MemorySegment NONE = MemorySegment.NULL;

    private Pair pair;

    @BeforeEach
    void open() {
        assumeTrue(Ucx.isAvailable());
        pair = Pair.of(Link.SELF_NONE);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private void arrived(MemorySegment source, long offset, int headerBytes, int dataBytes) {
        pair.server.activeMessages().arrived(Pair.ID, new NativeBytes(source), offset, headerBytes, dataBytes,
                pair.toClient);
    }

    private static MemorySegment numbers() {
        MemorySegment source = Arena.ofAuto().allocate(100_000);
        for (long at = 0; at < source.byteSize(); at++) {
            source.set(JAVA_BYTE, at, (byte) (at % 251));
        }
        return source;
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "7, 0, 1", "7, 3, 0", "16, 20, 30", "1, 0, 99999", "0, 50000, 50000", "100000, 0, 0"})
    void handlerGetsHeaderAndDataAsACopy(long offset, int headerBytes, int dataBytes) {
        MemorySegment source = numbers();

        arrived(source, offset, headerBytes, dataBytes);
        source.fill((byte) -1);

        UcpActiveMessage message = pair.received.removeFirst();
        assertThat(message.id()).isEqualTo(Pair.ID);
        assertThat(message.length()).isEqualTo(dataBytes);
        assertThat(message.isRendezvous()).isFalse();
        MemorySegment expected = numbers();
        assertThat(message.header().mismatch(expected.asSlice(offset, headerBytes))).isEqualTo(-1);
        assertThat(pair.data(message).mismatch(expected.asSlice(offset + headerBytes, dataBytes))).isEqualTo(-1);
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 1", "0, -1, 5", "0, 5, -1", "99999, 1, 1", "100001, 0, 0", "0, 2147483647, 2147483647",
        "9223372036854775807, 1, 1"})
    void bytesOutsideOfTheSourceAreRefused(long offset, int headerBytes, int dataBytes) {
        MemorySegment source = numbers();

        assertThatThrownBy(() -> arrived(source, offset, headerBytes, dataBytes))
                .isInstanceOf(IndexOutOfBoundsException.class);

        assertThat(pair.received).isEmpty();
        pair.assertStillWorks();
    }

    @Test
    void idIsChecked() {
        UcpActiveMessages messages = pair.server.activeMessages();
        for (int id : new int[] {-1, UcpActiveMessages.MAX_ID + 1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> messages.arrived(id, new NativeBytes(numbers()), 0, 0, 1, pair.toClient))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pair.toServer.checkSend(id, NONE, numbers(), null))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        messages.arrived(UcpActiveMessages.MAX_ID, new NativeBytes(numbers()), 0, 0, 1, pair.toClient);
        assertThat(pair.received).as("an id without a handler").isEmpty();
    }

    @Test
    void sendIsCheckedAsByUcx() {
        UcpEndpoint endpoint = pair.toServer;
        endpoint.checkSend(Pair.ID, NONE, NONE, null);
        endpoint.checkSend(Pair.ID, MemorySegment.ofArray(new byte[8]), numbers(), null);
        assertThatThrownBy(() -> endpoint.checkSend(Pair.ID, Arena.ofAuto().allocate(10L << 20), NONE, null))
                .isInstanceOf(IllegalArgumentException.class);
        MemorySegment freed;
        try (Arena arena = Arena.ofConfined()) {
            freed = arena.allocate(8);
        }
        assertThatThrownBy(() -> endpoint.checkSend(Pair.ID, NONE, freed, null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(pair.received).isEmpty();
    }

    @Test
    void closedEndpointSendsNothing() {
        UcpEndpoint endpoint = pair.toServer;
        pair.awaitOk(Outcome.of(done -> endpoint.close(CloseMode.FLUSH, done)));

        assertThatThrownBy(() -> endpoint.checkSend(Pair.ID, NONE, NONE, null))
                .isInstanceOfAny(IllegalStateException.class, UcxException.class);
    }
}
