package io.reactorucx.transport.ring;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.SequencedSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two rings, one each way, between this engine and one of a peer, for all connections between the two. Records begin
 * with the token of their connection.
 *
 * <p>Thread: engine.
 */
final class RingLink {

    private static final Logger LOG = LoggerFactory.getLogger(RingLink.class);
    /** As long as the peer may take to show that it is awake, and the most that becomes of it by doubling. */
    private static final Duration CONFIRMATION = Duration.ofMillis(10);
    private static final Duration MAX_CONFIRMATION = Duration.ofSeconds(1);

    private final ProcessIdentity process;
    private final RingCounters counters;
    private final Arena arena;
    private final SharedPages own;
    private final RingSleep sleep;
    private final RingWriter writer;
    private final long slotsToTell;
    private final Long2ObjectHashMap<RingCarrier> carriers = new Long2ObjectHashMap<>();
    /** In turn. */
    private final SequencedSet<RingCarrier> waiting = new LinkedHashSet<>();
    private final Queue<Reading> readings = new ArrayDeque<>();
    private final RingReader.Target target = this::record;
    private final PeriodicTask wakeUps;
    private @Nullable Arena mapping;
    private @Nullable SharedPages ofPeer;
    private RingSleep.@Nullable Words shownByPeer;
    private @Nullable RingReader reader;
    private long toldPosition;
    /** What the peer showed when it was woken last; 0 while there is nothing to confirm. */
    private long wokenSleep;
    /** The sleep during which the peer was woken again last, to which the pause before the next time belongs. */
    private long repeatedSleep;
    private Duration confirmation = CONFIRMATION;
    /** Records of this round, fillers not counted. */
    private int received;
    private boolean written;
    private boolean roomMade;
    private boolean ended;

    /** What waits until the peer has read the ring up to a slot. */
    private record Reading(long position, Runnable action) {
    }

    /**
     * Creates a link to an engine of a process.
     *
     * @param own the ring of this side
     * @param arena the ring's, which ends with the link
     * @param engine of this side
     */
    RingLink(ProcessIdentity process, SharedPages own, Arena arena, RingCounters counters, CommandExecutor engine) {
        this.process = process;
        this.own = own;
        this.arena = arena;
        this.counters = counters;
        this.wakeUps = new PeriodicTask(engine, "the repetition of lost wake-ups", confirmation, this::wakeAgain);
        this.sleep = new RingSleep(new RingSleep.PageWords(own));
        this.writer = new RingWriter(own.memory(), this::readByPeer);
        this.slotsToTell = own.memory().byteSize() >> RingLayout.SLOT_SHIFT + 3;
    }

    ProcessIdentity process() {
        return process;
    }

    SharedPages own() {
        return own;
    }

    @Nullable SharedPages ofPeer() {
        return ofPeer;
    }

    /** Returns the memory that the link has mapped, in bytes. */
    long bytes() {
        return mappedBytes(own) + (ofPeer == null ? 0 : mappedBytes(ofPeer));
    }

    private static long mappedBytes(SharedPages ring) {
        return SharedPages.mappedBytes(ring.memory().byteSize());
    }

    /** Returns whether the link takes an offer of the peer: its first one, or the same again. */
    boolean accepts(RingFrame offer) {
        SharedPages known = ofPeer;
        return !ended && offer.goesWith(own) && (known == null || Arrays.equals(known.key(), offer.key()));
    }

    /** Maps the ring of the peer, and returns whether that is possible. */
    boolean map(RingFrame offer) {
        if (ofPeer != null) {
            return true;
        }
        // Of its own: what is mapped, and then refused, is unmapped at once.
        Arena ofMapping = Arena.ofConfined();
        try {
            SharedPages mapped = RingLayout.isSize(offer.bytes())
                    ? SharedPages.map(process, offer.descriptor(), offer.bytes(), offer.key(), ofMapping) : null;
            if (mapped != null) {
                mapping = ofMapping;
                ofPeer = mapped;
                shownByPeer = new RingSleep.PageWords(mapped);
                reader = new RingReader(mapped.memory());
            }
        } finally {
            if (mapping == null) {
                ofMapping.close();
            }
        }
        return mapping != null;
    }

    void add(long token, RingCarrier carrier) {
        carriers.put(token, carrier);
    }

    void remove(long token) {
        carriers.remove(token);
    }

    boolean isUnused() {
        return carriers.isEmpty();
    }

    boolean fits(long headerBytes, long dataBytes) {
        return writer.fits(headerBytes, dataBytes);
    }

    /** Writes a message, and returns whether there was room. */
    boolean write(int id, MemorySegment header, MemorySegment data) {
        try {
            return !ended && writer.write(id, header, data) && wrote();
        } catch (ProtocolViolationException e) {
            violated(e);
            return false;
        }
    }

    /** As {@link #write(int, MemorySegment, MemorySegment)}, for the first bytes of an array. */
    boolean write(int id, byte[] data, int bytes) {
        try {
            return !ended && writer.write(id, data, bytes) && wrote();
        } catch (ProtocolViolationException e) {
            violated(e);
            return false;
        }
    }

    private boolean wrote() {
        written = true;
        counters.countSent();
        return true;
    }

    private long readByPeer() {
        SharedPages peer = ofPeer;
        return peer == null ? 0 : peer.word(RingLayout.READ_WORD);
    }

    /** Returns whether messages wait for room, before which no other is written. */
    boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /** Has a carrier send what it could not yet, once there is room and it is its turn. */
    void await(RingCarrier carrier) {
        waiting.add(carrier);
    }

    /** Runs an action when the peer has read all that was written. Returns false if that is so already. */
    boolean awaitRead(Runnable action) {
        if (ended || readByPeer() >= writer.position()) {
            return false;
        }
        readings.add(new Reading(writer.position(), action));
        return true;
    }

