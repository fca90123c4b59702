package io.reactorucx.internal.mapped;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * Maps slabs of the peer, and hands the messages that it offers there to their protocols.
 *
 * <p>Thread: engine.
 */
final class MappedReceiver {

    /** More than a process has addresses for. */
    private static final long MAX_SLAB_BYTES = 1L << 47;

    private final ConnectionCore connection;
    private final PeerSlabs peerSlabs;
    private final Map<Integer, Mapping> mappings = new HashMap<>();
    private final MappedFrameSender frames;
    private final byte[] takenFrame = new byte[MappedFrame.Taken.BYTES];
    private final MemorySegment takenHeader = MemorySegment.ofArray(takenFrame);
    private ProcessIdentity process = ProcessIdentity.UNKNOWN;
    private int open;
    private boolean ended;

    MappedReceiver(ConnectionCore connection, PeerSlabs peerSlabs, MappedFrameSender frames) {
        this.connection = connection;
        this.peerSlabs = peerSlabs;
        this.frames = frames;
    }

    /** A slab, and the word by which the peer says that its offers still stand. */
    record Mapping(PeerSlab slab, int word, long value) {

        boolean stands() {
            return slab.word(word) == value;
        }
    }

    ConnectionCore connection() {
        return connection;
    }

    MappedMemory counters() {
        return peerSlabs.limit();
    }

    void connected(ProcessIdentity peer) {
        process = peer;
    }

    void slabOffered(MappedFrame.Slab offered) {
        if (ended) {
            return;
        }
        boolean valid = Long.bitCount(offered.bytes()) == 1 && offered.bytes() >= BufferPool.SLAB_BYTES
                && offered.bytes() <= MAX_SLAB_BYTES && offered.word() >= 0
                && offered.word() < SharedPages.WORDS && mappings.size() < MappedSender.MAX_SLABS
                && !mappings.containsKey(offered.slab());
        if (!valid) {
            throw new ProtocolViolationException("slab " + offered.slab() + " of " + offered.bytes() + " bytes");
        }
        PeerSlab slab = peerSlabs.map(process, offered);
        if (slab != null) {
            mappings.put(offered.slab(), new Mapping(slab, offered.word(), offered.value()));
        }
        frames.send(new MappedFrame.SlabAnswer(offered.slab(), slab != null).encode(connection.peerToken()));
    }

    void slabGone(int number) {
        Mapping mapping = mappings.remove(number);
        if (mapping != null) {
            mapping.slab.endUse();
        }
    }

    /** Hands an offered message to its protocol, as a message that has come over UCX with a rendezvous. */
    void offered(MappedFrame.Offer offer, UcpActiveMessage carrier) {
        Mapping mapping = mappings.get(offer.slab());
        if (ended) {
            return;
        }
        if (mapping == null || !mapping.slab.has(offer.offset(), offer.length()) || open >= MappedSender.MAX_OFFERS
                || offer.id() == ReservedMessageIds.MAPPED) {
            throw new ProtocolViolationException("an offer of " + offer.length() + " bytes at " + offer.offset()
                    + " of slab " + offer.slab() + ", beside " + open + " others");
        }
        mapping.slab.use();
        open++;
        UcpActiveMessage message = connection.registry().worker().activeMessages().offer(carrier, offer.id(),
                offer.header(), offer.length(), new MappedOffer(this, mapping, offer.number(), offer.offset()));
        if (!connection.dispatch(message)) {
            connection.registry().drop(message, DropReason.NO_RECEIVER);
        }
    }

    /** An offer was copied or given up. */
    void taken(int number, Mapping mapping) {
        open--;
        mapping.slab.endUse();
        MappedFrame.Taken.put(takenFrame, connection.peerToken(), number);
        frames.send(takenHeader);
    }

    void ended() {
        ended = true;
        mappings.values().forEach(mapping -> mapping.slab.endUse());
        mappings.clear();
    }
}
