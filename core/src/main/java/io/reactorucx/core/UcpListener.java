package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_listener_attr;
import io.reactorucx.core.ffi.ucp_listener_conn_handler;
import io.reactorucx.core.ffi.ucp_listener_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket address at which peers connect ({@code ucp_listener_h}).
 *
 * <p><b>Threading:</b> the thread of its worker; requests may be accepted by workers of other threads. <b>Ownership:</b> close it before
 * its worker; requests that wait are rejected then. <b>Errors:</b> {@link UcxException} with UCX's status.
 */
public final class UcpListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcpListener.class);

    private final UcpWorker worker;
    private final MemorySegment handle;
    private final InetSocketAddress address;
    private final Consumer<UcpConnectionRequest> handler;
    private final int maxPending;
    private final Set<UcpConnectionRequest> pending = new LinkedHashSet<>();
    /** Held while UCX consumes a request and while the listener is destroyed: a request refers to its listener. */
    private final ReentrantLock lifetime = new ReentrantLock();
    private long rejected;
    private boolean refusing;
    private boolean closed;

    private UcpListener(UcpWorker worker, MemorySegment handle, Consumer<UcpConnectionRequest> handler, int maxPending) {
        this.worker = worker;
        this.handle = handle;
        this.handler = handler;
        this.maxPending = maxPending;
        this.address = query(handle);
    }

    static UcpListener create(UcpWorker worker, MemorySegment workerHandle, long id, MemorySegment onRequest, InetSocketAddress bindAddress,
            Consumer<UcpConnectionRequest> handler, int maxPending) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = ucp_listener_params.allocate(call);
            ucp_listener_params.field_mask(params,
                    ucx_h.UCP_LISTENER_PARAM_FIELD_SOCK_ADDR() | ucx_h.UCP_LISTENER_PARAM_FIELD_CONN_HANDLER());
            SocketAddresses.fill(ucp_listener_params.sockaddr(params), bindAddress, call);
            MemorySegment connectionHandler = ucp_listener_params.conn_handler(params);
            ucp_listener_conn_handler.cb(connectionHandler, onRequest);
            ucp_listener_conn_handler.arg(connectionHandler, MemorySegment.ofAddress(id));
            MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
            int status = ucx_h.ucp_listener_create(workerHandle, params, pointer);
            if (status < 0) {
                throw new UcxException(status, "ucp_listener_create at " + bindAddress, null);
            }
            return new UcpListener(worker, pointer.get(ValueLayout.ADDRESS, 0), handler, maxPending);
        }
    }

    private static InetSocketAddress query(MemorySegment listener) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_listener_attr.allocate(call);
            ucp_listener_attr.field_mask(attr, ucx_h.UCP_LISTENER_ATTR_FIELD_SOCKADDR());
            UcpContext.check(ucx_h.ucp_listener_query(listener, attr), "ucp_listener_query");
            return SocketAddresses.read(ucp_listener_attr.sockaddr(attr));
        }
    }

    UcpWorker worker() {
        return worker;
    }

    /** {@return the address that it is bound to, with the port that was chosen where 0 was asked for} */
    public InetSocketAddress address() {
        return address;
    }

    /** {@return requests that were rejected because too many waited, or after {@link #refuse()}} */
    public long rejectedRequests() {
        return rejected;
    }

    /** Notes a request, from an upcall; what the handler does with it comes later. */
    UcpConnectionRequest arrived(MemorySegment requestHandle) {
        UcpConnectionRequest request = UcpConnectionRequest.of(this, requestHandle);
        pending.removeIf(UcpConnectionRequest::isAnswered);
        pending.add(request);
        return request;
    }

    void deliver(UcpConnectionRequest request) {
        if (closed) {
            return;
        }
        if (refusing) {
            rejected++;
            reject(request);
            return;
        }
        if (pending.size() > maxPending) {
            rejected++;
            LOG.warn("[{}] connection from {} rejected: {} requests wait already", address, request.clientAddress(), maxPending);
            reject(request);
            return;
        }
        handler.accept(request);
    }

    void reject(UcpConnectionRequest request) {
        worker.checkThread();
        worker.handleMissedEvents();
        request.answer();
        pending.remove(request);
        request.rejectNow(handle);
    }

    /** Lets a worker, perhaps of another thread, consume a request while the listener is sure to exist. */
    void consume(UcpConnectionRequest request, Runnable nativeCall) {
        lifetime.lock();
        try {
            request.answer();
            nativeCall.run();
        } finally {
            lifetime.unlock();
        }
    }

    /**
     * Rejects whoever wants to connect from here on.
     *
     * <p>UCX follows a dangling pointer when a listener is destroyed while the socket of a client is accepted and its request is not read
     * yet. Refuse first, go on with progress until no client comes any more, then close.
     */
    public void refuse() {
        worker.checkThread();
        refusing = true;
    }

    /** {@return whether {@link #close()} was called} */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        worker.checkThread();
        if (closed) {
            return;
        }
        lifetime.lock();
        try {
            closed = true;
            for (UcpConnectionRequest request : List.copyOf(pending)) {
                if (!request.isAnswered()) {
                    reject(request);
                }
            }
            ucx_h.ucp_listener_destroy(handle);
        } finally {
            lifetime.unlock();
        }
        worker.listenerClosed(this);
    }
}