    /**
     * Reads what has come, writes what waits, and wakes the peer if it sleeps.
     *
     * @param most as many records are read
     * @return how many were read
     */
    int poll(int most) {
        int count = 0;
        try {
            RingReader from = reader;
            while (from != null && !ended && count < most && from.read(target)) {
                count++;
            }
            if (from != null) {
                tell(from.position(), count == 0 && most > 0);
            }
        } catch (ProtocolViolationException e) {
            violated(e);
        }
        if (received > 0) {
            counters.countReceived(received);
            received = 0;
        }
        if (!waiting.isEmpty()) {
            sendWaiting();
        }
        if (!readings.isEmpty()) {
            runReadings();
        }
        if (written || roomMade) {
            wake();
        }
        return count;
    }

    /** Tells the peer how much of its ring is free again: in steps, and the rest when nothing comes. */
    private void tell(long position, boolean idle) {
        if (position - toldPosition >= (idle ? 1 : slotsToTell)) {
            toldPosition = position;
            own.publish(RingLayout.READ_WORD, position);
            roomMade = true;
        }
    }

    private void record(int id, NativeBytes ring, long offset, int headerBytes, int dataBytes) {
        if ((headerBytes > 0 ? headerBytes : dataBytes) < Long.BYTES || !ReservedMessageIds.isCarriedByRings(id)) {
            throw new ProtocolViolationException("a record of active message " + id + " without a token");
        }
        received++;
        RingCarrier carrier = carriers.get(ring.getBigEndian(offset));
        if (carrier != null) {
            carrier.arrived(id, ring, offset, headerBytes, dataBytes);
        }
    }

    private void sendWaiting() {
        for (int turns = waiting.size(); turns > 0 && !waiting.isEmpty(); turns--) {
            RingCarrier first = waiting.getFirst();
            boolean hadRoom = first.writePending();
            if (hadRoom) {
                waiting.remove(first);
            }
            boolean waits = first.completeWritten();
            if (!hadRoom) {
                return;
            }
            if (waits && !ended) {
                waiting.add(first);
            }
        }
    }

    private void runReadings() {
        long read = readByPeer();
        for (Reading first = readings.peek(); first != null && (ended || first.position <= read);
                first = readings.peek()) {
            readings.remove();
            first.action.run();
        }
    }

    private void wake() {
        boolean records = written;
        written = false;
        roomMade = false;
        RingSleep.Words peer = shownByPeer;
        if (peer == null || ended || carriers.isEmpty()) {
            return;
        }
        long now = RingSleep.toBeWoken(peer, records);
        if (now == 0 || now == wokenSleep) {
            return;
        }
        for (RingCarrier carrier : carriers.values()) {
            if (carrier.isWaking()) {
                // It may have come before the peer fell asleep.
                return;
            }
        }
        // Where no endpoint can send it, it is tried again as if it were lost.
        wokenSleep = now;
        if (now != repeatedSleep && confirmation != CONFIRMATION) {
            // The peer has been awake meanwhile.
            wakeUps.stop();
            confirmAfter(CONFIRMATION);
        }
        wakeUps.start();
        for (RingCarrier carrier : carriers.values()) {
            if (carrier.wakePeer()) {
                counters.countWakeUp();
                return;
            }
        }
    }

    /** A wake-up is no longer on its way: the next round looks whether the peer sleeps. */
    void wakeUpEnded(boolean sent) {
        if (!sent) {
            wokenSleep = 0;
        }
        written = true;
    }

    /**
     * Has the peer woken again if it still sleeps as it did at the last wake-up, which went over an endpoint that may
     * have ended since. Returns whether that is so.
     */
    boolean wakeAgain() {
        SharedPages peer = ofPeer;
        boolean sleeps = wokenSleep != 0 && peer != null && !ended && peer.word(RingLayout.SLEEP_WORD) == wokenSleep;
        if (sleeps) {
            repeatedSleep = wokenSleep;
            wokenSleep = 0;
            written = true;
            Duration doubled = confirmation.multipliedBy(2);
            confirmAfter(doubled.compareTo(MAX_CONFIRMATION) < 0 ? doubled : MAX_CONFIRMATION);
        }
        return sleeps;
    }

    private void confirmAfter(Duration pause) {
        confirmation = pause;
        wakeUps.interval(pause);
    }

    /** This engine is about to sleep. */
    void tellAsleep() {
        sleep.tellAsleep(!waiting.isEmpty() || !readings.isEmpty());
    }

    /** This engine is awake. */
    void tellAwake() {
        sleep.tellAwake();
    }

    /** Returns whether there is something to do before a sleep. */
    boolean hasWork() {
        boolean room = !waiting.isEmpty() && writer.hasRoom()
                || !readings.isEmpty() && readByPeer() >= readings.element().position;
        return written || roomMade || room || reader != null && !ended && reader.hasNext();
    }

    /** The peer has broken the protocol: its connections over this link end. */
    private void violated(ProtocolViolationException violation) {
        LOG.debug("the rings with process {} end: {}", process.id(), violation.getMessage());
        end();
        for (RingCarrier carrier : List.copyOf(carriers.values())) {
            try {
                carrier.violated(violation);
            } catch (UcxException e) {
                LOG.debug("a connection could not be closed", e);
            }
        }
    }

    /** Returns whether nothing goes over this link any more. */
    boolean isEnded() {
        return ended;
    }

    /** Nothing is read or written any more. */
    void end() {
        ended = true;
        waiting.clear();
        runReadings();
    }

    /** Unmaps the memory. Not while {@link #poll(int)} runs. */
    void close() {
        end();
        wakeUps.stop();
        arena.close();
        if (mapping != null) {
            mapping.close();
        }
    }
}
