package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tagged messages that are looked at before they are received. */
abstract class ProbeContract extends LinkContract {

    private static final long TAG = 0xBEEF_0000_0000_0001L;

    ProbeContract(Link link) {
        super(link);
    }

    private Outcome send(MemorySegment payload) {
        return Outcome.of(done -> pair.toServer.tagSend(payload, null, TAG, done));
    }

    private UcpTagMessage take() {
        pair.until(() -> pair.server.tags().probe(TAG, -1).isPresent(), "a message that can be probed");
        return pair.server.tags().take(TAG, -1).orElseThrow();
    }

    private Outcome receive(UcpTagMessage message, MemorySegment destination) {
        return Outcome.of(done -> pair.server.tags().receive(message, UcpData.of(destination), done).isImmediate());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8192, 100_000, 4 << 20})
    void findsMessageAndLeavesIt(long bytes) {
        assertThat(pair.server.tags().probe(TAG, -1)).isEmpty();
        MemorySegment payload = Pair.pattern(bytes);
        Outcome sent = send(payload);
        pair.until(() -> pair.server.tags().probe(TAG, -1).isPresent(), "the message");
        assertThat(pair.server.tags().probe(TAG, -1)).contains(new UcpTagInfo(TAG, bytes));
        assertThat(pair.server.tags().probe(0, 0)).contains(new UcpTagInfo(TAG, bytes));
        assertThat(pair.server.tags().probe(TAG + 1, -1)).isEmpty();
        MemorySegment destination = Arena.ofAuto().allocate(bytes);
        Outcome received = new Outcome();
        pair.server.tags().receive(destination, null, TAG, -1, received);
        pair.awaitOk(received);
        pair.awaitOk(sent);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
        assertThat(pair.server.tags().probe(TAG, -1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8192, 100_000, 4 << 20})
    void receivesMessageThatWasTaken(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        Outcome sent = send(payload);
        UcpTagMessage message = take();
        assertThat(message.length()).isEqualTo(bytes);
        assertThat(message.tag()).isEqualTo(TAG);
        assertThat(pair.server.tags().taken()).isEqualTo(1);
        assertThat(pair.server.tags().probe(TAG, -1)).isEmpty();
        MemorySegment destination = Arena.ofAuto().allocate(message.length());
        Outcome received = receive(message, destination);
        pair.awaitOk(received);
        pair.awaitOk(sent);
        assertThat(received.length()).isEqualTo(bytes);
        assertThat(received.tag()).isEqualTo(TAG);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
        assertThat(pair.server.tags().taken()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {101, 8192, 1 << 20})
    void reportsTruncationOfMessageThatWasTaken(long bytes) {
        Outcome sent = send(Pair.pattern(bytes));
        UcpTagMessage message = take();
        MemorySegment destination = Arena.ofAuto().allocate(200).fill((byte) 0x55);
        Outcome received = receive(message, destination.asSlice(0, 100));
        assertThat(pair.await(received)).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
        pair.awaitOk(sent);
        assertThat(destination.asSlice(100).mismatch(Arena.ofAuto().allocate(100).fill((byte) 0x55))).isEqualTo(-1);
        pair.assertStillWorks();
    }

    @Test
    void refusesToReceiveMessageTwice() {
        Outcome sent = send(Pair.pattern(10));
        UcpTagMessage message = take();
        pair.awaitOk(receive(message, Arena.ofAuto().allocate(10)));
        pair.awaitOk(sent);
        assertThatThrownBy(() -> pair.server.tags().receive(message, UcpData.of(Arena.ofAuto().allocate(10)),
                BadInput.NEVER))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("received before");
        pair.assertStillWorks();
    }

    @Test
    void refusesMessageOfAnotherWorker() {
        assumeTrue(!link.isSelf(), "a worker that is connected to itself is alone");
        Outcome sent = send(Pair.pattern(10));
        UcpTagMessage message = take();
        assertThatThrownBy(() -> pair.client.tags().receive(message, UcpData.of(Arena.ofAuto().allocate(10)),
                BadInput.NEVER))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("another worker");
        pair.awaitOk(receive(message, Arena.ofAuto().allocate(10)));
        pair.awaitOk(sent);
    }

    @Test
    void takesMessagesInTheirOrder() {
        for (int i = 1; i <= 20; i++) {
            pair.awaitOk(send(Arena.ofAuto().allocate(i)));
        }
        UcpTagMessage first = take();
        pair.until(() -> pair.server.tags().probe(TAG, -1).isPresent(), "the second message");
        UcpTagMessage second = take();
        assertThat(first.length()).isEqualTo(1);
        assertThat(second.length()).isEqualTo(2);
        pair.awaitOk(receive(second, Arena.ofAuto().allocate(2)));
        pair.awaitOk(receive(first, Arena.ofAuto().allocate(1)));
    }
}
