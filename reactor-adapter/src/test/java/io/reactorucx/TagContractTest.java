package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.TaggedMessage;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tagged messages, over every route. */
class TagContractTest extends SharedPeers {

    private static final long TAG = 0x1234_5678_9abc_def0L;

    private Tags sender() {
        return peers.client().tags();
    }

    private Tags receiver() {
        return peers.served().tags();
    }

    private CompletableFuture<TaggedMessage> receive(long tag, long mask, MemorySegment destination) {
        CompletableFuture<TaggedMessage> received = receiver().receive(tag, mask, destination).toFuture();
        Waits.engineOf(peers.served());
        return received;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8 * Bytes.KIB, Bytes.MIB, 64L * Bytes.MIB})
    void messageArrivesWhereItIsAwaited(long size) {
        MemorySegment payload = Bytes.pattern(size, size);
        CompletableFuture<TaggedMessage> received = receiver().receive(TAG, Bytes.zeroed(size)).toFuture();
        PendingOperation sent = PendingOperation.of(sender().send(TAG, payload));

        TaggedMessage message = Waits.get(received);
        assertThat(message.tag()).isEqualTo(TAG);
        Bytes.assertSame(message.data(), payload);
        sent.assertDone();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8 * Bytes.KIB, Bytes.MIB})
    void messageWaitsForItsReceive(long size) {
        MemorySegment payload = Bytes.pattern(size, size);
        PendingOperation sent = PendingOperation.of(sender().send(TAG, payload));
        // What is sent later has arrived: so has the message, or its offer.
        peers.assertWorks();

        MemorySegment destination = Bytes.zeroed(size + 100);
        TaggedMessage message = Objects.requireNonNull(receiver().receive(TAG, destination).block(Waits.PATIENCE));
        Bytes.assertSame(message.data(), payload);
        assertThat(message.data().address()).isEqualTo(destination.address());
        sent.assertDone();
    }

    @Test
    void receiveTakesItsTagAndLeavesOthers() {
        PendingOperation other = PendingOperation.of(sender().send(TAG + 1, Bytes.pattern(1, 10)));
        PendingOperation wanted = PendingOperation.of(sender().send(TAG, Bytes.pattern(2, 10)));

        Bytes.assertSame(Objects.requireNonNull(receiver().receive(TAG, Bytes.zeroed(10)).block(Waits.PATIENCE)).data(),
                Bytes.pattern(2, 10));
        Bytes.assertSame(Objects.requireNonNull(receiver().receive(TAG + 1, Bytes.zeroed(10)).block(Waits.PATIENCE))
                .data(),
                Bytes.pattern(1, 10));
        other.assertDone();
        wanted.assertDone();
    }

    @Test
    void maskSelectsTheBitsThatHaveToMatch() {
        CompletableFuture<TaggedMessage> received = receive(0x00ff_0000_0000_0000L, 0x00ff_0000_0000_0000L,
                Bytes.zeroed(10));
        PendingOperation miss = PendingOperation.of(sender().send(0x12fe_0000_0000_0034L, Bytes.pattern(1, 10)));
        PendingOperation hit = PendingOperation.of(sender().send(0x12ff_0000_0000_0034L, Bytes.pattern(2, 10)));

        TaggedMessage message = Waits.get(received);
        assertThat(message.tag()).isEqualTo(0x12ff_0000_0000_0034L);
        Bytes.assertSame(message.data(), Bytes.pattern(2, 10));
        hit.assertDone();
        TaggedMessage rest = Objects.requireNonNull(receiver().receive(0, 0, Bytes.zeroed(10)).block(Waits.PATIENCE));
        assertThat(rest.tag()).isEqualTo(0x12fe_0000_0000_0034L);
        miss.assertDone();
    }

    @Test
    void messagesOfOneTagArriveInOrder() {
        for (int i = 0; i < 100; i++) {
            sender().send(TAG, Bytes.pattern(i, 16)).block(Waits.PATIENCE);
        }
        for (int i = 0; i < 100; i++) {
            Bytes.assertSame(Objects.requireNonNull(receiver().receive(TAG, Bytes.zeroed(16)).block(Waits.PATIENCE))
                    .data(),
                    Bytes.pattern(i, 16));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {10, Bytes.MIB})
    void messageLongerThanTheDestinationIsTruncated(long size) {
        CompletableFuture<TaggedMessage> received = receive(TAG, -1, Bytes.zeroed(size - 1));
        PendingOperation sent = PendingOperation.of(sender().send(TAG, Bytes.pattern(1, size)));

        assertThat(Waits.failure(received)).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
            assertThat(error.operation()).isEqualTo("tag_recv");
            assertThat(error.isConnectionLost()).isFalse();
        });
        sent.assertDone();
        peers.assertWorks();
    }

    @Test
    void messageThatWaitsLongerThanTheDestinationIsTruncated() {
        sender().send(TAG, Bytes.pattern(1, 10)).block(Waits.PATIENCE);
        peers.assertWorks();

        assertThatThrownBy(() -> receiver().receive(TAG, Bytes.zeroed(9)).block(Waits.PATIENCE))
                .isInstanceOfSatisfying(UcxException.class, error -> assertThat(error.status())
                .isEqualTo(UcxStatus.MESSAGE_TRUNCATED));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, Bytes.MIB})
    void synchronousSendEndsWhenItIsMatched(long size) {
        MemorySegment payload = Bytes.pattern(3, size);
        PendingOperation sent = PendingOperation.of(sender().sendSync(TAG, payload));
        peers.assertWorks();
        sent.assertPending();

        Bytes.assertSame(Objects.requireNonNull(receiver().receive(TAG, Bytes.zeroed(size)).block(Waits.PATIENCE))
                .data(), payload);
        sent.assertDone();
    }

    @Test
    void cancelledReceiveTakesNoMessage() {
        MemorySegment destination = Bytes.zeroed(10);
        PendingOperation cancelled = PendingOperation.of(receiver().receive(TAG, destination));
        Waits.engineOf(peers.served());
        cancelled.cancel();
        Waits.engineOf(peers.served());

        sender().send(TAG, Bytes.pattern(4, 10)).block(Waits.PATIENCE);
        Bytes.assertSame(Objects.requireNonNull(receiver().receive(TAG, Bytes.zeroed(10)).block(Waits.PATIENCE)).data(),
                Bytes.pattern(4, 10));
        Bytes.assertSame(destination, Bytes.zeroed(10));
        cancelled.assertPending();
    }
}
