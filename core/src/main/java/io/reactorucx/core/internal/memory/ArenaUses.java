package io.reactorucx.core.internal.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A shared arena with a count of the operations and registrations that use its memory, which ends while the count is 0
 * only. The arena of a segment is found by the segment's scope, which slices and buffers of the segment share.
 * Thread: any.
 */
public final class ArenaUses implements Pinned {

    /** Added to the count of uses when the arena is closed, or will be as soon as the count is 0. */
    private static final int CLOSING = Integer.MIN_VALUE;
    private static final Map<MemorySegment.Scope, ArenaUses> OPEN = new ConcurrentHashMap<>();

    private final Arena arena = Arena.ofShared();
    private final AtomicInteger state = new AtomicInteger();
    private final AtomicInteger registrations = new AtomicInteger();
    private final AtomicInteger abandoned = new AtomicInteger();
    /** The future that the end of the arena completes, once that was asked for. */
    private final AtomicReference<@Nullable CompletableFuture<Void>> ending = new AtomicReference<>();
    private final Pinned registration = new Pinned() {
        @Override
        public void pin() {
            ArenaUses.this.pin();
            registrations.incrementAndGet();
        }

        @Override
        public void unpin() {
            registrations.decrementAndGet();
            ArenaUses.this.unpin();
        }

        @Override
        public void abandon() {
            ArenaUses.this.abandon();
        }
    };

    private ArenaUses() {
    }

    public static ArenaUses open() {
        ArenaUses uses = new ArenaUses();
        OPEN.put(uses.scope(), uses);
        return uses;
    }

    /** The arena of some memory; null when it is none of these, or has ended. */
    public static @Nullable ArenaUses of(MemorySegment memory) {
        return OPEN.get(memory.scope());
    }

    public MemorySegment allocate(long bytes, long alignment) {
        if (state.get() < 0) {
            throw new IllegalStateException("arena: it is closed");
        }
        return arena.allocate(bytes, alignment);
    }

    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    /** Returns the pin of a registration, for as long as it is open. */
    public Pinned registration() {
        return registration;
    }

    /** The number of operations and registrations that use the memory. */
    public int count() {
        return state.get() & ~CLOSING;
    }

    @Override
    public void pin() {
        int before;
        do {
            before = state.get();
            if (before < 0) {
                throw new IllegalArgumentException("memory of an arena that is closed");
            }
        } while (!state.compareAndSet(before, before + 1));
    }

    @Override
    public void unpin() {
        if (state.decrementAndGet() == CLOSING) {
            // Not on this thread, which drives UCX: closing a shared arena waits for all threads, and calls what the
            // application wants to be called.
            Thread.startVirtualThread(this::endLater);
        }
    }

    @Override
    public void abandon() {
        abandoned.incrementAndGet();
        failWhenAbandoned();
    }

    /** Closes the arena, or throws when something uses its memory. */
    public void close() {
        if (!state.compareAndSet(0, CLOSING)) {
            throw new IllegalStateException(refusal());
        }
        end();
    }

    /** Closes the arena as soon as nothing uses its memory. Nothing can begin to use it from now on. */
    public CompletableFuture<Void> closeAsync() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> earlier = ending.compareAndExchange(null, mine);
        if (earlier != null) {
            return earlier.copy();
        }
        int before = state.getAndUpdate(count -> count < 0 ? count : count + CLOSING);
        if (before < 0) {
            ending.set(null);
            mine.completeExceptionally(new IllegalStateException(refusal()));
        } else if (before == 0) {
            endLater();
        } else {
            failWhenAbandoned();
        }
        return mine.copy();
    }

    private void endLater() {
        CompletableFuture<Void> result = Objects.requireNonNull(ending.get());
        try {
            end();
            result.complete(null);
        } catch (Throwable t) {
            if (arena.scope().isAlive()) {
                ending.set(null);
            }
            result.completeExceptionally(t);
        }
    }

    /** Throws, with the arena open again, while another thread accesses the memory. */
    private void end() {
        try {
            arena.close();
        } finally {
            if (arena.scope().isAlive()) {
                state.set(0);
            } else {
                OPEN.remove(scope());
            }
        }
    }

    /** An operation of an abandoned worker never ends, and the memory stays with the process. */
    private void failWhenAbandoned() {
        CompletableFuture<Void> result = ending.get();
        int never = abandoned.get();
        if (result != null && never > 0 && state.get() == CLOSING + never) {
            result.completeExceptionally(new IllegalStateException(refusal()));
        }
    }

    private String refusal() {
        int count = count();
        int never = abandoned.get();
        if (never > 0) {
            return "arena: " + count + " operations and registrations use its memory, " + never
                    + " of them of workers that were abandoned: the memory stays with the process";
        }
        if (count > 0) {
            int registered = registrations.get();
            return "arena: " + (count - registered) + " operations and " + registered + " registrations of UCX use its"
                    + " memory; let them end first, or call closeAsync(), which closes the arena after the last of"
                    + " them";
        }
        return "arena: it is closed";
    }
}
