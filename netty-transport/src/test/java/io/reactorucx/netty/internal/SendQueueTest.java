package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import org.junit.jupiter.api.Test;

/** Data that its writer has released once too often. */
class SendQueueTest {

    private final SendQueue queue = new SendQueue();

    @Test
    void staysEmptyWhenNothingCouldBeCopied() {
        ByteBuf released = data();
        released.release();

        assertThatThrownBy(() -> queue.addCopy(released, 8, ByteBufAllocator.DEFAULT))
                .isInstanceOf(IllegalReferenceCountException.class);

        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void endsAlsoWithReleasedDataAndReleasesTheRest() {
        ByteBuf released = data();
        ByteBuf kept = data();
        queue.add(released);
        queue.add(kept);
        released.release();

        queue.clear();

        assertThat(queue.isEmpty()).isTrue();
        assertThat(kept.refCnt()).isZero();
    }

    private static ByteBuf data() {
        return Unpooled.directBuffer(8).writeZero(8);
    }
}
