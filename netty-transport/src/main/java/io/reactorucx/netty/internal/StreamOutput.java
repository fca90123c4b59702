package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.reactorucx.netty.buffer.BufferMemory;
import io.reactorucx.netty.buffer.LeasedByteBuf;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.transport.buffer.Lease;
import java.lang.foreign.MemorySegment;

/**
 * The sending side of a byte stream: what waits for credit, and how data travels.
 *
 * <p>Thread: loop.
 */
final class StreamOutput {

    /** From this size on data goes by memory that both processes see, where there is such memory. */
    static final int SHARED_FROM = 16 << 10;
    /** The largest message. */
    private static final int MAX_PIECE = 128 << 10;
    /** The largest message that UCX sends eagerly: one that fits a buffer of its tcp with the headers before it. */
    private static final int MAX_EAGER_PIECE = (64 << 10) - 256;

    private final StreamContext context;
    private final int channel;
    private final SendQueue queue = new SendQueue();
    /** Offset behind the last byte that was sent, and up to which the peer takes bytes, modulo 2^32. */
    private int sent;
    private int credit;
    private boolean waits;

    StreamOutput(StreamContext context, int channel) {
        this.context = context;
        this.channel = channel;
    }

    void add(ByteBuf data) {
        queue.add(data);
    }

    void addCopy(ByteBuf data, int length, ByteBufAllocator allocator) {
        queue.addCopy(data, length, allocator);
    }

    int queuedBytes() {
        return queue.bytes();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** The peer takes bytes up to an offset, which never goes back. */
    void credit(int offset) {
        if (offset - credit > 0) {
            credit = offset;
        }
    }

    boolean canSend() {
        return !queue.isEmpty() && credit - sent > 0;
    }

    /** Counts whether this stream waits for credit. */
    void countWait() {
        boolean now = !queue.isEmpty() && credit - sent <= 0;
        if (now != waits) {
            waits = now;
            context.counters().add(LoopCount.WAITING, now ? 1 : -1);
        }
    }

    int sent() {
        return sent;
    }

    /** Sends one message of what is queued. */
    void send(LinkMessages link, int peer, int granted) {
        int available = Math.min(queue.bytes(), credit - sent);
        if (available >= SHARED_FROM && link.isShared()
                && (sendLeased(link, peer, granted, Math.min(available, MAX_PIECE))
                        || sendShared(link, peer, granted, Math.min(available, MAX_PIECE)))) {
            return;
        }
        int length = eagerPiece(available);
        ByteBuf small = context.buffers().scratch(length);
        if (small != null) {
            queue.copyTo(small, length);
            link.sendCopied(peer, sent, granted, channel, context.buffers().scratchSegment(length));
        } else {
            ByteBuf piece = queue.piece(length, PooledByteBufAllocator.DEFAULT);
            boolean free = true;
            try {
                MemorySegment data = BufferMemory.of(piece, piece.readerIndex(), length);
                free = link.sendData(peer, sent, granted, channel, data, (status, bytes, tag) -> {
                    piece.release();
                    link.room().ended(length);
                });
            } finally {
                if (free) {
                    piece.release();
                }
            }
        }
        taken(length);
    }

    /** A little more than one piece goes as two halves, because the peer reads one while the other is on its way. */
    private static int eagerPiece(int available) {
        if (available <= MAX_EAGER_PIECE) {
            return available;
        }
        return available < 2 * MAX_EAGER_PIECE ? available / 2 : MAX_EAGER_PIECE;
    }

    /** Offers data that lies in leased memory. Returns false if it does not, or the peer cannot read it there. */
    private boolean sendLeased(LinkMessages link, int peer, int granted, int most) {
        ByteBuf piece = queue.leased(most);
        if (piece == null) {
            return false;
        }
        int length = piece.readableBytes();
        boolean offered = false;
        try {
            LeasedByteBuf leased = LeasedByteBuf.of(piece);
            MemorySegment data = MemorySegment.ofBuffer(piece.nioBuffer(piece.readerIndex(), length));
            offered = length >= SHARED_FROM && leased != null && leased.covers(data.address())
                    && link.offerData(peer, sent, granted, channel, data, leased.registration(),
                            (status, bytes, tag) -> {
                                piece.release();
                                link.room().ended(length);
                            });
        } finally {
            if (!offered) {
                piece.release();
            }
        }
        if (offered) {
            taken(length);
        }
        return offered;
    }

    /** Copies data to leased memory, which the peer reads. Returns false if the pool or the peer has none. */
    private boolean sendShared(LinkMessages link, int peer, int granted, int length) {
        Lease lease = context.buffers().tryLease(length);
        if (lease == null) {
            return false;
        }
        boolean offered = false;
        try {
            queue.copyTo(lease.segment().asByteBuffer());
            offered = link.offerData(peer, sent, granted, channel, lease.segment(), lease.registration(),
                    (status, bytes, tag) -> {
                        lease.release();
                        link.room().ended(length);
                    });
        } finally {
            if (!offered) {
                lease.release();
            }
        }
        if (offered) {
            taken(length);
        }
        return offered;
    }

    private void taken(int length) {
        queue.remove(length);
        sent += length;
        context.counters().add(LoopCount.SENT_BYTES, length);
    }

    void clear() {
        queue.clear();
        countWait();
    }

    @Override
    public String toString() {
        return "sent=" + sent + ", credit=" + credit + ", queued=" + queue.bytes();
    }
}
