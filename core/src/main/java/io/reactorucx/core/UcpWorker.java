package io.reactorucx.core;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.NativeText;
import io.reactorucx.core.internal.address.WorkerAddresses;
import io.reactorucx.core.internal.socket.ListeningSocket;
import io.reactorucx.core.internal.worker.WorkerWakeup;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives communication and reports its events, on one thread ({@code ucp_worker_h}).
 *
 * <p><b>Threading:</b> the thread that made it, or the one that has entered it where {@link
 * UcpWorkerParameters#threadMode()} allows others; {@link #signal()} aside. Any other thread gets {@link
 * IllegalStateException}, on everything that belongs to the worker. <b>Ownership:</b> endpoints and listeners are
 * closed first, with nothing in flight. <b>Errors:</b> {@link UcxException} with UCX's status.
 */
public final class UcpWorker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcpWorker.class);

    private final UcpContext context;
    private final UcpWorkerConfig config;
    private final NativeWorker made;
    private final MemorySegment handle;
    private final RequestTable requests;
    private final RequestParameters parameters;
    private final GenericOperations generics;
    private final UcpTags tags;
    private final UcpStreams streams;
    private final UcpActiveMessages activeMessages;
    private final ThreadConfinement threads;
    private final UcpWorkerAttributes attributes;
    private final @Nullable WorkerWakeup wakeup;
    private final ArrivalUpcalls upcalls;
    private final EndpointTable endpoints;
    private final WorkerEvents events;
    private final UcpTcpListeners listeners;
    private boolean progressing;
    private boolean closed;

    /**
     * The right of a thread to use a worker of several threads; another thread may enter after {@link #close()}, which
     * the same thread has to call.
     */
    public interface Entry extends AutoCloseable {

        @Override
        void close();
    }

    private UcpWorker(UcpContext context, UcpWorkerConfig config, NativeWorker made) {
        this.context = context;
        this.config = config;
        this.made = made;
        handle = made.handle();
        Arena arena = made.arena();
        requests = new RequestTable(config.maxInFlight(), arena, context.registrations());
        parameters = new RequestParameters(arena, context);
        generics = new GenericOperations(arena);
        tags = new UcpTags(this, handle, arena);
        streams = new UcpStreams(this, handle, arena);
        activeMessages = new UcpActiveMessages(this, handle);
        if (context.has(UcpFeature.AM)) {
            activeMessages.clear();
        }
        UcxThreadMode asked = config.parameters().threadMode();
        attributes = UcpWorkerAttributes.of(handle).requireThreadMode(asked);
        threads = new ThreadConfinement(config.name(), asked, this::checkMayLeave);
        endpoints = new EndpointTable(this, handle);
        events = new WorkerEvents(config.name(), endpoints, activeMessages, requests.lost());
        upcalls = new ArrivalUpcalls(events, config.maxInlineBytes(), arena);
        listeners = new UcpTcpListeners(this::checkThread,
                made.tcpPort() == 0 ? List.of() : ListeningSocket.onPort(made.tcpPort()));
        wakeup = context.has(UcpFeature.WAKEUP) ? new WorkerWakeup(handle, made.eventFd(), arena) : null;
    }

    static UcpWorker create(UcpContext context, UcpWorkerConfig config) {
        NativeWorker made = NativeWorker.create(context, config);
        try {
            UcpWorker worker = new UcpWorker(context, config, made);
            worker.endpoints.workerOpened();
            context.workerOpened();
            return worker;
        } catch (RuntimeException | Error e) {
            made.destroy();
            throw e;
        }
    }

    /**
     * Lets the calling thread use this worker and all that belongs to it, until the returned entry is closed. Thread
     * mode {@link UcxThreadMode#SINGLE} allows only one thread anyway; {@link UcxThreadMode#SERIALIZED} throws while
     * another thread is in it; {@link UcxThreadMode#MULTI} waits for that one to leave, which it does not while it
     * sleeps: {@link #signal()} wakes it.
     *
     * @return the entry, to be closed by the same thread; entries of one thread may be nested
     */
    public Entry enter() {
        return threads.enter();
    }

    /**
     * Lets UCX progress once and then calls the completions and handlers of what it reported ({@code
     * ucp_worker_progress}).
     *
     * <p>A completion or handler that throws is logged, and the others follow. Only a {@link VirtualMachineError} other
     * than an overflow of the stack and an {@link InternalError} is thrown on, as is one by which an event was lost:
     * its receiver would wait for ever, so the worker should be closed. After that, each further call throws an {@link
     * OutOfMemoryError} before it calls UCX, until there is memory again.
     *
     * @return how much was done; 0 when there was nothing to do
     */
    public int progress() {
        checkOpen("worker_progress");
        if (progressing) {
            throw new IllegalStateException("worker_progress: called from a completion or handler of the same worker");
        }
        requests.lost().requireReserve();
        progressing = true;
        try {
            int work = UcpDirect.ucp_worker_progress(handle.address());
            requests.lost().rethrow();
            int arrived = events.size();
            int ended = requests.readyCount();
            // The failure of an endpoint comes before what it did to operations: UCX completes some as if nothing had
            // happened.
            events.deliver(arrived);
            endpoints.parked().progress();
            return work + arrived + requests.deliver(ended);
        } finally {
            progressing = false;
        }
    }

    /** {@return whether the next {@link #progress()} has something to deliver, whatever UCX has to do} */
    public boolean hasPendingDeliveries() {
        checkThread();
        return requests.readyCount() > 0 || events.size() > 0;
    }

    /**
     * Prepares to sleep ({@code ucp_worker_arm}).
     *
     * @return whether {@link #await} may be called; false means that there is work to progress
     */
    public boolean arm() {
        checkOpen("worker_arm");
        return !hasPendingDeliveries() && wakeup("worker_arm").arm();
    }

    /**
     * Sleeps until there is work, another thread signals, or the timeout has passed. Only after {@link #arm()} returned
     * true.
     *
     * @param timeoutNanos longest sleep in ns; UCX's descriptor is polled with a resolution of 1 ms
     * @return whether something woke it
     */
    public boolean await(long timeoutNanos) {
        checkOpen("worker_await");
        return wakeup("worker_await").await(timeoutNanos);
    }

    /**
     * Sleeps until there is something to progress, another thread signals, or the timeout has passed: {@code
     * ucp_worker_wait} with a timeout, which UCX itself does not have.
     *
     * @param timeoutNanos longest sleep in ns
     * @return whether there may be something to progress
     */
    public boolean waitForWork(long timeoutNanos) {
        return !arm() || await(timeoutNanos);
    }

    /**
     * Waits briefly, where the processor supports that, for a change of memory that a peer may write ({@code
     * ucp_worker_wait_mem}).
     *
     * @param memory native memory, at least 1 byte
     */
    public void waitForMemory(MemorySegment memory) {
        checkOpen("worker_wait_mem");
        Arguments.positive(Arguments.source(memory, "memory").byteSize(), "memory.byteSize()");
        ucx_h.ucp_worker_wait_mem(handle, memory);
    }

    /**
     * Waits until all earlier puts have arrived at the peers of all endpoints ({@code ucp_worker_flush_nbx}).
     *
     * @param whenDone called when they have
     * @return whether they have already
     */
    public boolean flush(Completion whenDone) {
        checkOpen("worker_flush");
        long token = requests.begin("worker_flush", whenDone, null, null, null);
        return requests.posted("worker_flush", null, token,
                UcpPosts.ucp_worker_flush_nbx(handle, parameters.of(requests.onSend, token, null)));
    }

    /**
     * Orders puts, gets and atomics that follow after those before, for each endpoint ({@code ucp_worker_fence}). It
     * completes nothing and does not wait: across several network devices only a {@link #flush} orders.
     */
    public void fence() {
        checkOpen("worker_fence");
        NativeStatus.check(ucx_h.ucp_worker_fence(handle), "worker_fence");
    }

    /** Ends a sleep, now or the next one ({@code ucp_worker_signal}). Any thread; nothing happens after the close. */
    public void signal() {
        wakeup("worker_signal").signal();
    }

    /**
     * {@return a descriptor that becomes readable when there is work, for a foreign event loop; not to be read or
     * closed}
     */
    public int eventFd() {
        checkOpen("worker_get_efd");
        return wakeup("worker_get_efd").eventFd();
    }

    private WorkerWakeup wakeup(String operation) {
        if (wakeup == null) {
            throw new UcxUnsupportedException(operation, UcpContext.missing(UcpFeature.WAKEUP));
        }
        return wakeup;
    }

    /** {@return what peers need to connect to this worker without a listener ({@code ucp_worker_get_address})} */
    public byte[] address() {
        checkOpen("worker_get_address");
        return WorkerAddresses.of(handle, false);
    }

    /** {@return as {@link #address()}, with network devices only, for peers on other hosts ({@code NET_ONLY})} */
    public byte[] networkAddress() {
        checkOpen("worker_get_address");
        return WorkerAddresses.of(handle, true);
    }

    /**
     * {@return an address after the checks of {@link #connect(byte[], EndpointOptions)}, which throws the same}
     *
     * @param workerAddress what a peer has sent
     */
    public UcpPeerAddress peerAddress(byte[] workerAddress) {
        return endpoints.checked(workerAddress);
    }

    /**
     * {@return the number in an address that identifies its worker ({@code ucp_worker_address_query})}
     *
     * @param workerAddress what {@link #address()} gave on the other side
     */
    public static long uid(byte[] workerAddress) {
        Ucx.ensureAvailable();
        return WorkerAddresses.uid(workerAddress);
    }

    /**
     * Connects to a listener; a failure to connect comes as the endpoint's error. Wait for a {@link UcpEndpoint#flush}
     * before the first message: UCX 1.13 chooses how to send one by the limits of tcp, and loses it when shared memory,
     * which it then uses, has smaller ones.
     *
     * @param remote address of the listener
     * @param options how to treat errors
     * @return the endpoint
     */
    public UcpEndpoint connect(InetSocketAddress remote, EndpointOptions options) {
        return endpoints.connect(remote, options);
    }

    /**
     * Connects to a worker by its address.
     *
     * @param workerAddress what {@link #address()} gave on the other side. UCX trusts these bytes: take them from a
     *     trusted source
     * @param options how to treat errors
     * @return the endpoint
     */
    public UcpEndpoint connect(byte[] workerAddress, EndpointOptions options) {
        return peerAddress(workerAddress).connect(options);
    }

    /**
     * Accepts a peer that connected to a listener of this or another worker of the same context.
     *
     * @param request the peer's request, which this call answers
     * @param options how to treat errors
     * @return the endpoint
     */
    public UcpEndpoint accept(UcpConnectionRequest request, EndpointOptions options) {
        return endpoints.accept(request, options);
    }

    /**
     * Listens at a socket address ({@code ucp_listener_create}).
     *
     * @param bindAddress where; port 0 lets the system choose
     * @param handler called with each peer that wants to connect, on this worker's thread
     * @return the listener, to be closed before this worker
     */
    public UcpListener listen(InetSocketAddress bindAddress, Consumer<UcpConnectionRequest> handler) {
        return endpoints.listen(bindAddress, handler);
    }

    /** {@return active messages: handlers, and the data that UCX holds for them} */
    public UcpActiveMessages activeMessages() {
        return activeMessages;
    }

    /** {@return the sockets on which its tcp transport listens} */
    public UcpTcpListeners tcpListeners() {
        return listeners;
    }

    /** {@return tagged messages: receive, cancel, probe, take} */
    public UcpTags tags() {
        return tags;
    }

    /** {@return which endpoints have stream data} */
    public UcpStreams streams() {
        return streams;
    }

    /** {@return the context that it was made from} */
    public UcpContext context() {
        return context;
    }

    /** {@return number of operations in flight} */
    public int inFlight() {
        checkThread();
        return requests.inFlight();
    }

    /** {@return largest header of an active message in bytes, on this worker's transports} */
    public int maxHeaderBytes() {
        return attributes.maxHeaderBytes();
    }

    /** {@return what UCX says of this worker} */
    public UcpWorkerAttributes attributes() {
        return attributes;
    }

    /** {@return endpoints that are not closed} */
    public List<UcpEndpoint> endpoints() {
        checkThread();
        return endpoints.open();
    }

    /** {@return endpoints that were closed, and that UCX cannot close yet} */
    public UcpParkedEndpoints parkedEndpoints() {
        return endpoints.parked();
    }

    /** {@return listeners that are not closed} */
    public List<UcpListener> listeners() {
        checkThread();
        return endpoints.listening();
    }

    /** {@return its name and limits} */
    public UcpWorkerConfig config() {
        return config;
    }

    /** {@return UCX's own description of the worker ({@code ucp_worker_print_info})} */
    public String info() {
        checkOpen("worker_print_info");
        return NativeText.print(stream -> ucx_h.ucp_worker_print_info(handle, stream));
    }

    /** {@return whether the worker is gone} */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        checkThread();
        if (closed) {
            return;
        }
        int openEndpoints = endpoints.open().size() + endpoints.parked().count();
        int openListeners = endpoints.listening().size();
        tags.requireNoneTaken();
        if (progressing || inFlight() > 0 || openEndpoints > 0 || openListeners > 0) {
            throw new IllegalStateException("worker " + config.name() + ": " + inFlight() + " operations, "
                    + openEndpoints + " endpoints and " + openListeners + " listeners are open"
                    + (progressing ? ", and it is in progress()" : ""));
        }
        endpoints.requireNoClosedKeys();
        ended();
        activeMessages.releaseAll();
        generics.close();
        made.destroy();
        context.workerClosed();
    }

    /**
     * Leaves the native worker to the process when its operations do not end: destroying it would abort the process.
     * Its context cannot be cleaned up any more either.
     */
    public void abandon() {
        checkThread();
        if (!closed) {
            LOG.error("[{}] left to the process with {} operations and {} endpoints: {}", config.name(), inFlight(),
                    endpoints.open().size() + endpoints.parked().count(), requests.describe());
            ended();
            context.workerAbandoned();
            requests.endAll();
        }
    }

    private void ended() {
        closed = true;
        endpoints.workerClosed();
        if (wakeup != null) {
            wakeup.destroyed();
        }
    }

    /** Throws when this thread still has the worker in use after the call, where another thread could enter. */
    private void checkMayLeave() {
        generics.checkNotInCallback();
        if (progressing) {
            throw new IllegalStateException("worker " + config.name()
                    + ": left from a completion or handler, while it is in progress()");
        }
    }

    void checkThread() {
        threads.check();
        generics.checkNotInCallback();
    }

    void checkOpen(String operation) {
        checkThread();
        if (closed) {
            throw new UcxClosedException(operation, "the worker " + config.name());
        }
    }

    ArrivalUpcalls upcalls() {
        return upcalls;
    }

    /**
     * Lets UCX handle the socket events that it has queued, before and after a socket is closed. UCX queues them by
     * descriptor: an event that is left over would be taken for one of the next socket with the same descriptor, which
     * aborts the process.
     */
    void handleMissedEvents() {
        ucx_h.ucp_worker_progress(handle);
    }

    MemorySegment handle() {
        return handle;
    }

    RequestTable requests() {
        return requests;
    }

    RequestParameters parameters() {
        return parameters;
    }

    GenericOperations generics() {
        return generics;
    }

    EndpointTable endpointTable() {
        return endpoints;
    }
}
