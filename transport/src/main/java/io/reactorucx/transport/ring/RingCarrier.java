package io.reactorucx.transport.ring;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.carrier.CarrierLayer;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A carrier whose small frames go over a ring once both sides have agreed on that, and all else over an endpoint of
 * UCX, as everything does until then. From when the agreement begins until its end, small frames wait, so that they
 * keep their order.
 *
 * <p>Thread: engine.
 */
public final class RingCarrier extends CarrierLayer {

    private static final Logger LOG = LoggerFactory.getLogger(RingCarrier.class);

    private enum Way {
        ENDPOINT,
        /** The two sides are about to agree. */
        OPEN,
        RING
    }

    private final Carrier endpoint;
    private final int maxPending;
    private final RingCounters counters;
    private final Queue<PendingSend> pending = new ArrayDeque<>();
    /** Whose completions are to come. */
    private final Queue<PendingSend> written = new ArrayDeque<>();
    private Way way = Way.ENDPOINT;
    private @Nullable RingLink link;
    private @Nullable Consumer<ProtocolViolationException> whenViolated;
    private long ownToken;
    private boolean waking;
    private byte[] wakeFrame = new byte[0];

    /** A frame that waits, with copies of its header and of a small payload of an application on the heap. */
    private record PendingSend(int id, MemorySegment header, MemorySegment payload, Completion whenDone) {
    }

