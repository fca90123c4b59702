package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;
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
    private final AtomicBoolean answered = new AtomicBoolean();

    UcpConnectionRequest(UcpListener listener, MemorySegment handle, InetSocketAddress clientAddress) {
        this.listener = listener;
        this.handle = handle;
        this.clientAddress = clientAddress;
    }

    /** {@return address of the client's end} */
    public InetSocketAddress clientAddress() {
        return clientAddress;
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
