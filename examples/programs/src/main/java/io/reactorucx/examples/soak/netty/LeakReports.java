package io.reactorucx.examples.soak.netty;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Netty's reports of buffers of this process that were not released. Netty logs each of them, too. */
final class LeakReports {

    /** The virtual machine hands the references of one collection over in no order, but before those of the next. */
    private static final int COLLECTIONS = 2;
    private static final Duration COLLECTED_WITHIN = Duration.ofSeconds(10);
    private static final AtomicLong COUNT = new AtomicLong();
    private static final AtomicLong PLANTED = new AtomicLong();

    private LeakReports() {
    }

    /** Watches each buffer from now on. */
    static void watch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> COUNT.incrementAndGet());
    }

    /** Returns the number of reports, after garbage collections that bring about what is still missing. */
    static long settled() {
        for (int i = 0; i < COLLECTIONS; i++) {
            awaitCollection();
        }
        long end = System.nanoTime() + COLLECTED_WITHIN.toNanos();
        do {
            // Netty reports when the next buffer is made; a thread that makes one at this moment may report it, too.
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        } while (COUNT.get() < PLANTED.get() && System.nanoTime() < end);
        return COUNT.get();
    }

    /** Returns when the references to what was garbage at the call have been handed over. */
    private static void awaitCollection() {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> garbage = new WeakReference<>(new Object(), collected);
        try {
            System.gc();
            if (collected.remove(COLLECTED_WITHIN.toMillis()) != garbage) {
                throw new IllegalStateException("garbage was not collected within " + COLLECTED_WITHIN);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in a garbage collection", e);
        }
    }

    /** Loses a buffer, which has to be reported. */
    static void plant() {
        PLANTED.incrementAndGet();
        PooledByteBufAllocator.DEFAULT.directBuffer(1).touch("lost on purpose");
    }
}
