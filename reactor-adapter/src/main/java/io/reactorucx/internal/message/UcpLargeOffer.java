package io.reactorucx.internal.message;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.context.LargeOffer;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * An active message whose data is with its sender, or is held by UCX.
 *
 * <p>Thread: engine.
 */
final class UcpLargeOffer implements LargeOffer {

    private final UcpWorker worker;
    private final UcpActiveMessage message;
    private final byte[] header;

    UcpLargeOffer(UcpWorker worker, UcpActiveMessage message) {
        this.worker = worker;
        this.message = message;
        this.header = message.header().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public byte[] header() {
        return header;
    }

    @Override
    public long length() {
        return message.length();
    }

    @Override
    public boolean fetch(MemorySegment destination, @Nullable UcpMemory registration, Completion whenDone) {
        return worker.activeMessages().fetch(message, destination, registration, whenDone);
    }

    /** Returns the bytes of a batch, which UCX holds because they are more than the worker copies by itself. */
    byte[] batch() {
        if (length() > MessageFrameCodec.MAX_BATCH_BYTES) {
            throw new ProtocolViolationException("a batch of " + length() + " bytes");
        }
        MemorySegment copy = Arena.ofAuto().allocate(length());
        fetch(copy, null, (status, size, tag) -> { });
        return copy.toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public boolean release() {
        boolean held = !worker.isClosed() && worker.activeMessages().holds(message);
        if (held) {
            worker.activeMessages().release(message);
        }
        return held && message.isRendezvous();
    }
}
