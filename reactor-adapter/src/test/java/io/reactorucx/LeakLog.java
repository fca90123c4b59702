package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.application.LeakingApplication;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.buffer.LeakRecord;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is told of leaks, and waits for the garbage collector. */
final class LeakLog {

    private final List<Leak> leaks = new CopyOnWriteArrayList<>();

    record Leak(String text, @Nullable LeakRecord place) {
    }

    UcxResourcesBuilder by(UcxResourcesBuilder builder, LeakDetection level) {
        return builder.leakDetection(level).leakLog((text, place) -> leaks.add(new Leak(text, place)));
    }

    List<Leak> leaks() {
        return leaks;
    }

    /**
     * A watched lease has memory with an arena of its own; the others have that of their slab, which many share.
     *
     * @return the number of watched leases
     */
    static int releaseAllButWatched(List<UcxBuffer> leases) {
        Map<MemorySegment.Scope, List<UcxBuffer>> byScope = leases.stream()
                .collect(Collectors.groupingBy(lease -> lease.segment().scope()));
        byScope.values().stream().filter(sharing -> sharing.size() > 1).flatMap(List::stream)
                .forEach(UcxBuffer::release);
        return (int) byScope.values().stream().filter(sharing -> sharing.size() == 1).count();
    }

    static void awaitLeased(UcxBufferPool pool, int count) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(pool.leases()).as("leases").isEqualTo(count);
        });
    }

    /** Whatever could not be reached before this call has been found, which a lease shows that is dropped now. */
    static void awaitCollection(UcxBufferPool pool) {
        long before = pool.leakedLeases();
        for (int i = 0; i < 3; i++) {
            LeakingApplication.dropLease(pool, 1);
            long expected = before + i + 1;
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                System.gc();
                assertThat(pool.leakedLeases()).isGreaterThanOrEqualTo(expected);
            });
        }
    }
}
