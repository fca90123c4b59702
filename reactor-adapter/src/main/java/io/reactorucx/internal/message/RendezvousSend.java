package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.buffer.LeasedBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A large message that the peer fetches when it wants it; its lease ends when UCX is done with it, whatever came of it.
 */
final class RendezvousSend implements Completion {

    private final OutboundStream output;
    private final SendSubscriber<?> sender;
    private final UcxBuffer lease;
    private final boolean ours;

    private RendezvousSend(OutboundStream output, SendSubscriber<?> sender, UcxBuffer lease, boolean ours) {
        this.output = output;
        this.sender = sender;
        this.lease = lease;
        this.ours = ours;
    }

    /** A message in registered memory, copied there if it is not; null when the pool has no room for that. */
    static @Nullable RendezvousSend of(OutboundStream output, SendSubscriber<?> sender, Object message) {
        if (message instanceof UcxBuffer lease) {
            return new RendezvousSend(output, sender, lease, false);
        }
        byte[] bytes = (byte[]) message;
        UcxBuffer lease = output.memory().tryLease(bytes.length);
        if (lease == null) {
            return null;
        }
        MemorySegment.copy(bytes, 0, lease.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        return new RendezvousSend(output, sender, lease, true);
    }

    MemorySegment segment() {
        return lease.segment();
    }

    @Nullable UcpMemory registration() {
        return LeasedBuffer.of(lease).registration();
    }

    /** It was not accepted: all is as before. */
    void withdraw() {
        if (ours) {
            lease.release();
        }
    }

    /** UCX is done with it. */
    void ended() {
        lease.release();
        output.offerEnded();
        sender.fetched();
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        output.mux().outbox().fetched(this::ended);
    }
}
