package io.reactorucx.transport.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactorucx.core.Completion;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.ring.RingPair.Connection;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How engines that share a pair of rings wake each other, and only when that is needed. */
class RingWakeUpTest {

    private static final Completion IGNORED = (status, length, tag) -> { };

    private RingPair pair;
    private Connection near;

    @BeforeEach
    void open() {
        assumeThat(Ucx.isAvailable()).isTrue();
        pair = new RingPair();
        near = pair.here.connect(1);
        pair.there.connect(1);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    /** Each says that it sleeps another time. */
    @Test
    void peerThatAlwaysSleepsIsWokenByOneMessageAtATime() {
        near.wakesAtOnce = false;
        for (int i = 0; i < 1000; i++) {
            pair.there.own.publish(RingLayout.SLEEP_WORD, 2L * i + 1);
            near.send(8, IGNORED);
            pair.here.link.poll(64);
        }

        assertThat(near.wakes).isOne();
    }

    @Test
    void sleepingPeerIsWokenOnce() {
        pair.there.link.tellAsleep();
        for (int i = 0; i < 10; i++) {
            near.send(8, IGNORED);
            pair.here.link.poll(64);
        }
        assertThat(near.wakes).isOne();

        pair.there.link.tellAwake();
        near.send(8, IGNORED);
        pair.here.link.poll(64);
        assertThat(near.wakes).isOne();

        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);
        assertThat(near.wakes).isEqualTo(2);
        assertThat(pair.there.link.hasWork()).isTrue();
    }

    @Test
    void lostWakeUpIsSentAgain() {
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);
        assertThat(pair.here.confirmations).hasSize(1);

        pair.here.confirm();
        pair.here.link.poll(64);
        assertThat(near.wakes).isEqualTo(2);
        assertThat(pair.here.confirmations).hasSize(2);

        pair.there.link.tellAwake();
        assertThat(pair.here.link.wakeAgain()).isFalse();
        pair.there.link.tellAsleep();
        assertThat(pair.here.link.wakeAgain()).as("to a peer that has been awake").isFalse();
        pair.here.link.poll(64);
        assertThat(near.wakes).isEqualTo(2);
    }

    /** Each link has pauses of its own. */
    @Test
    void peerThatSleepsOnSlowsTheWakeUpsOfNoOther() {
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);
        for (int i = 0; i < 8; i++) {
            pair.here.confirm();
            pair.here.link.poll(64);
        }
        assertThat(near.wakes).isEqualTo(9);
        assertThat(pair.here.confirmations).containsExactly(10L, 20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L);

        RingPair.Side other = pair.new Side();
        assertThat(other.link.map(RingFrame.offer(pair.there.own, null))).isTrue();
        other.connect(1).send(8, IGNORED);
        other.link.poll(64);
        assertThat(other.confirmations).as("of another link").containsExactly(10L);
        other.link.close();
    }

    @Test
    void peerThatHasBeenAwakeIsWokenAgainAsSoonAsAtFirst() {
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);
        pair.here.confirm();
        pair.here.link.poll(64);
        assertThat(pair.here.confirmations).containsExactly(10L, 20L);

        pair.there.link.tellAwake();
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);

        assertThat(pair.here.confirmations).as("in place of the one that was to come").containsExactly(10L, 20L, 10L);
        assertThat(near.wakes).isEqualTo(3);
    }

    @Test
    void wakeUpThatFailsIsSentAgainAtOnce() {
        near.wakesAtOnce = false;
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);

        Objects.requireNonNull(near.wake).complete(UcxStatus.CANCELED.code(), 0, 0);
        pair.here.link.poll(64);

        assertThat(near.wakes).isEqualTo(2);
    }

    @Test
    void peerThatNoEndpointReachesIsWokenLaterAndKeepsNobodyAwake() {
        near.usable = false;
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        pair.here.link.poll(64);
        assertThat(near.wakes).isZero();
        assertThat(pair.here.link.hasWork()).isFalse();

        near.usable = true;
        assertThat(pair.here.link.wakeAgain()).isTrue();
        pair.here.link.poll(64);

        assertThat(near.wakes).isOne();
    }

    /**
     * One says that it sleeps, and then looks for records; the other writes one, and then looks whether it sleeps: one
     * of both has to see the other.
     */
    @Test
    void noWakeUpIsLost() throws InterruptedException {
        int count = 30_000;
        RingPair.Side writing = pair.new Side();
        RingPair.Side reading = pair.new Side();
        assertThat(writing.link.map(RingFrame.offer(reading.own, null))).isTrue();
        Connection sender = writing.connect(1);
        Semaphore woken = new Semaphore(0);
        Semaphore taken = new Semaphore(0);
        sender.whenWoken = woken::release;
        AtomicBoolean lost = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            // Its memory belongs to this thread. It has no connection: what comes is counted, and dropped.
            lost.set(!reading.link.map(RingFrame.offer(writing.own, null)));
            while (reading.counters.snapshot().receivedRecords() < count && !lost.get()) {
                int read = reading.link.poll(64);
                taken.release(read);
                if (read == 0) {
                    reading.link.tellAsleep();
                    if (!reading.link.hasWork()) {
                        try {
                            lost.set(!woken.tryAcquire(TestTime.seconds(10).toSeconds(), TimeUnit.SECONDS));
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            lost.set(true);
                        }
                        woken.drainPermits();
                    }
                    reading.link.tellAwake();
                }
            }
            reading.link.close();
        }, "reader");
        reader.start();
        for (int i = 0; i < count && !lost.get(); i++) {
            sender.send(8 + i % 200, IGNORED);
            writing.link.poll(64);
            if (i % 3 != 0 && !taken.tryAcquire(i % 3, TestTime.seconds(20).toSeconds(), TimeUnit.SECONDS)) {
                break;
            }
        }
        reader.join(TestTime.seconds(30).toMillis());

        writing.link.close();

        assertThat(lost).as("a wake-up was lost").isFalse();
        assertThat(reading.counters.snapshot().receivedRecords()).isEqualTo(count);
        assertThat(sender.wakes).as("wake-ups").isPositive();
    }
}
