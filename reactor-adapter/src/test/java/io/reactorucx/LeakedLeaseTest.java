package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.application.LeakingApplication;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.buffer.LeakReporter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Leaked leases are logged, counted and reclaimed, but never while their memory is reachable. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class LeakedLeaseTest implements NeedsUcx {

    private static final long LIMIT = 8L * Bytes.MIB;

    private final LeakLog told = new LeakLog();
    private UcxResources resources;
    private UcxBufferPool pool;

    private void open(LeakDetection level) {
        resources = told.by(UcxResources.builder(), level).transports("tcp").maxBufferBytes(LIMIT).build();
        pool = resources.buffers();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            assertThat(pool.leases()).isZero();
            resources.disposeNow();
            assertThat(resources.context().isClosed()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(value = LeakDetection.class, names = {"ADVANCED", "PARANOID"})
    void lostLeaseComesBackAndItsPlaceIsNamed(LeakDetection level) {
        open(level);
        LeakingApplication.dropLease(pool, 1234);
        assertThat(pool.leases()).isEqualTo(1);
        LeakLog.awaitLeased(pool, 0);

        assertThat(pool.leakedLeases()).isEqualTo(1);
        assertThat(pool.leasedBytes()).isZero();
        await().atMost(Waits.PATIENCE).until(() -> !told.leaks().isEmpty());
        LeakLog.Leak leak = told.leaks().getFirst();
        assertThat(leak.text()).contains("1234 bytes", "so far: 1",
                LeakingApplication.class.getName() + ".dropLease(LeakingApplication.java:");
        assertThat(leak.place()).isNotNull();
        assertThat(leak.place().getStackTrace()).anySatisfy(frame -> assertThat(frame.getMethodName())
                .isEqualTo("dropLease"))
                .anySatisfy(frame -> assertThat(frame.getClassName()).isEqualTo(LeakedLeaseTest.class.getName()));
        UcxBuffer again = pool.acquire(LIMIT);
        again.release();
    }

    /** The thread that subscribes to the wait has no method of the application on its stack. */
    @Test
    void placeOfALeaseThatWasAwaitedIsWhereItWasAskedFor() {
        open(LeakDetection.ADVANCED);
        LeakingApplication.dropAwaited(pool).block(Waits.PATIENCE);
        LeakLog.awaitLeased(pool, 0);
        await().atMost(Waits.PATIENCE).until(() -> !told.leaks().isEmpty());
        assertThat(told.leaks().getFirst().text()).contains("It was allocated at "
                + LeakingApplication.class.getName() + ".");
    }

    @Test
    void releasedLeaseIsNoLeak() {
        open(LeakDetection.ADVANCED);
        for (int i = 0; i < 100; i++) {
            UcxBuffer lease = pool.acquire(i);
            UcxBuffer slice = lease.slice(0, i / 2);
            lease.retain().release();
            lease.release();
            slice.release();
        }
        LeakLog.awaitCollection(pool);
        assertThat(pool.leakedLeases()).as("those that were dropped to find out").isEqualTo(3);
        assertThat(pool.leases()).isZero();
    }

    @Test
    void someLeasesAreWatchedByDefaultAndNoneWhenDisabled() {
        assertThat(LeakReporter.defaultLevel()).isEqualTo(LeakDetection.SIMPLE);
        open(LeakDetection.SIMPLE);
        List<UcxBuffer> leases = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            leases.add(pool.acquire(10));
        }
        int watched = LeakLog.releaseAllButWatched(leases);
        assertThat(watched).isBetween(1, 200);
        leases.clear();
        LeakLog.awaitLeased(pool, 0);

        assertThat(pool.leakedLeases()).isEqualTo(watched);
        await().atMost(Waits.PATIENCE).until(() -> !told.leaks().isEmpty());
        assertThat(told.leaks().getFirst().text()).contains("10 bytes", "one in 128",
                "-Dreactorucx.leakDetection=advanced");
        assertThat(told.leaks().getFirst().place()).isNull();
        close();

        open(LeakDetection.DISABLED);
        for (int i = 0; i < 2000; i++) {
            leases.add(pool.acquire(10));
        }
        assertThat(LeakLog.releaseAllButWatched(leases)).isZero();
        assertThat(pool.leakedLeases()).isZero();
    }

    @Test
    void memoryThatCanBeReachedIsNotTakenBack() {
        open(LeakDetection.ADVANCED);
        List<Function<MemorySegment, Object>> holders = List.of(segment -> segment, segment -> segment.asSlice(10, 5),
                segment -> segment.asByteBuffer().slice(3, 7), segment -> segment.asReadOnly().asByteBuffer());
        for (Function<MemorySegment, Object> holder : holders) {
            Object held = holder.apply(dropped());
            LeakLog.awaitCollection(pool);
            assertThat(pool.leases()).as("still reachable").isEqualTo(1);
            assertThat(firstByte(held)).isEqualTo((byte) 42);
            Reference.reachabilityFence(held);
            held = null;
            LeakLog.awaitLeased(pool, 0);
        }
    }

    private MemorySegment dropped() {
        return pool.acquire(100).segment().fill((byte) 42);
    }

    private static byte firstByte(Object held) {
        return held instanceof MemorySegment segment ? segment.get(ValueLayout.JAVA_BYTE, 0)
                : ((ByteBuffer) held).get(0);
    }

    @Test
    void sliceKeepsTheMemoryAndLosesItLikeALease() {
        open(LeakDetection.ADVANCED);
        UcxBuffer slice = sliceOfReleased();
        LeakLog.awaitCollection(pool);
        assertThat(pool.leases()).isEqualTo(1);
        assertThat(firstByte(slice.segment())).isEqualTo((byte) 42);
        Reference.reachabilityFence(slice);
        slice = null;
        LeakLog.awaitLeased(pool, 0);
    }

    private UcxBuffer sliceOfReleased() {
        UcxBuffer parent = pool.acquire(100);
        parent.segment().fill((byte) 42);
        UcxBuffer slice = parent.slice(50, 50);
        parent.release();
        return slice;
    }

    @Test
    void paranoidReportShowsTheLastPlaces() {
        open(LeakDetection.PARANOID);
        LeakingApplication.useAndDropLease(pool, 20);
        LeakLog.awaitLeased(pool, 0);
        await().atMost(Waits.PATIENCE).until(() -> !told.leaks().isEmpty());

        List<Throwable> places = List.of(told.leaks().getFirst().place().getSuppressed());
        assertThat(places).extracting(Throwable::getMessage)
                .containsExactly("14 earlier ones are forgotten", "touch: touch number 13",
                "touch: touch number 14", "touch: touch number 15", "touch: touch number 16", "touch: touch number 17",
                "touch: touch number 18", "touch: touch number 19", "release");
        assertThat(Arrays.asList(places.getLast().getStackTrace())).extracting(StackTraceElement::getMethodName)
                .contains("useAndDropLease");
    }

    @Test
    void hintsAreKeptAsTextOnly() {
        open(LeakDetection.PARANOID);
        UcxBuffer lease = pool.acquire(1);
        lease.touch(new Object() {
            @Override
            public String toString() {
                return "x".repeat(10_000) + lease.length();
            }
        });
        assertThatThrownBy(() -> lease.touch(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("hint");
        lease.release();
        dropTouchedWithItself();
        LeakLog.awaitLeased(pool, 0);
        assertThat(pool.leakedLeases()).isEqualTo(1);
    }

    private void dropTouchedWithItself() {
        UcxBuffer lease = pool.acquire(1);
        lease.touch(lease);
    }

    @Test
    void reportsAreBounded() {
        open(LeakDetection.ADVANCED);
        for (int i = 0; i < 50; i++) {
            LeakingApplication.dropLease(pool, i);
        }
        LeakLog.awaitLeased(pool, 0);
        assertThat(pool.leakedLeases()).isEqualTo(50);
        await().atMost(Waits.PATIENCE).until(() -> told.leaks().size() == 10);
        LeakLog.awaitCollection(pool);
        assertThat(told.leaks()).hasSize(10);
    }

    @Test
    void lostLeaseComesBackAfterTheEndToo() {
        open(LeakDetection.ADVANCED);
        LeakingApplication.dropLease(pool, 10);
        resources.disposeNow();
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(resources.context().isClosed()).isTrue();
        });
    }

    @Test
    void memoryThatWasKeptBeyondTheReleaseIsNotReadOnceItIsFreed() {
        open(LeakDetection.ADVANCED);
        UcxBuffer small = pool.acquire(100);
        MemorySegment kept = small.segment().fill((byte) 1);
        ByteBuffer keptBuffer = small.byteBuffer();
        small.release();
        UcxBuffer all = pool.acquire(LIMIT);

        assertThatThrownBy(() -> kept.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> keptBuffer.get(0)).isInstanceOf(IllegalStateException.class);
        all.release();
    }

    @Test
    void levelIsThatOfThePropertyWhereTheBuilderSaysNothing() {
        String before = System.getProperty(LeakDetection.PROPERTY);
        try {
            System.setProperty(LeakDetection.PROPERTY, "paranoid");
            assertThat(LeakReporter.defaultLevel()).isEqualTo(LeakDetection.PARANOID);
            System.setProperty(LeakDetection.PROPERTY, "much");
            assertThatThrownBy(() -> UcxResources.builder().build()).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(LeakDetection.PROPERTY).hasMessageContaining("much")
                    .hasMessageContaining("ADVANCED");
            open(LeakDetection.SIMPLE);
        } finally {
            if (before == null) {
                System.clearProperty(LeakDetection.PROPERTY);
            } else {
                System.setProperty(LeakDetection.PROPERTY, before);
            }
        }
    }
}
