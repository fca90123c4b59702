package io.reactorucx.examples.soak.netty;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.concurrent.atomic.LongAdder;

/** Netty's reports of buffers of this process that were not released. Netty logs each of them, too. */
final class LeakReports {

    private static final int ROUNDS = 3;
    private static final LongAdder COUNT = new LongAdder();

    private LeakReports() {
    }

    /** Watches each buffer from now on. */
    static void watch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> COUNT.increment());
    }

    /** Returns the number of reports, after garbage collections that bring about what is still missing. */
    static long settled() {
        for (int i = 0; i < ROUNDS; i++) {
            System.gc();
            // Netty reports when the next buffer is made.
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        return COUNT.sum();
    }

    /** Loses a buffer, which has to be reported. */
    static void plant() {
        PooledByteBufAllocator.DEFAULT.directBuffer(1).touch("lost on purpose");
    }
}
