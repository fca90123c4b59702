package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The end of resources whose memory other threads register and close at the same time. */
@ExtendWith(NoLeaks.class)
class ResourcesEndTest implements NeedsUcx {

    private static final int ROUNDS = 20;

    /** Another thread uses the resources until they have ended; it may be refused, and that is all. */
    private static void assertEnds(Consumer<UcxResources> use) {
        for (int i = 0; i < ROUNDS; i++) {
            UcxResources resources = UcxResources.builder().transports("posix").build();
            UcpContext context = resources.context();
            CompletableFuture<Void> begun = new CompletableFuture<>();
            AtomicBoolean ended = new AtomicBoolean();
            CompletableFuture<Void> user = CompletableFuture.runAsync(() -> {
                while (!ended.get()) {
                    try {
                        use.accept(resources);
                        begun.complete(null);
                    } catch (UcxClosedException e) {
                        Thread.onSpinWait();
                    }
                }
            });
            Waits.get(begun);

            resources.disposeNow();
            ended.set(true);

            Waits.get(user);
            assertThat(context.isClosed()).as("closed, round %d", i).isTrue();
        }
    }

    @Test
    void contextClosesAlthoughMemoryIsAllocatedMeanwhile() {
        assertEnds(resources -> {
            UcpMemory memory = resources.allocateMemory(100);
            memory.close();
        });
    }

    @Test
    void contextClosesAlthoughWindowsAreRevokedMeanwhile() {
        MemorySegment segment = Arena.ofAuto().allocate(4096);
        assertEnds(resources -> resources.exportMemory(segment, Set.of(MemoryRight.READ)).dispose());
    }
}
