package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.transport.frame.ProtocolViolationException;
import reactor.core.CoreSubscriber;

/** An atomic operation on a word of the peer's memory, which returns the old value. */
final class ServedAtomic extends ServedOperation<Long> {

    private final long offset;
    private final AtomicRequest call;
    private long old;

    ServedAtomic(OperationMono<Long> mono, ServedAccess memory, long offset, AtomicRequest call,
            CoreSubscriber<? super Long> subscriber) {
        super(mono, memory, subscriber, null);
        this.offset = offset;
        this.call = call;
    }

    @Override
    MemoryFrame.Request request(int withId) {
        return new MemoryFrame.Atomic(withId, memory.key(), offset, call);
    }

    @Override
    void accept(MemoryFrame.Reply reply, UcpActiveMessage message) {
        old = reply.value();
        proceed();
        if (message.length() != 0) {
            throw new ProtocolViolationException(message.length() + " bytes in reply to an atomic operation");
        }
    }

    @Override
    public Long result(long receivedLength, long tag) {
        return old;
    }

    @Override
    protected long bytes(long receivedLength) {
        return call.width().bytes();
    }
}