    private static MemorySegment copy(MemorySegment bytes) {
        return MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * Creates a carrier.
     *
     * @param endpoint what carries the rest
     * @param maxPending as many frames may wait for room
     */
    RingCarrier(Carrier endpoint, int maxPending, RingCounters counters) {
        super(endpoint);
        this.endpoint = endpoint;
        this.maxPending = maxPending;
        this.counters = counters;
    }

    /** The two sides are about to agree: small frames wait. */
    void begin() {
        way = Way.OPEN;
    }

    /**
     * Takes what comes over a link for the connection with a token.
     *
     * @param violated the peer has broken the protocol of the ring
     */
    void join(RingLink joined, long token, byte[] wake, Consumer<ProtocolViolationException> violated) {
        link = joined;
        ownToken = token;
        wakeFrame = wake;
        whenViolated = violated;
        joined.add(token, this);
    }

    /** Small frames go over the ring from now on. */
    void agreed() {
        way = Way.RING;
        if (!pending.isEmpty()) {
            link().await(this);
        }
    }

    /** All goes over the endpoint. */
    void declined() {
        way = Way.ENDPOINT;
        counters.countDeclined();
        leave();
        while (!pending.isEmpty()) {
            sendOverEndpoint(pending.remove());
        }
    }

    private void leave() {
        RingLink left = link;
        if (left != null) {
            link = null;
            way = Way.ENDPOINT;
            left.remove(ownToken);
        }
    }

    private RingLink link() {
        return Objects.requireNonNull(link, "there is no ring yet");
    }

    @Override
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone) {
        if (way == Way.ENDPOINT || protocol == AmProtocol.RENDEZVOUS) {
            return endpoint.send(reservedId, header, payload, registration, protocol, whenDone);
        }
        boolean copied = endpoint.checkSend(reservedId, header, payload, registration);
        if (way == Way.RING) {
            RingLink over = link();
            if (!over.fits(header.byteSize(), payload.byteSize())) {
                return endpoint.send(reservedId, header, payload, registration, protocol, whenDone);
            }
            if (pending.isEmpty() && !over.isAwaited() && over.write(reservedId, header, payload)) {
                return true;
            }
            if (over.isEnded()) {
                throw new UcxException(UcxStatus.CONNECTION_RESET, "am_send", null,
                        "the peer has broken the protocol of its ring");
            }
        }
        if (pending.size() >= maxPending) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "am_send", null, pending.size()
                    + " frames wait for room in the ring, and maxInFlight is " + maxPending);
        }
        // Whoever sends batches keeps them until they are done; an application may not, where UCX would copy.
        boolean kept = !copied || reservedId == ReservedMessageIds.MESSAGES;
        await(new PendingSend(reservedId, copy(header), kept ? payload : copy(payload), whenDone));
        return false;
    }

    @Override
    public Carrier ofLargeFrames() {
        return endpoint;
    }

    @Override
    public boolean hasRoom(AmProtocol protocol) {
        return way == Way.ENDPOINT || protocol == AmProtocol.RENDEZVOUS ? endpoint.hasRoom(protocol)
                : pending.size() < maxPending;
    }

    @Override
    public boolean sendsNow() {
        RingLink over = link;
        return way == Way.RING && over != null && pending.isEmpty() && !over.isAwaited() && endpoint.isUsable();
    }

    @Override
    public boolean sendNow(int reservedId, byte[] bytes, int size) {
        return sendsNow() && link().fits(0, size) && link().write(reservedId, bytes, size);
    }

    private void await(PendingSend send) {
        pending.add(send);
        counters.countWait();
        if (way == Way.RING) {
            link().await(this);
        }
    }

    /**
     * Writes what waits now, and returns false where there was no room for all. The completions follow by
     * {@link #completeWritten()}: what they send then has to wait no more.
     */
    boolean writePending() {
        int count = pending.size();
        for (PendingSend first = pending.peek(); first != null && count > 0; first = pending.peek(), count--) {
            if (way != Way.RING || !first.payload.scope().isAlive()) {
                pending.remove();
                first.whenDone.complete(UcxStatus.CANCELED.code(), 0, 0);
            } else if (!link().fits(first.header.byteSize(), first.payload.byteSize())) {
                pending.remove();
                sendOverEndpoint(first);
            } else if (link().write(first.id, first.header, first.payload)) {
                written.add(pending.remove());
            } else {
                return false;
            }
        }
        return true;
    }

    /** Completes what was written, and returns whether something waits by now. */
    boolean completeWritten() {
        while (!written.isEmpty()) {
            written.remove().whenDone.complete(UcxStatus.OK.code(), 0, 0);
        }
        return !pending.isEmpty();
    }

    private void sendOverEndpoint(PendingSend waited) {
        MemorySegment payload = waited.payload.isNative() ? waited.payload
                : Arena.ofAuto().allocate(waited.payload.byteSize()).copyFrom(waited.payload);
        try {
            if (endpoint.send(waited.id, waited.header, payload, null, AmProtocol.EAGER, waited.whenDone)) {
                waited.whenDone.complete(0, 0, 0);
            }
        } catch (UcxException e) {
            waited.whenDone.complete(e.status().code(), 0, 0);
        }
    }

    /** The peer has broken the protocol of the ring. */
    void violated(ProtocolViolationException violation) {
        Consumer<ProtocolViolationException> told = whenViolated;
        if (told != null) {
            told.accept(violation);
        }
    }

    /** Returns whether a message that wakes the peer is on its way; when it no longer is, the link looks again. */
    boolean isWaking() {
        return waking;
    }

    /** Wakes the peer by a message over the endpoint, and returns whether that was possible. */
    boolean wakePeer() {
        RingLink over = link;
        if (over == null || !endpoint.isUsable()) {
            return false;
        }
        try {
            waking = !endpoint.sendUrgent(ReservedMessageIds.RINGS,
                    Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, wakeFrame), (status, length, tag) -> {
                        waking = false;
                        over.wakeUpEnded(status == UcxStatus.OK.code());
                    });
            return true;
        } catch (UcxException e) {
            LOG.debug("a peer was not woken", e);
            return false;
        }
    }

    private void cancelPending() {
        while (!pending.isEmpty()) {
            pending.remove().whenDone.complete(UcxStatus.CANCELED.code(), 0, 0);
        }
    }

    @Override
    public long inFlight() {
        return endpoint.inFlight() + pending.size() + written.size();
    }

    @Override
    public boolean flush(Completion whenDone) {
        RingLink over = link;
        if (over == null || !over.awaitRead(() -> flushEndpoint(whenDone))) {
            return endpoint.flush(whenDone);
        }
        return false;
    }

    private void flushEndpoint(Completion whenDone) {
        try {
            if (endpoint.flush(whenDone)) {
                whenDone.complete(0, 0, 0);
            }
        } catch (UcxException e) {
            whenDone.complete(e.status().code(), 0, 0);
        }
    }

    @Override
    public boolean beginRelease() {
        cancelPending();
        return endpoint.beginRelease();
    }

    @Override
    public void close(CloseMode wanted, Runnable whenClosed) {
        cancelPending();
        endpoint.close(wanted, whenClosed);
    }

    @Override
    public void connectionEnded(PeerProcess process) {
        leave();
        cancelPending();
        endpoint.connectionEnded(process);
    }

    @Override
    public void engineClosed() {
        leave();
        cancelPending();
        endpoint.engineClosed();
    }
}
