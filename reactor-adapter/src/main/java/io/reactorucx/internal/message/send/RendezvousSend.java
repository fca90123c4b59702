package io.reactorucx.internal.message.send;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.codec.OutgoingMessage;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.transport.event.FlightEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A large message that the peer fetches when its subscriber has asked for it. The lease is released when UCX has
 * finished with the memory, whether the send succeeded or not.
 *
 * <p>Thread: engine.
 */
final class RendezvousSend implements Completion {

    private final RendezvousWindow window;
    private final OutboundStream output;
    private final SendSubscriber<?> sender;
    private final UcxBuffer lease;
    private final boolean copied;
    /** The event of a recording, if there is one. */
    private final @Nullable Object event;
    private boolean success = true;

    private RendezvousSend(RendezvousWindow window, OutboundStream output, SendSubscriber<?> sender, UcxBuffer lease,
            boolean copied) {
        this.window = window;
        this.output = output;
        this.sender = sender;
        this.lease = lease;
        this.copied = copied;
        this.event = FlightEvents.largeMessage();
    }

    /**
     * Prepares a message, copied into registered memory unless it is a lease. Returns null while the pool has none for
     * copies.
     */
    static @Nullable RendezvousSend of(RendezvousWindow window, OutboundStream output, SendSubscriber<?> sender,
            Object message) {
        if (message instanceof UcxBuffer lease) {
            return new RendezvousSend(window, output, sender, lease, false);
        }
        long length = SendSubscriber.length(message);
        LeasePool pool = output.context().pool();
        if (!pool.beginCopy(length)) {
            output.context().retry().add(output);
            return null;
        }
        UcxBuffer copy = null;
        try {
            copy = copied(message, output.buffers().tryLease(length));
        } finally {
            if (copy == null) {
                pool.endCopy(length);
            }
        }
        return copy == null ? null : new RendezvousSend(window, output, sender, copy, true);
    }

    private static @Nullable UcxBuffer copied(Object message, @Nullable UcxBuffer lease) {
        if (lease != null) {
            try {
                copy(message, lease);
            } catch (RuntimeException e) {
                lease.release();
                throw e;
            }
        }
        return lease;
    }

    private static void copy(Object message, UcxBuffer lease) {
        if (message instanceof byte[] bytes) {
            MemorySegment.copy(bytes, 0, lease.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        } else {
            ((OutgoingMessage) message).copyTo(lease.byteBuffer());
        }
    }

    MemorySegment segment() {
        return lease.segment();
    }

    @Nullable UcpMemory registration() {
        return LeasedBuffer.of(lease).registration();
    }

    /** UCX did not take the message, which stays in its sender's queue. */
    void withdraw() {
        if (copied) {
            release();
        }
    }

    private void release() {
        long length = lease.length();
        lease.release();
        if (copied) {
            output.context().pool().endCopy(length);
        }
    }

    /** UCX has finished with the message. */
    void completed() {
        if (event != null) {
            StreamContext context = output.context();
            FlightEvents.largeMessageEnded(event, context.connection().id(), context.connection().peer(), true,
                    lease.length(), success);
        }
        try {
            release();
        } finally {
            // The application may have released the lease, which throws, and still gets the end of its send.
            output.rendezvousCompleted();
            sender.rendezvousCompleted();
        }
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        success = rawStatus >= 0;
        try (var _ = output.context().flushScope()) {
            window.completed(this);
        } finally {
            window.admitNext();
        }
    }
}
