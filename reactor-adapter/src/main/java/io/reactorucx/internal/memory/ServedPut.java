package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A write to the peer's memory. The owner fetches a large source straight into the window. */
final class ServedPut extends ServedOperation<Void> {

    private final long offset;
    private final MemorySegment source;
    private final @Nullable UcpMemory registration;

    private ServedPut(OperationMono<Void> mono, ServedAccess memory, long offset, MemorySegment source,
            @Nullable LeasedBuffer retained,
            CoreSubscriber<? super Void> subscriber) {
        super(mono, memory, subscriber, null);
        this.offset = offset;
        this.source = source;
        this.registration = retained == null ? null : retained.registration();
        if (retained != null) {
            // Until the owner has acknowledged the write.
            keep(retained);
        }
    }

    static Mono<Void> mono(ServedAccess memory, long offset, MemorySegment source) {
        return OperationMono.of(memory.connection(), OperationKind.PUT,
                (mono, actual) -> new ServedPut(mono, memory, offset, source, null, actual));
    }

    /** Returns an operation that retains a lease of the pool. */
    static ServedPut of(OperationMono<Void> mono, ServedAccess memory, long offset, UcxBuffer source,
            CoreSubscriber<? super Void> subscriber) {
        LeasedBuffer retained = LeasedBuffer.of(source.retain());
        return new ServedPut(mono, memory, offset, retained.segment(), retained, subscriber);
    }

    static Mono<Void> mono(ServedAccess memory, long offset, UcxBuffer source) {
        return new OperationMono<>(memory.connection(), OperationKind.PUT) {
            @Override
            public void subscribe(CoreSubscriber<? super Void> actual) {
                if (retain(source, actual)) {
                    super.subscribe(actual);
                }
            }

            @Override
            public OperationSubscription<Void> operation(CoreSubscriber<? super Void> actual) {
                return new ServedPut(this, memory, offset, source.segment(), LeasedBuffer.of(source), actual);
            }
        };
    }

    @Override
    void checkMemory() {
        MemoryArguments.checkSource(source, registration);
    }

    @Override
    MemoryFrame.Request request(int withId) {
        return new MemoryFrame.Write(withId, memory.key(), offset, source.byteSize());
    }

    @Override
    MemorySegment payload() {
        return source;
    }

    @Override
    @Nullable UcpMemory registration() {
        return registration;
    }

    @Override
    void accept(MemoryFrame.Reply reply, UcpActiveMessage message) {
        proceed();
        if (message.length() != 0) {
            throw new ProtocolViolationException(message.length() + " bytes in reply to a write");
        }
    }

    @Override
    public @Nullable Void result(long receivedLength, long tag) {
        return null;
    }

    @Override
    protected long bytes(long receivedLength) {
        return source.byteSize();
    }
}
