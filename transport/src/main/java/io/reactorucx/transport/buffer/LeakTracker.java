package io.reactorucx.transport.buffer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Detects the leak of a lease by a companion object of its memory. The lease, its slices, and segments and buffers of
 * its memory refer to the companion, and so does an operation of UCX. So memory that is still in use is never
 * reclaimed.
 */
final class LeakTracker extends LeakReaper.Watched<Object> {

    private static final int MAX_ORIGINS = 4;

    private final Consumer<LeakTracker> whenUnreachable;
    private final BufferSlab.Block block;
    private final long bytes;
    private final @Nullable LeakRecord allocated;
    private final @Nullable LeakTrace trace;
    /** More than one where messages of several receivers share the memory. */
    private final List<LeaseOrigin> origins = new ArrayList<>(1);

    LeakTracker(Object companion, Consumer<LeakTracker> whenUnreachable, BufferSlab.Block block, long bytes,
            @Nullable LeakRecord allocated, @Nullable LeakTrace trace) {
        super(companion);
        this.whenUnreachable = whenUnreachable;
        this.block = block;
        this.bytes = bytes;
        this.allocated = allocated;
        this.trace = trace;
    }

    BufferSlab.Block block() {
        return block;
    }

    @Nullable LeakTrace trace() {
        return trace;
    }

    /** Adds what the library has received into the lease. Any thread. */
    void received(LeaseOrigin origin) {
        synchronized (origins) {
            if (origins.size() < MAX_ORIGINS
                    && origins.stream().noneMatch(known -> known.text().equals(origin.text()))) {
                origins.add(origin);
            }
        }
    }

    @Override
    public void unreachable() {
        whenUnreachable.accept(this);
    }

    void report(LeakReporter leaks) {
        List<LeaseOrigin> known;
        synchronized (origins) {
            known = List.copyOf(origins);
        }
        leaks.leaseLeaked(bytes, allocated, known, trace);
    }
}
