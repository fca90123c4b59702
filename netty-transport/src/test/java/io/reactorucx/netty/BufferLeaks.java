package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.reactorucx.testsupport.TestTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Netty's detection of buffers that were not released, for each buffer. As an extension it detects from before the
 * first test of a class to behind the last.
 */
final class BufferLeaks implements AutoCloseable, BeforeAllCallback, AfterAllCallback {

    private static final AtomicInteger CHECKS = new AtomicInteger();
    private static final int ROUNDS_BEHIND = 3;

    private final List<String> reports = new CopyOnWriteArrayList<>();
    private ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    /** Detects from now on, for classes that are not run by JUnit 5. */
    static BufferLeaks start() {
        BufferLeaks started = new BufferLeaks();
        started.detect();
        return started;
    }

    private void detect() {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> reports.add(records));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        detect();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    /** Fails if a buffer was lost. Loses one on purpose, whose report shows that the detection works. */
    @Override
    public void close() {
        String purpose = "lost on purpose " + CHECKS.incrementAndGet();
        try {
            lose(purpose);
            await().atMost(TestTime.seconds(30)).until(() -> {
                collect();
                return reports.stream().anyMatch(each -> each.contains(purpose));
            });
            for (int i = 0; i < ROUNDS_BEHIND; i++) {
                collect();
            }
            assertThat(reports).filteredOn(each -> !each.contains(purpose)).isEmpty();
        } finally {
            ByteBufUtil.setLeakListener(null);
            ResourceLeakDetector.setLevel(before);
        }
    }

    private static void lose(String purpose) {
        PooledByteBufAllocator.DEFAULT.directBuffer(16).touch(purpose);
    }

    /** The detector reports with the next buffer that is made. */
    private static void collect() {
        System.gc();
        PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
    }
}
