package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.ffi.ucp_listener_attr;
import io.reactorucx.core.ffi.ucp_listener_conn_handler;
import io.reactorucx.core.ffi.ucp_listener_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.StackRoom;
import io.reactorucx.core.internal.config.FailureCause;
import io.reactorucx.core.internal.socket.SocketAddresses;
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
 * <p><b>Threading:</b> the thread of its worker; requests may be accepted by workers of other threads.
 * <b>Ownership:</b> {@link #refuse()} and {@link #close()} it before its worker; requests that wait are rejected.
 * <b>Errors:</b> {@link UcxException} with UCX's status.
 */
public final class UcpListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcpListener.class);
    /**
     * Rounds of progress without a request after which a close continues: less than 1 ms, in which UCX's thread reads
     * what clients have sent.
     */
    private static final int QUIET_ROUNDS = 1_000;
    /** Largest number of rounds of progress of a close, however many clients connect. */
    private static final int MAX_CLOSING_ROUNDS = 20 * QUIET_ROUNDS;

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

    private UcpListener(UcpWorker worker, MemorySegment handle, Consumer<UcpConnectionRequest> handler,
            int maxPending) {
        this.worker = worker;
        this.handle = handle;
        this.handler = handler;
        this.maxPending = maxPending;
        this.address = query(handle);
    }

    static UcpListener create(UcpWorker worker, MemorySegment workerHandle, long id, MemorySegment onRequest,
            InetSocketAddress bindAddress, Consumer<UcpConnectionRequest> handler, int maxPending) {
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
                throw FailureCause.explained(status, "ucp_listener_create at " + bindAddress, null,
                        worker.context().config().effective());
            }
            MemorySegment handle = pointer.get(ValueLayout.ADDRESS, 0);
            try {
                return new UcpListener(worker, handle, handler, maxPending);
            } catch (RuntimeException | Error e) {
                ucx_h.ucp_listener_destroy(handle);
                throw e;
            }
        }
    }

    private static InetSocketAddress query(MemorySegment listener) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_listener_attr.allocate(call);
            ucp_listener_attr.field_mask(attr, ucx_h.UCP_LISTENER_ATTR_FIELD_SOCKADDR());
            NativeStatus.check(ucx_h.ucp_listener_query(listener, attr), "ucp_listener_query");
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

    /** {@return requests that were rejected because too many waited, after {@link #refuse()} or by {@link #close()}} */
    public long rejectedRequests() {
        return rejected;
    }

    /** Records a request within an upcall; the handler is called later. */
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
            LOG.warn("[{}] connection from {} rejected: {} requests wait already", address, request.clientAddress(),
                    maxPending);
            reject(request);
            return;
        }
        handler.accept(request);
    }

    void reject(UcpConnectionRequest request) {
        worker.checkThread();
        StackRoom.require();
        worker.handleMissedEvents();
        request.answer();
        pending.remove(request);
        request.rejectNow(handle);
    }

    /** Lets a worker, perhaps of another thread, consume a request while the listener exists. */
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
     * Rejects new clients from now on. Keep calling progress until no client connects any more, then {@link #close()}.
     */
    public void refuse() {
        worker.checkThread();
        refusing = true;
    }

    /** Rejects the requests that wait. Returns whether there were any. */
    private boolean rejectPending() {
        boolean any = false;
        for (UcpConnectionRequest request : List.copyOf(pending)) {
            if (!request.isAnswered()) {
                any = true;
                rejected++;
                reject(request);
            }
        }
        return any;
    }

    /** {@return whether {@link #close()} was called} */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Rejects the clients that wait and those that connect during some rounds of progress, and ends the listener.
     *
     * <p>What remains: UCX follows a dangling pointer, which ends the process, when a client whose socket it has
     * accepted sends its request only after the listener is gone, however late. No call of UCX reports such clients.
     * The rounds take less than 1 ms and cover clients whose request is being sent; a {@link #refuse()} before, with
     * progress until no request arrives any more, gives more time to slow clients and to those that need progress of
     * this thread. A client that connects and sends nothing for long is not covered: where strangers reach the address,
     * keep the refusing listener open until the process ends.
     */
    @Override
    public void close() {
        worker.checkThread();
        if (closed) {
            return;
        }
        StackRoom.require();
        lifetime.lock();
        try {
            closed = true;
            int quiet = 0;
            for (int round = 0; round < MAX_CLOSING_ROUNDS && quiet < QUIET_ROUNDS; round++) {
                worker.handleMissedEvents();
                quiet = rejectPending() ? 0 : quiet + 1;
            }
            ucx_h.ucp_listener_destroy(handle);
        } finally {
            lifetime.unlock();
        }
        worker.endpointTable().closed(this);
    }
}
