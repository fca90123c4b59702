package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import io.reactorucx.codec.MessageEncoder;
import io.rsocket.internal.UnboundedProcessor;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * The frames of a connection that RSocket has sent and that UCX has not taken: RSocket's own queue, which has no limit,
 * with a count of bytes that has one. Frames of one thread stay in order, except that those about the whole connection
 * (stream 0) overtake others.
 *
 * <p>Thread: any.
 */
final class FrameQueue {

    private static final AtomicLongFieldUpdater<FrameQueue> BYTES =
            AtomicLongFieldUpdater.newUpdater(FrameQueue.class, "bytes");

    private final long maxBytes;
    private final Sinks.Empty<Void> emptied = Sinks.empty();
    private final UnboundedProcessor frames = new UnboundedProcessor(emptied::tryEmitEmpty);
    private final Context discarding = Operators.enableOnDiscard(Context.empty(), this::discard);
    private final MessageEncoder<ByteBuf> encoder = new FrameEncoder();
    private volatile long bytes;

    FrameQueue(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Adds a frame, and releases it if the queue has been ended. Returns false, and releases it, if the limit leaves no
     * room for it.
     */
    boolean offer(int streamId, ByteBuf frame) {
        int length = frame.readableBytes();
        long before = BYTES.getAndAdd(this, length);
        if (before > 0 && before + length > maxBytes) {
            removed(length);
            frame.release();
            return false;
        }
        boolean queued = streamId == 0 ? frames.tryEmitPrioritized(frame) : frames.tryEmitNormal(frame);
        if (!queued) {
            removed(length);
        }
        return true;
    }

    /**
     * Adds a last frame, which stands behind those that were offered before. RSocket's queue has a place of its own for
     * a last frame, but forgets it when there is no demand then: the frame would stay until the connection is given up.
     */
    void end(ByteBuf last) {
        int length = last.readableBytes();
        BYTES.getAndAdd(this, length);
        if (!frames.tryEmitNormal(last)) {
            removed(length);
        }
        end();
    }

    /** Takes no more frames; those that wait may still be sent. */
    @SuppressWarnings("deprecation") // The queue has no other way to end without a frame.
    void end() {
        frames.onComplete();
    }

    /** Releases all frames, and takes no more. */
    @SuppressWarnings("deprecation") // A cancel would not tell the subscriber.
    void dispose() {
        frames.dispose();
    }

    /** {@return completes when no frame is in the queue, and none can come} */
    Mono<Void> emptied() {
        return emptied.asMono();
    }

    /** {@return the frames, for one subscriber} */
    Publisher<ByteBuf> frames() {
        return frames;
    }

    /** {@return a context in which frames that are not sent are released} */
    Context discarding() {
        return discarding;
    }

    /** {@return what makes messages of the frames, each of which stays counted until it is released} */
    MessageEncoder<ByteBuf> encoder() {
        return encoder;
    }

    private void discard(Object dropped) {
        if (dropped instanceof ByteBuf frame) {
            encoder.release(frame);
        }
    }

    private void removed(int length) {
        BYTES.addAndGet(this, -length);
    }

    long bytes() {
        return bytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    private final class FrameEncoder implements MessageEncoder<ByteBuf> {

        @Override
        public int length(ByteBuf frame) {
            return frame.readableBytes();
        }

        @Override
        public void encode(ByteBuf frame, ByteBuffer target) {
            frame.getBytes(frame.readerIndex(), target);
        }

        @Override
        public int encode(ByteBuf frame, byte[] target, int offset, int length) {
            frame.getBytes(frame.readerIndex(), target, offset, length);
            return length;
        }

        @Override
        public void release(ByteBuf frame) {
            removed(frame.readableBytes());
            frame.release();
        }
    }
}
