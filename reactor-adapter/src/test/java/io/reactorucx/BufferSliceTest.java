package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Parts of a lease, each released on its own. */
@ExtendWith(NoLeaks.class)
class BufferSliceTest implements NeedsUcx {

    private UcxResources resources;
    private UcxBufferPool pool;

    @BeforeEach
    void open() {
        resources = UcxResources.builder().transports("tcp").build();
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
    void slicesShowTheirPartOfTheMemory() {
        UcxBuffer parent = pool.acquire(1000);
        Bytes.fill(parent.segment(), 1);
        UcxBuffer slice = parent.slice(100, 200);
        UcxBuffer ofSlice = slice.slice(50, 150);
        UcxBuffer empty = parent.slice(1000, 0);

        Bytes.assertSame(slice.segment(), parent.segment().asSlice(100, 200));
        assertThat(ofSlice.segment().address()).isEqualTo(parent.segment().address() + 150);
        assertThat(List.of(slice.length(), ofSlice.length(), empty.length())).containsExactly(200L, 150L, 0L);
        assertThat(pool.leases()).as("they share one").isEqualTo(1);
        List.of(parent, slice, ofSlice, empty).forEach(UcxBuffer::release);
    }

    @Test
    void memoryGoesBackWithTheLastOfThem() {
        UcxBuffer parent = pool.acquire(1000);
        UcxBuffer first = parent.slice(0, 500);
        UcxBuffer second = parent.slice(500, 500).retain();
        parent.release();
        assertThatThrownBy(parent::segment).isInstanceOf(IllegalStateException.class).hasMessageContaining("1000")
                .hasMessageContaining("released");
        Bytes.fill(first.segment(), 1);
        Bytes.fill(second.segment(), 2);
        first.release();
        second.release();
        assertThat(pool.leases()).isEqualTo(1);
        Bytes.assertSame(second.segment(), Bytes.pattern(2, 500));

        UcxBuffer late = second.slice(100, 10);
        second.release();
        assertThat(pool.leases()).as("a slice of the last slice").isEqualTo(1);
        late.release();
        assertThat(pool.leases()).isZero();
    }

    @Test
    void secondReleaseOfASliceTakesNothingFromTheOthers() {
        UcxBuffer parent = pool.acquire(100);
        UcxBuffer slice = parent.slice(0, 50);
        slice.release();
        slice.dispose();
        assertThatThrownBy(slice::release).isInstanceOf(IllegalStateException.class).hasMessageContaining("50");
        assertThat(slice.isDisposed()).isTrue();

        assertThat(parent.isDisposed()).isFalse();
        Bytes.fill(parent.segment(), 1);
        parent.release();
    }

    @Test
    void releasedBuffersAndRangesOutsideAreRefused() {
        UcxBuffer parent = pool.acquire(100);
        assertThatThrownBy(() -> parent.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> parent.slice(0, -1)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> parent.slice(60, 41)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("100");
        assertThatThrownBy(() -> parent.slice(1, Long.MAX_VALUE)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> parent.slice(Long.MAX_VALUE, Long.MAX_VALUE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        UcxBuffer slice = parent.slice(10, 10);
        parent.release();
        assertThatThrownBy(() -> parent.slice(0, 1)).as("although a slice is out")
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> slice.slice(5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        slice.release();
        assertThatThrownBy(() -> slice.slice(0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bytesAndTextAreCopied() {
        byte[] bytes = "Grüße".getBytes(StandardCharsets.UTF_8);
        UcxBuffer buffer = pool.copyOf(bytes);
        bytes[0] = 'X';

        assertThat(buffer.length()).isEqualTo(7);
        assertThat(buffer.toString(StandardCharsets.UTF_8)).isEqualTo("Grüße");
        UcxBuffer start = buffer.slice(0, 2);
        assertThat(start.toByteArray()).containsExactly('G', 'r');
        start.release();
        buffer.toByteArray()[0] = 'Y';
        assertThat(buffer.toByteArray()[0]).isEqualTo((byte) 'G');
        assertThatThrownBy(() -> buffer.toString(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("charset");
        assertThatThrownBy(() -> pool.copyOf(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("bytes");
        buffer.release();
        assertThatThrownBy(buffer::toByteArray).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void slicesAreSentLikeOtherLeases() {
        try (Peers peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS)) {
            Inbox inbox = Inbox.of(peers.served(), 5);
            UcxBuffer parent = peers.clientResources().buffers().acquire(300_000);
            Bytes.fill(parent.segment(), 3);
            MemorySegment expected = Bytes.zeroed(100_000).copyFrom(parent.segment().asSlice(1234, 100_000));
            UcxBuffer slice = parent.slice(1234, 100_000);
            PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                    .send(5, MemorySegment.NULL, slice, AmProtocol.RENDEZVOUS));
            parent.release();
            slice.release();
            assertThat(peers.clientResources().buffers().leases()).as("UCX reads it").isEqualTo(1);

            Bytes.assertSame(Bytes.of(inbox.next()), expected);
            sent.assertDone();
        }
    }

    /** Threads release and slice at once: a slice that was returned has its memory, and the block goes back once. */
    @Test
    void releasesAndSlicesMayRace() throws Exception {
        int threads = 4;
        CyclicBarrier together = new CyclicBarrier(threads);
        List<UcxBuffer> parents = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            parents.add(pool.acquire(64));
        }
        List<CompletableFuture<Integer>> running = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            running.add(CompletableFuture.supplyAsync(() -> raceOver(parents, number, together), task ->
                    new Thread(task).start()));
        }
        int releases = 0;
        for (CompletableFuture<Integer> each : running) {
            releases += Waits.get(each);
        }
        assertThat(releases).as("each parent was released once").isEqualTo(parents.size());
        assertThat(pool.leases()).isZero();
    }

    private static int raceOver(List<UcxBuffer> parents, int number, CyclicBarrier together) {
        int released = 0;
        for (UcxBuffer parent : parents) {
            meet(together);
            try {
                if (number < 2) {
                    parent.release();
                    released++;
                } else {
                    UcxBuffer slice = parent.slice(number * 10L, 8);
                    slice.segment().setAtIndex(ValueLayout.JAVA_BYTE, 0, (byte) number);
                    slice.release();
                }
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("released");
            }
        }
        return released;
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
