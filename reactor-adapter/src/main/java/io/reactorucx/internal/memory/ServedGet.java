package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.buffer.LeasedBuffer;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.operation.OperationMono;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A read of the peer's memory: straight into its destination where the owner sends it by rendezvous. */
abstract class ServedGet<T> extends ServedOperation<T> {

    private final long offset;
    private final long length;

    ServedGet(OperationMono<T> mono, ServedAccess memory, long offset, long length,
            CoreSubscriber<? super T> subscriber) {
        super(mono, memory, subscriber);
        this.offset = offset;
        this.length = length;
    }

    abstract MemorySegment destination();

    @Override
    final MemoryFrame.Request request(int withId) {
        return new MemoryFrame.Read(withId, memory.key(), offset, length);
    }

    @Override
    final void taken(MemoryFrame.Reply reply, UcpActiveMessage message) {
        if (message.length() != length) {
            fail(MemoryReplyStatus.FAILED.error(kind(), connection().peer()));
            throw new ProtocolViolationException(message.length() + " bytes in reply to a read of " + length);
        }
        if (isGone() || length == 0) {
            proceed();
            return;
        }
        try {
            if (message.isInline()) {
                destination().copyFrom(message.payload());
            } else if (!connection().registry().worker().activeMessages()
                    .fetch(message, destination(), destinationRegistration(),
                        (status, received, tag) -> letGo(status))) {
                givenToUcx();
            }
            proceed();
        } catch (RuntimeException e) {
            // The arena of the destination was closed meanwhile, or UCX has no room for one more operation.
            fail(e);
        }
    }

    @Nullable UcpMemory destinationRegistration() {
        return null;
    }

    @Override
    protected final long bytes(long receivedLength) {
        return length;
    }

    /** Into memory of the caller. */
    static final class IntoSegment extends ServedGet<MemorySegment> {

        private final MemorySegment segment;

        IntoSegment(OperationMono<MemorySegment> mono, ServedAccess memory, long offset, MemorySegment segment,
                CoreSubscriber<? super MemorySegment> subscriber) {
            super(mono, memory, offset, segment.byteSize(), subscriber);
            this.segment = segment;
        }

        @Override
        void checkMemory() {
            MemoryArguments.checkDestination(segment);
        }

        @Override
        MemorySegment destination() {
            return segment;
        }

        @Override
        public MemorySegment result(long receivedLength, long tag) {
            return segment;
        }
    }

    /** Into a lease, which is taken when the request is sent, and is the subscriber's once it has it. */
    static final class IntoPool extends ServedGet<UcxBuffer> {

        private final long length;
        private @Nullable LeasedBuffer buffer;

        IntoPool(OperationMono<UcxBuffer> mono, ServedAccess memory, long offset, long length,
                CoreSubscriber<? super UcxBuffer> subscriber) {
            super(mono, memory, offset, length, subscriber);
            this.length = length;
        }

        @Override
        MemorySegment payload() {
            if (buffer == null) {
                // A second attempt, when there was no slot for the first one, has it already.
                buffer = memory.pool().acquire(length);
            }
            return MemorySegment.NULL;
        }

        @Override
        MemorySegment destination() {
            return Objects.requireNonNull(buffer).segment();
        }

        @Override
        @Nullable UcpMemory destinationRegistration() {
            return Objects.requireNonNull(buffer).registration();
        }

        @Override
        public @Nullable UcxBuffer result(long receivedLength, long tag) {
            UcxBuffer filled = buffer;
            buffer = null;
            return filled;
        }

        @Override
        public void released() {
            UcxBuffer unused = buffer;
            if (unused != null) {
                buffer = null;
                unused.release();
            }
        }
    }
}
