package io.reactorucx.core;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A connection that each test misuses, and that has to work and to close gracefully afterwards. */
@ExtendWith(NoLeaks.class)
abstract class BadInput {

    static final Completion NEVER = (status, length, tag) -> {
        throw new AssertionError("the completion of an operation that was refused");
    };

    Pair pair;

    @BeforeEach
    void connect() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        pair = Pair.of(Link.POSIX_PEER);
    }

    @AfterEach
    void checkThatConnectionWorks() {
        if (pair != null) {
            try {
                pair.assertStillWorks();
            } finally {
                pair.close();
            }
        }
    }

    static MemorySegment heap() {
        return MemorySegment.ofArray(new byte[16]);
    }

    static MemorySegment inClosedArena() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(16);
        }
    }

    /** Memory that only another thread may touch; it stays mapped until that thread ends. */
    static final class OfAnotherThread implements AutoCloseable {

        private final CountDownLatch end = new CountDownLatch(1);
        private final CompletableFuture<MemorySegment> segment = new CompletableFuture<>();
        private final Thread thread = Thread.ofPlatform().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                segment.complete(arena.allocate(16));
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        MemorySegment segment() {
            return segment.join();
        }

        @Override
        public void close() {
            end.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The exception of a call on a thread that the worker does not belong to. */
    static Throwable thrownOnAnotherThread(Runnable call) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                call.run();
                thrown.complete(new AssertionError("nothing was thrown"));
            } catch (Throwable t) {
                thrown.complete(t);
            }
        });
        return thrown.join();
    }
}
