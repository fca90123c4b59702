package io.reactorucx.transport.carrier;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.transport.endpoint.PeerProcess;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What carries the frames of one connection to its peer, and how that ends: {@link EndpointCarrier}, which is UCX, or a
 * simulation in memory. It exists before the way to the peer does: that is attached while the connection is made.
 *
 * <p>Frames arrive unharmed, each once. Small ones keep their order; a large one and a small one may overtake each
 * other.
 *
 * <p>Thread: engine.
 */
public interface Carrier {

    /** Returns the endpoint for UCX's own operations, null before there is one, or where there never is. */
    @Nullable UcpEndpoint endpoint();

    /** Returns whether the way to the peer is there, even if it has failed or was closed. */
    boolean isAttached();

    /** Returns whether the way to the peer is there, has not failed, and was not closed. */
    boolean isUsable();

    /** Returns whether the way to the peer has failed. */
    boolean hasFailed();

    /** Returns the transports that the way takes, as {@code transport/device}; none where it has failed. */
    List<String> transports();

    /** Returns whether all frames to the engine of the peer, those of other connections too, share one queue. */
    boolean sharesQueue();

    /** Returns the largest header that {@link #send} takes, in bytes. */
    int maxHeaderBytes();

    /**
     * Sends a frame. Throws with a retryable status while there is no room.
     *
     * @param protocol {@link AmProtocol#RENDEZVOUS} for a large frame, which is offered to the peer and fetched
     * @param whenDone called when the memory is free again, unless it is at once
     * @return whether it is free already
     */
    boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone);

    /**
     * Sends a small frame without header, the first bytes of an array, if it goes at once and the array is free then.
     * Returns whether it has; if not, {@link #send} may.
     */
    boolean sendNow(int reservedId, byte[] bytes, int size);

    /**
     * Throws what {@link #send} would throw for its arguments, and for the state of this way, for a frame that goes
     * another way. Returns whether {@link #send} would copy the frame within the call.
     */
    boolean checkSend(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration);

    /** Takes a small frame of the peer that has come another way: its header, and its payload behind it. */
    void arrived(int reservedId, DataPlacement.Source source, long offset, int headerBytes, int payloadBytes);

    /** As {@link #send}, for a small frame without header, also at the limit of operations in flight. */
    boolean sendUrgent(int reservedId, MemorySegment payload, Completion whenDone);

    /** Returns the carrier of this one's frames, if it is a layer over another one that shows it; else this one. */
    default Carrier below() {
        return this;
    }

    /** Returns what carries frames that may overtake small ones: large ones, by whatever protocol. */
    default Carrier ofLargeFrames() {
        return this;
    }

    /** Returns whether an application may post operations of UCX that go past this carrier. */
    default boolean allowsRaw() {
        return true;
    }

    /** Throws for such an operation if it may not be posted. */
    default void requireRaw(OperationKind kind) {
        if (!allowsRaw()) {
            throw new UcxUnsupportedException(kind.ucxName(), "cannot be encrypted, and this connection is: use"
                    + " messages, requests, active messages or served memory, or allow it by"
                    + " EncryptionConfig.withRawOperationsAllowed(true)");
        }
    }

    /** Returns whether a frame of an id that comes now may be the peer's. */
    default boolean admits(int reservedId) {
        return true;
    }

    /** Returns whether all that this carries is encrypted. */
    default boolean isEncrypted() {
        return false;
    }

    /** Returns whether {@link #send} may take one more frame, as far as that is known before. */
    default boolean hasRoom(AmProtocol protocol) {
        return true;
    }

    /** Takes a way for large frames other than UCX's, and returns whether it alone uses it. */
    default boolean takesLarge(LargeMessages way) {
        return false;
    }

    /** Returns whether {@link #sendNow} may take a frame. */
    default boolean sendsNow() {
        return false;
    }

    /** Returns the number of operations in flight that a graceful close waits for. */
    long inFlight();

    /** Calls back when what was sent has arrived, and returns whether it has already. */
    boolean flush(Completion whenDone);

    /** Calls an action when what the peer sent before it left has been received, as far as that can be known. */
    void whenDrained(Runnable action);

    /** The way to the peer is complete: it can be closed. */
    void established();

    /** The connection ends before it was established: the peer may still make its end of the way. */
    void abandoned();

    /** The connection is lost: the process of its peer may have died. */
    void lost(PeerProcess process);

    /** Starts to hand the way on to the next connection of both sides, and returns whether that is possible. */
    boolean beginRelease();

    /** Takes the next step of that, and returns whether both sides have released the way. */
    boolean advanceRelease();

    /** Notes that the peer has released the way. */
    void peerReleased();

    /** Rules out that the way is handed on, unless both sides have released it. */
    void forbidRelease();

    /** Returns whether the way can be closed now. */
    boolean canClose();

    /** Closes the way in the wanted mode, or by force where that is not possible. */
    void close(CloseMode wanted, Runnable whenClosed);

    /** Returns whether the way was closed by force: the connection need not wait for what is kept of it. */
    boolean isClosedByForce();

    /** The connection to a process has ended: the way waits for the next connection, or is forgotten. */
    void connectionEnded(PeerProcess process);

    /** Nothing of the way is left. */
    void engineClosed();
}
