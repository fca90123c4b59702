package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A read of the peer's memory. Data that the owner sends by rendezvous is fetched straight into the destination. */
abstract class ServedGet<T> extends ServedOperation<T> {

    private final long offset;
    private final long length;

    ServedGet(OperationMono<T> mono, ServedAccess memory, long offset, long length,
            CoreSubscriber<? super T> subscriber, @Nullable LeakRecord place) {
        super(mono, memory, subscriber, place);
        this.offset = offset;
        this.length = length;
    }

    abstract MemorySegment destination();

    @Override
    final MemoryFrame.Request request(int withId) {
        return new MemoryFrame.Read(withId, memory.key(), offset, length);
    }

    @Override
    final void accept(MemoryFrame.Reply reply, UcpActiveMessage message) {
        if (message.length() != length) {
            fail(MemoryReplyStatus.FAILED.error(kind(), connection().peer()));
            throw new ProtocolViolationException(message.length() + " bytes in reply to a read of " + length);
        }
        if (isCancelled() || length == 0) {
            proceed();
            return;
        }
        try {
            if (message.isInline()) {
                destination().copyFrom(message.payload());
            } else {
                fetch(message);
            }
            proceed();
        } catch (RuntimeException e) {
            // The arena of the destination was closed meanwhile, or the engine has no slot for one more operation.
            fail(e);
        }
    }

    private void fetch(UcpActiveMessage message) {
        UcpActiveMessages messages = connection().registry().worker().activeMessages();
        if (!messages.fetch(message, destination(), destinationRegistration(),
                (status, received, tag) -> transferCompleted(status))) {
            transferPending();
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
            super(mono, memory, offset, segment.byteSize(), subscriber, null);
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

    /** Into a lease, which is taken when the request is sent, and which the subscriber gets. */
    static final class IntoPool extends ServedGet<UcxBuffer> {

        private final long length;

        IntoPool(OperationMono<UcxBuffer> mono, ServedAccess memory, long offset, long length,
                CoreSubscriber<? super UcxBuffer> subscriber, @Nullable LeakRecord place) {
            super(mono, memory, offset, length, subscriber, place);
            this.length = length;
        }

        @Override
        MemorySegment payload() {
            // Before the request is sent. A second attempt, when the engine had no slot for the first, has it already.
            lease(memory.pool(), length);
            return MemorySegment.NULL;
        }

        @Override
        MemorySegment destination() {
            return lease().segment();
        }

        @Override
        @Nullable UcpMemory destinationRegistration() {
            return lease().registration();
        }

        @Override
        public @Nullable UcxBuffer result(long receivedLength, long tag) {
            return handOver(ChunkedGet.RECEIVED);
        }
    }
}
