package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** The queue between RSocket and a connection. */
class FrameQueueTest {

    private static final int LIMIT = 10;

    private final FrameQueue queue = new FrameQueue(LIMIT);
    private final List<ByteBuf> all = new ArrayList<>();

    private ByteBuf frame(int length) {
        ByteBuf frame = Unpooled.buffer(length).writeZero(length);
        all.add(frame);
        return frame;
    }

    private Taker subscribe() {
        Taker taker = new Taker();
        queue.frames().subscribe(taker);
        return taker;
    }

    @Test
    void countsBytesUntilAFrameHasLeft() {
        Taker taker = subscribe();
        assertThat(queue.offer(1, frame(4))).isTrue();
        assertThat(queue.offer(1, frame(6))).isTrue();
        assertThat(queue.bytes()).isEqualTo(10);

        taker.request(1);
        assertThat(queue.bytes()).as("taken, and not yet released").isEqualTo(10);
        taker.release();
        assertThat(queue.bytes()).isEqualTo(6);
        assertThat(all.getFirst().refCnt()).isZero();
    }

    @Test
    void refusesAndReleasesAFrameBeyondTheLimit() {
        subscribe();
        assertThat(queue.offer(1, frame(4))).isTrue();
        assertThat(queue.offer(1, frame(7))).isFalse();

        assertThat(all.get(1).refCnt()).isZero();
        assertThat(queue.bytes()).isEqualTo(4);
        assertThat(queue.offer(1, frame(6))).as("one that fits").isTrue();
    }

    @Test
    void takesASingleFrameOfAnySize() {
        subscribe();
        assertThat(queue.offer(1, frame(LIMIT + 1))).isTrue();
        assertThat(queue.offer(1, frame(1))).isFalse();
    }

    @Test
    void framesOfTheConnectionOvertakeThoseOfStreams() {
        Taker taker = subscribe();
        queue.offer(1, frame(1));
        queue.offer(3, frame(2));
        queue.offer(0, frame(3));
        taker.request(3);

        assertThat(taker.taken).containsExactly(all.get(2), all.get(0), all.get(1));
    }

    @Test
    void theLastFrameStandsBehindAllOthers() {
        Taker taker = subscribe();
        queue.offer(1, frame(1));
        queue.end(frame(2));
        assertThat(queue.offer(1, frame(3))).as("released without a complaint").isTrue();
        taker.request(5);

        assertThat(taker.taken).containsExactly(all.get(0), all.get(1));
        assertThat(taker.completed).isTrue();
        assertThat(all.get(2).refCnt()).isZero();
        taker.release();
        taker.release();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void theLastFrameWaitsForDemand() {
        Taker taker = subscribe();
        taker.request(1);
        queue.offer(0, frame(1));
        queue.end(frame(2));
        assertThat(taker.taken).hasSize(1);
        assertThat(taker.completed).isFalse();

        taker.request(1);

        assertThat(taker.taken).containsExactly(all.get(0), all.get(1));
        assertThat(taker.completed).isTrue();
    }

    @Test
    void releasesWhatWaitsWhenItIsDisposedOf() {
        List<String> emptied = new ArrayList<>();
        queue.emptied().subscribe(ignored -> { }, error -> { }, () -> emptied.add("emptied"));
        subscribe();
        queue.offer(1, frame(1));
        queue.offer(0, frame(2));
        assertThat(emptied).isEmpty();
        queue.dispose();
        queue.offer(1, frame(3));

        assertThat(emptied).hasSize(1);
        assertThat(all).allSatisfy(frame -> assertThat(frame.refCnt()).isZero());
    }

    @Test
    void endsWithoutASubscriber() {
        List<String> emptied = new ArrayList<>();
        queue.emptied().subscribe(ignored -> { }, error -> { }, () -> emptied.add("emptied"));
        queue.offer(1, frame(1));
        queue.dispose();

        assertThat(emptied).hasSize(1);
        assertThat(all.getFirst().refCnt()).isZero();
    }

    private final class Taker extends BaseSubscriber<ByteBuf> {

        private final List<ByteBuf> taken = new ArrayList<>();
        private int released;
        private boolean completed;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Requests come from the tests.
        }

        @Override
        protected void hookOnNext(ByteBuf frame) {
            taken.add(frame);
        }

        @Override
        protected void hookOnComplete() {
            completed = true;
        }

        @Override
        protected void hookOnError(Throwable error) {
            // That of dispose().
        }

        /** Releases the next frame as a connection does that has sent it. */
        void release() {
            queue.encoder().release(taken.get(released++));
        }
    }
}
