package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_conn_request_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A peer that wants to connect to a listener ({@code ucp_conn_request_h}). Exactly one answer is due: {@link UcpWorker#accept} on any
 * worker of the same context, or {@link #reject()}. A listener that closes rejects what is left.
 *
 * <p><b>Threading:</b> accept on the accepting worker's thread, reject on the listener's. <b>Ownership:</b> ends with the answer.
 * <b>Errors:</b> a second answer throws {@link IllegalStateException}.
 */
public final class UcpConnectionRequest {

    private final UcpListener listener;
    private final MemorySegment handle;
    private final InetSocketAddress clientAddress;
    private final long clientId;
    private final AtomicBoolean answered = new AtomicBoolean();

    private UcpConnectionRequest(UcpListener listener, MemorySegment handle, InetSocketAddress clientAddress, long clientId) {
        this.listener = listener;
        this.handle = handle;
        this.clientAddress = clientAddress;
        this.clientId = clientId;
    }

    /** Asks UCX for what it knows of the client ({@code ucp_conn_request_query}), which it does until the request is answered. */
    static UcpConnectionRequest of(UcpListener listener, MemorySegment handle) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_conn_request_attr.allocate(call);
            ucp_conn_request_attr.field_mask(attr,
                    ucx_h.UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR() | ucx_h.UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ID());
            boolean known = ucx_h.ucp_conn_request_query(handle, attr) >= 0;
            return new UcpConnectionRequest(listener, handle,
                    known ? SocketAddresses.read(ucp_conn_request_attr.client_address(attr)) : new InetSocketAddress(0),
                    known ? ucp_conn_request_attr.client_id(attr) : 0);
        }
    }

    /** {@return address of the client's end} */
    public InetSocketAddress clientAddress() {
        return clientAddress;
    }

    /** {@return the number that the client's worker was made with, 0 where its endpoint does not send it} */
    public long clientId() {
        return clientId;
    }

    /** Refuses the peer, which sees {@link UcxStatus#REJECTED}. */
    public void reject() {
        listener.reject(this);
    }

    UcpListener listener() {
        return listener;
    }

    MemorySegment handle() {
        return handle;
    }

    /** Claims the one answer. */
    void answer() {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("connection request of " + clientAddress + ": it was answered already");
        }
    }

    boolean isAnswered() {
        return answered.get();
    }

    void rejectNow(MemorySegment listenerHandle) {
        UcpContext.check(ucx_h.ucp_listener_reject(listenerHandle, handle), "ucp_listener_reject");
    }
}
