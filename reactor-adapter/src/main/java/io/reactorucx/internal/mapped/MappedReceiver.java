package io.reactorucx.internal.mapped;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.ProcessIdentity;
import io.reactorucx.core.SharedPages;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.buffer.MappedMemory;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.message.DropReason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps slabs of the peer, and hands the messages that it offers there to their protocols.
 *
 * <p>Thread: engine.
 */
final class MappedReceiver {

    private static final Logger LOG = LoggerFactory.getLogger(MappedReceiver.class);

    /** More than a process has addresses for. */
    private static final long MAX_SLAB_BYTES = 1L << 47;

    private final ConnectionCore connection;
    private final PeerSlabs peerSlabs;
    private final Map<Integer, Mapping> mappings = new HashMap<>();
    /** Numbers of offers that were taken, which UCX has refused to send for want of a slot. */
    private final Queue<Integer> unsent = new ArrayDeque<>();
    private final CoalescedCommand retry;
    private final byte[] takenFrame = new byte[MappedFrame.Taken.BYTES];
    private final MemorySegment takenHeader = MemorySegment.ofArray(takenFrame);
    private ProcessIdentity process = ProcessIdentity.UNKNOWN;
    private int open;
    private boolean ended;

    MappedReceiver(ConnectionCore connection, PeerSlabs peerSlabs) {
        this.connection = connection;
        this.peerSlabs = peerSlabs;
        this.retry = CoalescedCommand.delayed(connection.engine(), this::sendUnsent);
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
        trySend(new MappedFrame.SlabAnswer(offered.slab(), slab != null).encode(connection.peerToken()));
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
        if (!unsent.isEmpty() || !sendTaken(number)) {
            unsent.add(number);
            retry.submit();
        }
    }

    private void sendUnsent() {
        while (!unsent.isEmpty() && sendTaken(unsent.element())) {
            unsent.remove();
        }
        if (!unsent.isEmpty()) {
            retry.submit();
        } else {
            connection.operationEnded();
        }
    }

    /** Returns whether nothing more has to be done for it. */
    private boolean sendTaken(int number) {
        if (ended) {
            return true;
        }
        MappedFrame.Taken.put(takenFrame, connection.peerToken(), number);
        return trySend(takenHeader);
    }

    /** Sends a frame. Returns false only if it can be sent later. */
    private boolean trySend(MemorySegment header) {
        UcpEndpoint endpoint = connection.endpoint();
        if (endpoint == null || endpoint.isClosed() || endpoint.failure() != 0) {
            return true;
        }
        try {
            endpoint.amSend(ReservedMessageIds.MAPPED, header, MemorySegment.NULL, null, AmProtocol.EAGER, true,
                    (status, length, tag) -> connection.operationEnded());
            return true;
        } catch (UcxException e) {
            LOG.debug("[{}] a frame for mapped memory was not sent", connection.peer(), e);
            return !e.isRetryable();
        }
    }

    boolean isQuiet() {
        return unsent.isEmpty();
    }

    void ended() {
        ended = true;
        unsent.clear();
        mappings.values().forEach(mapping -> mapping.slab.endUse());
        mappings.clear();
    }
}
