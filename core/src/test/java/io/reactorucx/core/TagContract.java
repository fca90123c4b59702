package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tagged messages. */
abstract class TagContract extends LinkContract {

    private static final long TAG = 0xCAFE_0000_0000_0001L;
    private static final long ALL_BITS = -1L;

    TagContract(Link link) {
        super(link);
    }

    private Outcome receive(MemorySegment destination, long tag, long mask) {
        Outcome outcome = new Outcome();
        pair.server.tags().receive(destination, null, tag, mask, outcome);
        assertThat(outcome.isDone()).as("a completion within the call").isFalse();
        return outcome;
    }

    private Outcome send(MemorySegment payload) {
        return Outcome.of(done -> pair.toServer.tagSend(payload, null, TAG, done));
    }

    /** Lets a message that was sent before arrive: one that is sent after it has been received. */
    private void letArrive() {
        MemorySegment later = Arena.ofAuto().allocate(1);
        Outcome received = receive(later, TAG + 1, ALL_BITS);
        pair.run(done -> pair.toServer.tagSend(Pair.pattern(1), null, TAG + 1, done));
        pair.awaitOk(received);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8192, 1 << 20})
    void receivesMessageThatIsSentAfterReceiveIsPosted(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment destination = Arena.ofAuto().allocate(bytes + 10).fill((byte) 0x55);
        Outcome received = receive(destination, TAG, ALL_BITS);
        pair.awaitOk(send(payload));
        pair.awaitOk(received);
        assertReceived(received, destination, payload);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8192, 1 << 20})
    void receivesMessageThatHasArrivedBefore(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        Outcome sent = send(payload);
        letArrive();
        MemorySegment destination = Arena.ofAuto().allocate(bytes + 10).fill((byte) 0x55);
        Outcome received = receive(destination, TAG, ALL_BITS);
        pair.awaitOk(received);
        pair.awaitOk(sent);
        assertReceived(received, destination, payload);
    }

    private static void assertReceived(Outcome received, MemorySegment destination, MemorySegment payload) {
        long bytes = payload.byteSize();
        assertThat(received.length()).isEqualTo(bytes);
        assertThat(received.tag()).isEqualTo(TAG);
        assertThat(destination.asSlice(0, bytes).mismatch(payload)).isEqualTo(-1);
        assertThat(destination.asSlice(bytes).mismatch(Arena.ofAuto().allocate(10).fill((byte) 0x55))).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 1 << 20})
    void endsSynchronousSendNotBeforeMessageIsMatched(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        Outcome sent = Outcome.of(done -> pair.toServer.tagSendSync(payload, null, TAG, done));
        letArrive();
        assertThat(sent.isDone()).as("whether a send ended that no receive has matched").isFalse();
        MemorySegment destination = Arena.ofAuto().allocate(bytes);
        Outcome received = receive(destination, TAG, ALL_BITS);
        pair.awaitOk(sent);
        pair.awaitOk(received);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
    }

    @Test
    void sendsAndReceivesRegisteredMemory() {
        try (UcpMemory from = pair.context.allocate(1 << 20);
                UcpMemory to = pair.context.register(Arena.ofAuto().allocate(1 << 20))) {
            from.segment().copyFrom(Pair.pattern(1 << 20));
            Outcome received = new Outcome();
            pair.server.tags().receive(to.segment(), to, TAG, ALL_BITS, received);
            pair.run(done -> pair.toServer.tagSend(from.segment(), from, TAG, done));
            pair.awaitOk(received);
            assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
        }
    }

    @Test
    void matchesOnlyTheBitsOfTheMask() {
        MemorySegment other = Arena.ofAuto().allocate(10);
        MemorySegment any = Arena.ofAuto().allocate(10);
        Outcome otherTag = receive(other, TAG ^ 2, ALL_BITS);
        Outcome lowByte = receive(any, 1, 0xFF);
        pair.awaitOk(send(Pair.pattern(10)));
        pair.awaitOk(lowByte);
        assertThat(lowByte.tag()).isEqualTo(TAG);
        assertThat(otherTag.isDone()).isFalse();
        assertThat(any.mismatch(Pair.pattern(10))).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {101, 8192, 1 << 20})
    void reportsTruncationToReceiveThatIsPostedFirst(long bytes) {
        Outcome received = receive(Arena.ofAuto().allocate(100), TAG, ALL_BITS);
        pair.awaitOk(send(Pair.pattern(bytes)));
        assertThat(pair.await(received)).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
        assertThat(received.length()).as("length that the sender had").isEqualTo(bytes);
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @ValueSource(longs = {101, 8192, 1 << 20})
    void reportsTruncationOfMessageThatHasArrivedBefore(long bytes) {
        Outcome sent = send(Pair.pattern(bytes));
        letArrive();
        MemorySegment destination = Arena.ofAuto().allocate(200).fill((byte) 0x55);
        Outcome received = receive(destination.asSlice(0, 100), TAG, ALL_BITS);
        assertThat(pair.await(received)).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
        assertThat(received.length()).as("length that the sender had").isEqualTo(bytes);
        pair.awaitOk(sent);
        assertThat(destination.asSlice(100).mismatch(Arena.ofAuto().allocate(100).fill((byte) 0x55))).isEqualTo(-1);
        pair.assertStillWorks();
    }

    @Test
    void cancelsReceiveThatIsNotMatched() {
        Outcome received = new Outcome();
        long token = pair.server.tags().receive(Arena.ofAuto().allocate(10), null, TAG, ALL_BITS, received);
        pair.server.tags().cancel(token);
        assertThat(received.isDone()).as("a completion within the call").isFalse();
        assertThat(pair.await(received)).isEqualTo(UcxStatus.CANCELED);
        assertThat(received.length()).isZero();
        assertThat(received.tag()).isZero();
        pair.server.tags().cancel(token);
        pair.assertStillWorks();
    }

    @Test
    void completesReceiveThatIsCancelledAfterMatch() {
        MemorySegment payload = Pair.pattern(8 << 20);
        Outcome sent = send(payload);
        letArrive();
        MemorySegment destination = Arena.ofAuto().allocate(8 << 20);
        Outcome received = new Outcome();
        long token = pair.server.tags().receive(destination, null, TAG, ALL_BITS, received);
        pair.server.tags().cancel(token);
        pair.awaitOk(received);
        pair.awaitOk(sent);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
    }

    @Test
    void cancelsTheReceivesOfACompletionAndNoOthers() {
        MemorySegment destination = Arena.ofAuto().allocate(10);
        Outcome before = receive(Arena.ofAuto().allocate(10), TAG, ALL_BITS);
        Outcome kept = new Outcome();
        pair.server.tags().receive(destination, null, TAG, ALL_BITS, kept);
        Outcome named = new Outcome();
        pair.server.tags().receive(Arena.ofAuto().allocate(10), null, TAG, ALL_BITS, named);
        pair.server.tags().cancel(named);
        assertThat(named.isDone()).as("a completion within the call").isFalse();
        assertThat(pair.await(named)).isEqualTo(UcxStatus.CANCELED);
        pair.server.tags().cancel(named);
        assertThat(before.isDone()).isFalse();

        Outcome first = send(Pair.pattern(10));
        pair.awaitOk(before);
        Outcome second = send(Pair.pattern(10));
        pair.awaitOk(kept);
        pair.awaitOk(first);
        pair.awaitOk(second);
        assertThat(destination.mismatch(Pair.pattern(10))).isEqualTo(-1);
    }

    @Test
    void cancelsAllReceivesThatAreNotMatched() {
        Outcome first = receive(Arena.ofAuto().allocate(10), TAG, ALL_BITS);
        Outcome second = receive(Pair.EMPTY, TAG + 5, 0);
        pair.server.tags().cancelAll();
        assertThat(pair.await(first)).isEqualTo(UcxStatus.CANCELED);
        assertThat(pair.await(second)).isEqualTo(UcxStatus.CANCELED);
        pair.assertStillWorks();
    }

    @Test
    void receivesMessagesOfOneTagInTheirOrder() {
        for (int i = 0; i < 100; i++) {
            MemorySegment payload = Arena.ofAuto().allocate(1 + i);
            pair.awaitOk(send(payload));
        }
        for (int i = 0; i < 100; i++) {
            Outcome received = receive(Arena.ofAuto().allocate(200), TAG, ALL_BITS);
            pair.awaitOk(received);
            assertThat(received.length()).isEqualTo(1 + i);
        }
    }
}
