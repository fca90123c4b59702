package io.reactorucx.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.transport.handshake.FairLimit.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A client takes its share of a limit, and never what others need. */
class FairLimitTest {

    private static final int THREADS = 4;
    private static final int ATTEMPTS = 20_000;

    private static PeerOrigin client(int process) {
        return new PeerOrigin(null, new ProcessIdentity(1, process));
    }

    @Test
    void clientGetsItsShareAndTheOthersTheRest() {
        FairLimit limit = new FairLimit(5, 3);

        assertThat(List.of(limit.tryAcquire(client(1)), limit.tryAcquire(client(1)), limit.tryAcquire(client(1)),
                limit.tryAcquire(client(1)))).containsExactly(Outcome.ACQUIRED, Outcome.ACQUIRED, Outcome.ACQUIRED,
                Outcome.SHARE_REACHED);
        assertThat(List.of(limit.tryAcquire(client(2)), limit.tryAcquire(client(2)), limit.tryAcquire(client(2))))
                .containsExactly(Outcome.ACQUIRED, Outcome.ACQUIRED, Outcome.LIMIT_REACHED);
        assertThat(limit.count()).isEqualTo(5);
        assertThat(limit.count(client(1))).isEqualTo(3);
        assertThat(limit.largestCount()).isEqualTo(3);

        limit.release(client(1));

        assertThat(limit.tryAcquire(client(2))).isEqualTo(Outcome.ACQUIRED);
        assertThat(limit.tryAcquire(client(1))).isEqualTo(Outcome.LIMIT_REACHED);
    }

    @Test
    void amountIsTakenAsAWholeOrNotAtAll() {
        FairLimit limit = new FairLimit(100, 60);

        assertThat(limit.tryAcquire(client(1), 61)).isEqualTo(Outcome.SHARE_REACHED);
        assertThat(limit.tryAcquire(client(1), Long.MAX_VALUE)).isEqualTo(Outcome.LIMIT_REACHED);
        assertThat(limit.count()).isZero();
        assertThat(limit.tryAcquire(client(1), 60)).isEqualTo(Outcome.ACQUIRED);
        assertThat(limit.tryAcquire(client(2), 41)).isEqualTo(Outcome.LIMIT_REACHED);
        assertThat(limit.tryAcquire(client(2), 40)).isEqualTo(Outcome.ACQUIRED);
        limit.release(client(1), 60);
        limit.release(client(2), 40);
        assertThat(limit.count()).isZero();
        assertThat(limit.largestCount()).isZero();
    }

    @Test
    void shareIsHalfOfTheLimitUnlessItIsSet() {
        assertThat(new FairLimit(2048).share()).isEqualTo(1024);
        assertThat(new FairLimit(3).share()).isEqualTo(1);
        assertThat(new FairLimit(1).share()).isEqualTo(1);
        assertThat(new FairLimit(0).share()).isZero();
        assertThat(new FairLimit(10, 20).share()).isEqualTo(10);
        assertThat(FairLimit.share(10, 0.75)).isEqualTo(7);
        assertThat(FairLimit.share(10, 0.01)).isEqualTo(1);
        assertThat(FairLimit.share(4L << 30, 1)).isEqualTo(4L << 30);
    }

    @Test
    void whatCannotBeRefusedKeepsOutWhatCan() {
        FairLimit limit = new FairLimit(1);
        limit.acquireAnyway(client(1));
        limit.acquireAnyway(client(1));

        assertThat(limit.count()).isEqualTo(2);
        assertThat(limit.tryAcquire(client(2))).isEqualTo(Outcome.LIMIT_REACHED);
        limit.release(client(1));
        limit.release(client(1));
        assertThat(limit.tryAcquire(client(2))).isEqualTo(Outcome.ACQUIRED);
    }

    @Test
    void givingBackWhatWasNotTakenIsRefused() {
        FairLimit limit = new FairLimit(2);

        assertThatThrownBy(() -> limit.release(client(1))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has 0");
        assertThatThrownBy(() -> new FairLimit(-1, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThat(limit.count()).isZero();
    }

    /** A limit that looks first and counts afterwards lets several threads in at once. */
    @Test
    void threadsTogetherNeverHaveMoreThanTheShare() throws Exception {
        FairLimit limit = new FairLimit(3, 2);
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        Callable<Void> client = () -> {
            for (int i = 0; i < ATTEMPTS; i++) {
                if (limit.tryAcquire(client(1)) == Outcome.ACQUIRED) {
                    most.accumulateAndGet(held.incrementAndGet(), Math::max);
                    held.decrementAndGet();
                    limit.release(client(1));
                }
            }
            return null;
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Void>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                ends.add(threads.submit(client));
            }
            for (Future<Void> end : ends) {
                end.get();
            }
        }

        assertThat(most.get()).isBetween(1L, 2L);
        assertThat(limit.count()).isZero();
    }
}
