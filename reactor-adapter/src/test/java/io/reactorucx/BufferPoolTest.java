package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Leases: their size, their number, their end. */
@ExtendWith(NoLeaks.class)
class BufferPoolTest implements NeedsUcx {

    private static final long LIMIT = 8L * Bytes.MIB;

    private UcxResources resources;
    private UcxBufferPool pool;

    @BeforeEach
    void open() {
        resources = UcxResources.builder().transports("tcp").maxBufferBytes(LIMIT).build();
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

    @Test
    void leaseIsAsLongAsWasAskedFor() {
        for (long size : new long[] {0, 1, 4095, 4096, 4097, 100_000, Bytes.MIB, LIMIT}) {
            UcxBuffer buffer = pool.acquire(size);
            assertThat(buffer.length()).isEqualTo(size);
            assertThat(buffer.segment().byteSize()).isEqualTo(size);
            assertThat(buffer.segment().isNative()).isTrue();
            assertThat(buffer.byteBuffer().remaining()).isEqualTo((int) size);
            assertThat(pool.leasedBytes()).isGreaterThanOrEqualTo(Math.max(size, UcxBufferPool.MIN_BLOCK_BYTES));
            buffer.release();
            assertThat(pool.leasedBytes()).isZero();
        }
        assertThat(pool.maxBytes()).isEqualTo(LIMIT);
        assertThat(pool.slabBytes()).isLessThanOrEqualTo(LIMIT);
        assertThat(resources.context().registeredBytes()).isEqualTo(pool.slabBytes());
    }

    @Test
    void leasesDoNotOverlap() {
        List<UcxBuffer> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            leases.add(pool.acquire(10_000 + i));
            Bytes.fill(leases.getLast().segment(), i);
        }
        for (int i = 0; i < 50; i++) {
            Bytes.assertSame(leases.get(i).segment(), Bytes.pattern(i, 10_000 + i));
        }
        leases.forEach(UcxBuffer::release);
    }

    @Test
    void sizesOutsideTheLimitAreRefused() {
        assertThatThrownBy(() -> pool.acquire(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> pool.acquire(LIMIT + 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Long.toString(LIMIT));
        assertThatThrownBy(() -> UcxResources.builder().maxBufferBytes(1).transports("tcp").build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void exhaustionIsRetryableAndEndsWithARelease() {
        List<UcxBuffer> leases = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            leases.add(pool.acquire(Bytes.MIB));
        }
        assertThatThrownBy(() -> pool.acquire(1)).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
            assertThat(error.isRetryable()).isTrue();
            assertThat(error.isConnectionLost()).isFalse();
        });
        assertThat(pool.leases()).isEqualTo(8);

        leases.removeLast().release();
        leases.add(pool.acquire(Bytes.MIB));
        leases.forEach(UcxBuffer::release);
    }

    @Test
    void memoryOfOneSizeServesOtherSizesLater() {
        for (long size : new long[] {4096, Bytes.MIB, 4L * Bytes.MIB, LIMIT, 10_000}) {
            List<UcxBuffer> leases = new ArrayList<>();
            for (long leased = 0; leased + size <= LIMIT && leases.size() < 2000; leased += size) {
                try {
                    leases.add(pool.acquire(size));
                } catch (UcxException e) {
                    break;
                }
            }
            assertThat(leases).as("leases of %d bytes", size).isNotEmpty();
            leases.forEach(lease -> Bytes.fill(lease.segment(), 1));
            leases.forEach(UcxBuffer::release);
        }
        assertThat(resources.context().registeredBytes()).isEqualTo(pool.slabBytes()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void leasedMemoryIsNotGivenToOtherSizes() {
        UcxBuffer small = pool.acquire(100);
        Bytes.fill(small.segment(), 1);
        UcxBuffer large = pool.acquire(4L * Bytes.MIB);
        Bytes.fill(large.segment(), 2);
        assertThatThrownBy(() -> pool.acquire(Bytes.MIB)).isInstanceOf(UcxException.class);

        Bytes.assertSame(small.segment(), Bytes.pattern(1, 100));
        Bytes.assertSame(large.segment(), Bytes.pattern(2, 4L * Bytes.MIB));
        small.release();
        UcxBuffer middle = pool.acquire(Bytes.MIB);
        Bytes.fill(middle.segment(), 3);
        Bytes.assertSame(large.segment(), Bytes.pattern(2, 4L * Bytes.MIB));
        large.release();
        middle.release();
    }

    @Test
    void secondReleaseIsRefused() {
        UcxBuffer buffer = pool.acquire(10);
        buffer.release();

        assertThat(buffer.isDisposed()).isTrue();
        assertThatThrownBy(buffer::release).isInstanceOf(IllegalStateException.class).hasMessageContaining("released");
        assertThat(pool.leases()).isZero();
    }

    @Test
    void disposalMayBeRepeatedAndGivesNothingBackTwice() {
        UcxBuffer buffer = pool.acquire(10);
        buffer.dispose();
        UcxBuffer other = pool.acquire(10);
        buffer.dispose();

        assertThat(buffer.isDisposed()).isTrue();
        assertThat(pool.leases()).isEqualTo(1);
        other.release();
        assertThat(pool.leases()).isZero();
    }

    @Test
    void useAfterReleaseIsRefused() {
        UcxBuffer buffer = pool.acquire(10);
        buffer.release();

        assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class).hasMessageContaining("released");
        assertThatThrownBy(buffer::byteBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(buffer::retain).isInstanceOf(IllegalStateException.class);
        assertThat(buffer.length()).isEqualTo(10);
    }

    @Test
    void retainedLeaseEndsWithItsLastRelease() {
        UcxBuffer buffer = pool.acquire(10);
        assertThat(buffer.retain()).isSameAs(buffer);
        buffer.retain();
        buffer.release();
        buffer.release();
        assertThat(buffer.isDisposed()).isFalse();
        assertThat(pool.leases()).isEqualTo(1);
        buffer.dispose();
        assertThat(buffer.isDisposed()).isTrue();
        assertThat(pool.leases()).isZero();
    }

    @Test
    void manyThreadsShareThePool() {
        Set<Long> addresses = new HashSet<>();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            long seed = thread;
            threads.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 500; i++) {
                    UcxBuffer buffer = pool.acquire(1 + (seed * 7919 + i * 31L) % 50_000);
                    synchronized (addresses) {
                        assertThat(addresses.add(buffer.segment().address())).as("leased once").isTrue();
                    }
                    Bytes.fill(buffer.segment(), seed);
                    Bytes.assertSame(buffer.segment(), Bytes.pattern(seed, buffer.length()));
                    synchronized (addresses) {
                        addresses.remove(buffer.segment().address());
                    }
                    buffer.release();
                }
            }));
        }
        threads.forEach(Waits::get);
    }

    /** The context outlives them, because its memory may be in use; only a leak in the application leads here. */
    @Test
    void forgottenLeaseStaysUsable() {
        UcxResources disposed = UcxResources.builder().transports("tcp").build();
        UcxBuffer forgotten = disposed.buffers().acquire(10);
        disposed.disposeNow();
        assertThat(disposed.context().isClosed()).isFalse();

        Bytes.fill(forgotten.segment(), 1);
        forgotten.release();
        assertThat(disposed.context().openRegistrations()).isZero();
        assertThatThrownBy(() -> disposed.buffers().acquire(1)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        disposed.context().close();
    }
}
