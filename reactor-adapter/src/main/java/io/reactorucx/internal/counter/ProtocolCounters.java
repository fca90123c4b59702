package io.reactorucx.internal.counter;

import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.transport.counter.EngineCounter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts what the protocols of one engine's connections do beside operations of UCX. Thread: engine; reads any. */
public final class ProtocolCounters {

    private static final int ACCESSES = Access.values().length;

    private final TrafficCounter activeMessages = new TrafficCounter();
    private final AtomicLong fetched = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLongArray served = new AtomicLongArray(ACCESSES);
    private final AtomicLongArray servedBytes = new AtomicLongArray(ACCESSES);
    private final AtomicLongArray oneSided = new AtomicLongArray(ACCESSES);
    private final AtomicLongArray oneSidedBytes = new AtomicLongArray(ACCESSES);

    /** Returns what active messages of the application have arrived; what is sent is an operation of UCX. */
    public TrafficCounter activeMessages() {
        return activeMessages;
    }

    /** A large flow-controlled message has been fetched. */
    public void fetchedOffer() {
        EngineCounter.add(fetched, 1);
    }

    /** A large message of the peer was released without a fetch. */
    public void droppedOffer() {
        EngineCounter.add(dropped, 1);
    }

    /** The peer's engine has served a request for its memory. */
    public void served(Access access, long bytes) {
        int index = access.ordinal();
        served.setOpaque(index, served.getPlain(index) + 1);
        servedBytes.setOpaque(index, servedBytes.getPlain(index) + bytes);
    }

    public long fetchedOffers() {
        return fetched.getOpaque();
    }

    public long droppedOffers() {
        return dropped.getOpaque();
    }

    public long served(Access access) {
        return served.getOpaque(access.ordinal());
    }

    public long servedBytes(Access access) {
        return servedBytes.getOpaque(access.ordinal());
    }

    /**
     * Returns the accesses by UCX itself: the rest of all. The two are not read at one moment, and a count must not
     * fall.
     *
     * @param all as many accesses as have succeeded, read before
     */
    public long oneSided(Access access, long all) {
        return oneSided.accumulateAndGet(access.ordinal(), all - served(access), Math::max);
    }

    /** Returns the bytes of the accesses by UCX itself. */
    public long oneSidedBytes(Access access, long all) {
        return oneSidedBytes.accumulateAndGet(access.ordinal(), all - servedBytes(access), Math::max);
    }
}
