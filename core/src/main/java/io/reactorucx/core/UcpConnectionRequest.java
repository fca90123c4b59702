package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.ucp_conn_request_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.socket.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A peer that wants to connect to a listener ({@code ucp_conn_request_h}). It has to be answered exactly once: by
 * {@link UcpWorker#accept} on any worker of the same context, or by {@link #reject()}. A listener that closes rejects
 * what is left.
 *
 * <p><b>Threading:</b> accept on the accepting worker's thread, reject on the listener's, questions on any.
 * <b>Ownership:</b> ends with the answer. <b>Errors:</b> a second answer throws {@link IllegalStateException}.
 */
public final class UcpConnectionRequest {

    private final UcpListener listener;
    private final MemorySegment handle;
    private final InetSocketAddress clientAddress;
    /** Held while UCX reads the request, which is not allowed once the request has been accepted or rejected. */
    private final ReentrantLock lock = new ReentrantLock();
    private OptionalLong clientId = OptionalLong.empty();
    private volatile boolean answered;

    private UcpConnectionRequest(UcpListener listener, MemorySegment handle, InetSocketAddress clientAddress) {
        this.listener = listener;
        this.handle = handle;
        this.clientAddress = clientAddress;
    }

    /**
     * Asks UCX only for what the socket says of the client: bytes that a stranger sent in place of a client's data
     * would end the process.
     */
    static UcpConnectionRequest of(UcpListener listener, MemorySegment handle) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_conn_request_attr.allocate(call);
            boolean known = query(handle, attr, ucx_h.UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR());
            InetSocketAddress client = known ? SocketAddresses.read(ucp_conn_request_attr.client_address(attr))
                    : new InetSocketAddress(0);
            return new UcpConnectionRequest(listener, handle, client);
        }
    }

    private static boolean query(MemorySegment handle, MemorySegment attr, int field) {
        ucp_conn_request_attr.field_mask(attr, field);
        return ucx_h.ucp_conn_request_query(handle, attr) >= 0;
    }

    /** {@return address of the client's end} */
    public InetSocketAddress clientAddress() {
        return clientAddress;
    }

    /**
     * The number that the client's worker was made with ({@code ucp_conn_request_query}). UCX reads and trusts what the
     * client sent: bytes of a program other than UCX end the process. Call this only where all clients can be trusted,
     * and before the request is answered; the result is remembered.
     *
     * @return the number, 0 where the client's endpoint does not send it
     */
    public long clientId() {
        lock.lock();
        try (Arena call = Arena.ofConfined()) {
            if (clientId.isEmpty()) {
                requireUnanswered();
                MemorySegment attr = ucp_conn_request_attr.allocate(call);
                boolean known = query(handle, attr, ucx_h.UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ID());
                clientId = OptionalLong.of(known ? ucp_conn_request_attr.client_id(attr) : 0);
            }
            return clientId.getAsLong();
        } finally {
            lock.unlock();
        }
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

    /** Marks the request as answered; throws when it already is. */
    void answer() {
        lock.lock();
        try {
            requireUnanswered();
            answered = true;
        } finally {
            lock.unlock();
        }
    }

    private void requireUnanswered() {
        if (answered) {
            throw new IllegalStateException("connection request of " + clientAddress + ": it was answered already");
        }
    }

    boolean isAnswered() {
        return answered;
    }

    void rejectNow(MemorySegment listenerHandle) {
        NativeStatus.check(ucx_h.ucp_listener_reject(listenerHandle, handle), "ucp_listener_reject");
    }
}
