package io.reactorucx.internal.mapped;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.buffer.SharedSlab;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.carrier.LargeMessages;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Offers messages to the peer in slabs that the peer has mapped. A slab is announced when a message is in it for the
 * first time; until the peer has said that it has mapped it, messages take UCX's way.
 *
 * <p>Thread: engine.
 */
final class MappedSender implements LargeMessages {

    /** Smaller messages are faster within an active message. */
    static final long MIN_BYTES = 8 << 10;
    /** As many offers may wait for the peer; more of them take UCX's way, where they need slots of the engine. */
    static final int MAX_OFFERS = 256;
    /** As many slabs may be announced. */
    static final int MAX_SLABS = 1024;

    private final ConnectionCore connection;
    private final BufferPool pool;
    private final MappedMemory counters;
    private final MappedFrameSender frames;
    private final Map<UcpMemory, OwnSlab> slabs = new IdentityHashMap<>();
    private final Map<Integer, OwnSlab> byNumber = new HashMap<>();
    private final Map<Integer, Completion> offers = new HashMap<>();
    private byte[] frame = new byte[64];
    private int lastSlab;
    private int lastOffer;
    private boolean ended;

    MappedSender(ConnectionCore connection, BufferPool pool, MappedMemory counters,
            MappedFrameSender frames) {
        this.connection = connection;
        this.pool = pool;
        this.counters = counters;
        this.frames = frames;
    }

    /** A slab that was announced. */
    private static final class OwnSlab {

        private final int number;
        private final SharedSlab slab;
        private final UcpMemory registration;
        private final Runnable whenFreed;
        private int word = -1;
        private boolean mapped;

        OwnSlab(int number, SharedSlab slab, UcpMemory registration, MappedSender sender) {
            this.number = number;
            this.slab = slab;
            this.registration = registration;
            this.whenFreed = () -> sender.connection.executeUrgent(worker -> sender.freed(this));
        }
    }

    @Override
    public boolean offer(int id, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            Completion whenDone) {
        if (registration == null || payload.byteSize() < MIN_BYTES || !connection.carrier().isAttached() || ended
                || offers.size() >= MAX_OFFERS
                || header.byteSize() + MappedFrame.OFFER_BYTES > connection.registry().worker().maxHeaderBytes()) {
            return false;
        }
        OwnSlab slab = slabs.get(registration);
        if (slab == null) {
            announce(registration);
            return false;
        }
        MemorySegment memory = slab.slab.pages().memory();
        long offset = payload.address() - memory.address();
        if (!slab.mapped || offset < 0 || offset > memory.byteSize() - payload.byteSize()) {
            return false;
        }
        offer(framed(header, id, ++lastOffer, slab.number, offset, payload.byteSize()), lastOffer, whenDone);
        return true;
    }

    private MemorySegment framed(MemorySegment header, int id, int number, int slab, long offset, long length) {
        int own = (int) header.byteSize();
        int size = own + MappedFrame.OFFER_BYTES;
        if (frame.length < size) {
            frame = new byte[Integer.highestOneBit(size) << 1];
        }
        MemorySegment.copy(header, ValueLayout.JAVA_BYTE, 0, frame, 0, own);
        MappedFrame.putOffer(frame, own, id, number, slab, offset, length);
        return MemorySegment.ofArray(frame).asSlice(0, size);
    }

    private void offer(MemorySegment framed, int number, Completion whenDone) {
        // Before it is posted: the peer may take it at once.
        offers.put(number, whenDone);
        boolean posted = false;
        try {
            connection.carrier().send(ReservedMessageIds.MAPPED, framed, MemorySegment.NULL, null, AmProtocol.EAGER,
                    (status, length, tag) -> sent(number, status));
            posted = true;
            counters.messageOffered();
        } finally {
            if (!posted) {
                offers.remove(number);
            }
        }
    }

    /** UCX has finished with the frame of an offer; if it could not be sent, the peer does not know of it. */
    private void sent(int number, int rawStatus) {
        if (rawStatus < 0) {
            end(number, rawStatus);
        }
    }

    /** The peer has copied a message, or given it up. */
    void taken(int number) {
        end(number, 0);
    }

    private void end(int number, int rawStatus) {
        Completion whenDone = offers.remove(number);
        if (whenDone != null) {
            whenDone.complete(rawStatus, 0, 0);
            connection.operationEnded();
        }
    }

    private void announce(UcpMemory registration) {
        SharedSlab slab = byNumber.size() < MAX_SLABS ? pool.sharedSlab(registration) : null;
        if (slab == null) {
            return;
        }
        OwnSlab own = new OwnSlab(++lastSlab, slab, registration, this);
        own.word = slab.join(own.whenFreed);
        if (own.word < 0) {
            return;
        }
        SharedPages pages = slab.pages();
        slabs.put(registration, own);
        byNumber.put(own.number, own);
        frames.send(new MappedFrame.Slab(own.number, pages.memory().byteSize(), pages.descriptor(), own.word,
                pages.word(own.word), pages.key()).encode(connection.peerToken()));
    }

    /** The peer has mapped a slab, or cannot: then it is not announced again. */
    void slabAnswered(int number, boolean isMapped) {
        OwnSlab own = byNumber.get(number);
        if (own != null) {
            own.mapped = isMapped;
        }
    }

    /** The pool has freed a slab, of which no message is offered any more. */
    private void freed(OwnSlab own) {
        if (slabs.remove(own.registration, own)) {
            byNumber.remove(own.number);
            frames.send(new MappedFrame.SlabGone(own.number).encode(connection.peerToken()));
        }
    }

    boolean isQuiet() {
        return offers.isEmpty();
    }

    /** Gives up what the peer has not taken: it sees so before the memory is used for something else. */
    void ended() {
        ended = true;
        slabs.values().forEach(own -> own.slab.leave(own.word, own.whenFreed));
        slabs.clear();
        byNumber.clear();
        UcpEndpoint endpoint = connection.carrier().endpoint();
        int failure = endpoint == null ? 0 : endpoint.failure();
        List.copyOf(offers.keySet()).forEach(number -> end(number,
                failure != 0 ? failure : UcxStatus.CANCELED.code()));
    }
}
