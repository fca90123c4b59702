package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpUpcalls;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.worker.LostEvents;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The functions that UCX calls when something arrives: a message, a peer, the failure of an endpoint.
 *
 * <p>They only queue what happened: user code runs after the native call has returned. They catch everything: an
 * exception that leaves an upcall ends the JVM. So what is outside of their {@code try} blocks must not allocate.
 */
final class ArrivalUpcalls {

    private static final byte OK = 0;
    private static final byte IN_PROGRESS = 1;
    private static final long HAS_REPLY_ENDPOINT = ucx_h.UCP_AM_RECV_ATTR_FIELD_REPLY_EP();
    private static final long MAY_BE_KEPT = ucx_h.UCP_AM_RECV_ATTR_FLAG_DATA();
    private static final long IS_RENDEZVOUS = ucx_h.UCP_AM_RECV_ATTR_FLAG_RNDV();

    final MemorySegment onActiveMessage;
    final MemorySegment onEndpointError;
    final MemorySegment onConnectionRequest;

    private final WorkerEvents events;
    private final LostEvents lost;
    private final int maxInlineBytes;

    ArrivalUpcalls(WorkerEvents events, int maxInlineBytes, Arena arena) {
        this.events = events;
        this.lost = events.lost();
        this.maxInlineBytes = maxInlineBytes;
        onActiveMessage = UcpUpcalls.activeMessage(this::activeMessage, arena);
        onEndpointError = UcpUpcalls.endpointError(this::endpointError, arena);
        onConnectionRequest = UcpUpcalls.connection(this::connectionRequest, arena);
    }

    private byte activeMessage(long arg, long header, long headerLength, long data, long length, long param) {
        try {
            if (param == 0) {
                throw LostEvents.WARM_UP;
            }
            long attributes = UcpDirect.recv_attr(param);
            long replyHandle = (attributes & HAS_REPLY_ENDPOINT) == 0 ? 0 : UcpDirect.reply_ep(param);
            UcpEndpoint replyEndpoint = replyHandle == 0 ? null : events.endpoint(replyHandle);
            boolean rendezvous = (attributes & IS_RENDEZVOUS) != 0;
            boolean hold = rendezvous || ((attributes & MAY_BE_KEPT) != 0 && length > maxInlineBytes);
            if (replyEndpoint != null) {
                replyEndpoint.heard();
            }
            Object replyTo = replyEndpoint != null || replyHandle == 0 ? replyEndpoint : (Object) replyHandle;
            if (hold) {
                events.heldArrived(new UcpActiveMessage((int) arg, bytes(header, headerLength), length, data,
                        rendezvous, replyTo));
                return IN_PROGRESS;
            }
            if (length > maxInlineBytes
                    && place((int) arg, bytes(header, headerLength), data, Math.toIntExact(length), replyTo)) {
                return OK;
            }
            UcpActiveMessage message = events.spareMessage();
            if (headerLength == 0 && length <= Long.BYTES) {
                message.become((int) arg, UcpDirect.word(data, (int) length), (int) length, replyTo);
            } else {
                byte[] bytes = message.arrayFor(Math.toIntExact(Math.addExact(headerLength, length)));
                if (headerLength > 0) {
                    UcpDirect.copy(header, bytes, 0, (int) headerLength);
                }
                if (length > 0) {
                    UcpDirect.copy(data, bytes, (int) headerLength, (int) length);
                }
                message.become((int) arg, bytes, (int) headerLength, (int) length, replyTo);
            }
            events.messageArrived(message);
            return OK;
        } catch (Throwable t) {
            lost.add(t);
            return OK;
        }
    }

    /** Copies data to where its handler wants it. Returns false if the handler has no place. */
    private boolean place(int id, byte[] header, long data, int length, @Nullable Object replyTo) {
        PlacedData place = events.place(id, header, data, length);
        if (place == null) {
            return false;
        }
        UcpActiveMessage message = null;
        try {
            message = new UcpActiveMessage(id, header, length, place, replyTo);
        } finally {
            if (message == null) {
                place.release();
            }
        }
        events.heldArrived(message);
        return true;
    }

    private static byte[] bytes(long header, long headerLength) {
        byte[] bytes = new byte[Math.toIntExact(headerLength)];
        if (headerLength > 0) {
            UcpDirect.copy(header, bytes, 0, (int) headerLength);
        }
        return bytes;
    }

    private void endpointError(long arg, long endpoint, byte status) {
        try {
            if (endpoint == 0) {
                throw LostEvents.WARM_UP;
            }
            events.endpointFailed(endpoint, status);
        } catch (Throwable t) {
            lost.add(t);
        }
    }

    private void connectionRequest(long request, long arg) {
        try {
            if (request == 0) {
                throw LostEvents.WARM_UP;
            }
            events.connectionRequested(arg, MemorySegment.ofAddress(request));
        } catch (Throwable t) {
            lost.add(t);
        }
    }
}
