package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.TagInfo;
import io.reactorucx.message.TaggedMessage;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

/** Many tagged messages, messages of many segments, and a look at those that wait; over every route. */
class TagReceiveAllContractTest extends SharedPeers {

    private static final long TAG = 0x7777_0000_0000_0000L;
    private static final long MASK = 0xFFFF_0000_0000_0000L;

    private void send(int number, long size) {
        PendingOperation.of(peers.client().tags().send(TAG + number, Bytes.pattern(number, size))).assertDone();
    }

    private MemorySegment received(int number, int size) {
        TaggedMessage message = Objects.requireNonNull(
                peers.served().tags().receive(TAG + number, Bytes.zeroed(size)).block(Waits.PATIENCE));
        return message.data();
    }

    @Test
    void messagesComeInTheirOrder() {
        AtomicInteger count = new AtomicInteger();
        PendingOperation all = PendingOperation.of(peers.served().tags().receiveAll(TAG, MASK, 1000)
                .doOnNext(message -> {
                    int number = count.getAndIncrement();
                    assertThat(message.tag()).isEqualTo(TAG + number);
                    Bytes.assertSame(message.data().segment(), Bytes.pattern(number, number));
                    message.data().release();
                }).take(100).then());
        for (int i = 0; i < 100; i++) {
            send(i, i);
        }
        all.assertDone();
    }

    @Test
    void messagesThatNobodyAsksForWaitForTheNextReceive() {
        send(1, 10);
        send(2, 20);
        send(3, 30);
        StepVerifier.create(peers.served().tags().receiveAll(TAG, MASK, 100), 1).assertNext(message -> {
            assertThat(message.tag()).isEqualTo(TAG + 1);
            message.data().release();
        }).thenCancel().verify(Waits.PATIENCE);
        Bytes.assertSame(received(2, 20), Bytes.pattern(2, 20));
        Bytes.assertSame(received(3, 30), Bytes.pattern(3, 30));
    }

    @Test
    void cancelGivesThePostedReceiveUp() {
        Disposable all = peers.served().tags().receiveAll(TAG, MASK, 100)
                .subscribe(message -> message.data().release());
        Waits.engineOf(peers.served());
        all.dispose();
        Waits.engineOf(peers.served());
        send(1, 10);
        Bytes.assertSame(received(1, 10), Bytes.pattern(1, 10));
    }

    @Test
    void messageThatIsTooLongEndsTheFlux() {
        PendingOperation all = PendingOperation.of(peers.served().tags().receiveAll(TAG, MASK, 9).then());
        Waits.engineOf(peers.served());
        send(1, 10);
        assertThat(all.failure()).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.MESSAGE_TRUNCATED));
        assertThatThrownBy(() -> peers.served().tags().receiveAll(TAG, MASK, -1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fluxEndsWithTheConnection() {
        route.assumeTwoPeers();
        UcxConnection client = peers.connect();
        UcxConnection served = peers.nextServed();
        PendingOperation all = PendingOperation.of(served.tags().receiveAll(TAG + 1, -1, 100).then());
        Waits.engineOf(served);
        client.close().block(Waits.PATIENCE);
        all.assertDone();
        served.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void probeFindsWhatWaitsAndLeavesIt() {
        assertThat(peers.served().tags().probe(TAG, MASK).blockOptional(Waits.PATIENCE)).isEmpty();
        send(5, 123);
        peers.assertWorks();
        assertThat(peers.served().tags().probe(TAG, MASK).block(Waits.PATIENCE)).isEqualTo(new TagInfo(TAG + 5, 123));
        assertThat(peers.served().tags().probe(TAG, -1).blockOptional(Waits.PATIENCE)).isEmpty();
        Bytes.assertSame(received(5, 123), Bytes.pattern(5, 123));
        assertThat(peers.served().tags().probe(TAG, MASK).blockOptional(Waits.PATIENCE)).isEmpty();
    }

    @Test
    void segmentsMakeOneMessage() {
        for (int size : new int[] {3, 10_000, Bytes.MIB}) {
            MemorySegment whole = Bytes.pattern(size, size);
            List<MemorySegment> parts = List.of(whole.asSlice(0, 1), Bytes.zeroed(0), whole.asSlice(1, size / 2),
                    whole.asSlice(1 + size / 2));
            PendingOperation tagged = PendingOperation.of(peers.client().tags().send(TAG + 1, parts));
            Bytes.assertSame(received(1, size), whole);
            tagged.assertDone();
            Inbox inbox = Inbox.of(peers.served(), 17);
            PendingOperation active = PendingOperation.of(peers.client().activeMessages()
                    .send(17, Bytes.pattern(1, 8), parts));
            Bytes.assertSame(Bytes.of(inbox.next()), whole);
            active.assertDone();
            inbox.cancel();
            Waits.engineOf(peers.served());
        }
        assertThatThrownBy(() -> peers.client().tags().send(TAG, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
