package io.reactorucx.core;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeText;
import io.reactorucx.core.internal.memory.Pinned;
import io.reactorucx.core.internal.worker.EndpointWiring;
import io.reactorucx.core.internal.worker.RequestKind;
import io.reactorucx.core.internal.worker.SlotMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection from a worker to one peer ({@code ucp_ep_h}).
 *
 * <p>An operation returns {@code true} when it has finished within the call, so that its {@link Completion} is not
 * called; {@code false} when the completion will be called. It throws when UCX refuses it, and the completion is not
 * called then either.
 *
 * <p><b>Threading:</b> the thread of its worker. <b>Ownership:</b> close it once; memory of an operation, headers
 * aside, stays allocated until the operation has ended: memory of an arena that could be closed before, and is no
 * {@link UcxArena}, is refused. <b>Errors:</b> {@link UcxException} with UCX's status, {@link UcxClosedException} after
 * close.
 */
public final class UcpEndpoint {

    /**
     * Messages and puts of up to so many bytes, with the header of a message, are copied by the call that sends them:
     * their memory may be of any arena, and is free at once. A send that waits for its match, a rendezvous, and what
     * {@link #stream()} and {@link #dataOperations()} send are never copied.
     */
    public static final int MAX_COPIED_BYTES = SlotMemory.BYTES;

    private final UcpWorker worker;
    private final MemorySegment handle;
    private final long address;
    private final ErrorMode errorMode;
    private String peer;
    private final EndpointErrorHandler onError;
    private final List<UcpRemoteKey> keys = new ArrayList<>();
    private final UcpAtomics atomics;
    private final UcpDataOperations transfers;
    private final UcpStream stream;
    private int inFlight;
    private int failure;
    private @Nullable EndpointWiring wiring;
    private boolean closed;
    private @Nullable EndpointClose close;

    UcpEndpoint(UcpWorker worker, MemorySegment handle, ErrorMode errorMode, String peer,
            EndpointErrorHandler onError) {
        this.worker = worker;
        this.handle = handle;
        this.address = handle.address();
        this.errorMode = errorMode;
        this.peer = peer;
        this.onError = onError;
        this.atomics = new UcpAtomics(this, worker);
        this.transfers = new UcpDataOperations(this, worker);
        this.stream = new UcpStream(this, worker);
    }

    /**
     * Sends an active message ({@code ucp_am_send_nbx}).
     *
     * @param id id that the peer listens on, 0 to 65535
     * @param header at most {@link UcpWorker#maxHeaderBytes()}; copied, may be on the heap
     * @param payload native memory, may be empty
     * @param registration the registered memory that the payload is part of, if it is
     * @param protocol how the payload travels
     * @param replyable whether the receiver learns the way back
     * @param whenDone called when the payload is free again
     * @return whether it is done already
     */
    public boolean amSend(int id, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, boolean replyable, Completion whenDone) {
        requireUsable("am_send", UcpFeature.AM);
        Arguments.range(id, 0, UcpActiveMessages.MAX_ID, "id");
        Arguments.header(header, worker.maxHeaderBytes());
        Objects.requireNonNull(protocol, "protocol");
        MemorySegment data = UcpMemory.within(registration, Arguments.source(payload, "payload"));
        RequestTable requests = worker.requests();
        RequestKind kind = protocol == AmProtocol.EAGER ? RequestKind.PROMPT : RequestKind.GENERAL;
        long headerBytes = header.byteSize();
        if (protocol != AmProtocol.RENDEZVOUS && RequestTable.isSmall(headerBytes + data.byteSize())) {
            long token = beginSmall(kind, "am_send", registration, whenDone);
            long copy = requests.copy(token, header, data);
            MemorySegment parameters = worker.parameters().withFlags(requests.onSend, token, null,
                    flags(protocol, replyable));
            return requests.posted("am_send", peer, token, UcpDirect.ucp_am_send_nbx(address, id, copy, headerBytes,
                    copy + headerBytes, data.byteSize(), parameters.address()));
        }
        long token = requests.begin(kind, "am_send", whenDone, this,
                worker.context().pinned(registration, data, "payload"), payload);
        return amSend(id, token, requests.header(token, header), headerBytes, data,
                UcpMemory.nullIfEmpty(registration, data), protocol, replyable);
    }

    /**
     * Throws what {@link #amSend} would throw for its arguments, and for the state of this endpoint, for a message that
     * goes another way.
     *
     * @param id see {@link #amSend}
     * @param header see {@link #amSend}
     * @param payload see {@link #amSend}
     * @param registration see {@link #amSend}
     * @return whether {@link #amSend} would copy the message within the call
     */
    public boolean checkSend(int id, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration) {
        requireUsable("am_send", UcpFeature.AM);
        Arguments.range(id, 0, UcpActiveMessages.MAX_ID, "id");
        Arguments.header(header, worker.maxHeaderBytes());
        MemorySegment data = UcpMemory.within(registration, Arguments.source(payload, "payload"));
        boolean small = RequestTable.isSmall(header.byteSize() + data.byteSize());
        worker.context().requireUsable(registration);
        @Nullable Pinned ignored = small ? null : worker.context().pinned(registration, data, "payload");
        return small;
    }

    /** For a message that is copied: the caller's memory is free at once. */
    private long beginSmall(RequestKind kind, String operation, @Nullable UcpMemory registration,
            Completion whenDone) {
        worker.context().requireUsable(registration);
        return worker.requests().begin(kind, operation, whenDone, this, null, null);
    }

    /**
     * As {@link #amSend}, eagerly, with a reply endpoint and without a header. Such messages have slots of their own,
     * so that control messages can be sent whatever else is in flight.
     *
     * @param id id that the peer listens on, 0 to 65535
     * @param payload native memory of the caller's that UCX does not know
     * @param whenDone called when the payload is free again
     * @return whether it is done already
     */
    public boolean amSendUrgent(int id, MemorySegment payload, Completion whenDone) {
        requireUsable("am_send", UcpFeature.AM);
        Arguments.range(id, 0, UcpActiveMessages.MAX_ID, "id");
        MemorySegment data = Arguments.source(payload, "payload");
        long token = worker.requests().begin(RequestKind.CONTROL, "am_send", whenDone, this, null, payload);
        return amSend(id, token, MemorySegment.NULL, 0, data, null, AmProtocol.EAGER, true);
    }

    private boolean amSend(int id, long token, MemorySegment header, long headerBytes, MemorySegment data,
            @Nullable UcpMemory registration, AmProtocol protocol, boolean replyable) {
        RequestTable requests = worker.requests();
        MemorySegment parameters = worker.parameters().withFlags(requests.onSend, token, registration,
                flags(protocol, replyable));
        return requests.posted("am_send", peer, token,
                UcpDirect.ucp_am_send_nbx(address, id, header.address(), headerBytes, data, data.byteSize(),
                        parameters.address()));
    }

    private static int flags(AmProtocol protocol, boolean replyable) {
        return protocol.flag() | (replyable ? ucx_h.UCP_AM_SEND_FLAG_REPLY() : 0);
    }

    /**
     * Sends a tagged message ({@code ucp_tag_send_nbx}).
     *
     * @param payload native memory, may be empty
     * @param registration the registered memory that the payload is part of, if it is
     * @param tag all 64 bits
     * @param whenDone called when the payload is free again
     * @return whether it is done already
     */
    public boolean tagSend(MemorySegment payload, @Nullable UcpMemory registration, long tag, Completion whenDone) {
        requireUsable("tag_send", UcpFeature.TAG);
        MemorySegment data = UcpMemory.within(registration, Arguments.source(payload, "payload"));
        if (RequestTable.isSmall(data.byteSize())) {
            long token = beginSmall(RequestKind.GENERAL, "tag_send", registration, whenDone);
            long copy = worker.requests().copy(token, MemorySegment.NULL, data);
            return worker.requests().posted("tag_send", peer, token,
                    UcpDirect.ucp_tag_send_nbx(address, copy, data.byteSize(),
                    tag, worker.parameters().of(worker.requests().onSend, token, null).address()));
        }
        long token = worker.requests().begin("tag_send", whenDone, this,
                worker.context().pinned(registration, data, "payload"), payload);
        return worker.requests().posted("tag_send", peer, token,
                UcpDirect.ucp_tag_send_nbx(address, data, data.byteSize(), tag,
                worker.parameters().of(worker.requests().onSend, token, UcpMemory.nullIfEmpty(registration, data))
                .address()));
    }

    /**
     * Sends a tagged message and waits until the peer has matched it ({@code ucp_tag_send_sync_nbx}).
     *
     * @param payload native memory, may be empty
     * @param registration the registered memory that the payload is part of, if it is
     * @param tag all 64 bits
     * @param whenDone called when a receive of the peer took the message
     * @return whether it is done already
     */
    public boolean tagSendSync(MemorySegment payload, @Nullable UcpMemory registration, long tag, Completion whenDone) {
        requireUsable("tag_send_sync", UcpFeature.TAG);
        MemorySegment data = UcpMemory.within(registration, Arguments.source(payload, "payload"));
        long token = worker.requests().begin("tag_send_sync", whenDone, this,
                worker.context().pinned(registration, data, "payload"), payload);
        return worker.requests().posted("tag_send_sync", peer, token,
                UcpPosts.ucp_tag_send_sync_nbx(handle, data, data.byteSize(), tag,
                worker.parameters().of(worker.requests().onSend, token, UcpMemory.nullIfEmpty(registration, data))));
    }

    /**
     * Unpacks a peer's descriptor for this endpoint ({@code ucp_ep_rkey_unpack}).
     *
     * @param descriptor what the owner of the memory sent. UCX trusts most of its bytes: take them from a trusted
     *     source
     * @return the key, which ends with this endpoint at the latest
     */
    public UcpRemoteKey unpack(MemoryDescriptor descriptor) {
        requireOpen("ep_rkey_unpack");
        worker.context().requireMemoryAccess("ep_rkey_unpack");
        Objects.requireNonNull(descriptor, "descriptor");
        UcpRemoteKey key = UcpRemoteKey.unpack(this, descriptor);
        keys.add(key);
        return key;
    }

    /**
     * Writes to a peer's memory ({@code ucp_put_nbx}).
     *
     * @param source native memory
     * @param registration the registered memory that the source is part of, if it is
     * @param key the peer's memory
     * @param offset first byte to write there
     * @param whenDone called when the source is free again; the peer sees the bytes after a {@link #flush}
     * @return whether it is done already
     */
    public boolean put(MemorySegment source, @Nullable UcpMemory registration, UcpRemoteKey key, long offset,
            Completion whenDone) {
        requireUsable("put", UcpFeature.RMA);
        MemorySegment data = UcpMemory.within(registration, Arguments.source(source, "source"));
        long bytes = data.byteSize();
        long remote = Objects.requireNonNull(key, "key").address(this, offset, bytes);
        RequestTable requests = worker.requests();
        if (RequestTable.isSmall(bytes)) {
            worker.context().requireUsable(registration);
            long token = requests.begin("put", whenDone, this, key.pinned(), null);
            long copy = requests.copy(token, MemorySegment.NULL, data);
            return requests.posted("put", peer, token,
                    UcpDirect.ucp_put_nbx(address, copy, bytes, remote, key.number(),
                    worker.parameters().of(requests.onSend, token, null).address()));
        }
        Pinned pin = Pinned.both(key.pinned(), worker.context().pinned(registration, data, "source"));
        long token = requests.begin("put", whenDone, this, pin, source);
        return requests.posted("put", peer, token, UcpDirect.ucp_put_nbx(address, data, bytes, remote, key.number(),
                worker.parameters().of(requests.onSend, token, UcpMemory.nullIfEmpty(registration, data)).address()));
    }

    /**
     * Reads a peer's memory ({@code ucp_get_nbx}).
     *
     * @param destination native memory, its size says how much is read
     * @param registration the registered memory that the destination is part of, if it is
     * @param key the peer's memory
     * @param offset first byte to read there
     * @param whenDone called when the bytes have arrived
     * @return whether it is done already
     */
    public boolean get(MemorySegment destination, @Nullable UcpMemory registration, UcpRemoteKey key, long offset,
            Completion whenDone) {
        requireUsable("get", UcpFeature.RMA);
        MemorySegment data = UcpMemory.within(registration, Arguments.destination(destination, "destination"));
        long bytes = data.byteSize();
        long remote = Objects.requireNonNull(key, "key").address(this, offset, bytes);
        Pinned pin = Pinned.both(key.pinned(), worker.context().pinned(registration, data, "destination"));
        RequestTable requests = worker.requests();
        long token = requests.begin("get", whenDone, this, pin, destination);
        return requests.posted("get", peer, token, UcpDirect.ucp_get_nbx(address, data, bytes, remote, key.number(),
                worker.parameters().of(requests.onSend, token, UcpMemory.nullIfEmpty(registration, data)).address()));
    }

    /**
     * Waits until all earlier puts have arrived at the peer ({@code ucp_ep_flush_nbx}).
     *
     * @param whenDone called when they have
     * @return whether it is so already
     */
    public boolean flush(Completion whenDone) {
        requireOpen("ep_flush");
        long token = worker.requests().begin(RequestKind.PROMPT, "ep_flush", whenDone, this, null, null);
        return worker.requests().posted("ep_flush", peer, token,
                UcpPosts.ucp_ep_flush_nbx(handle, worker.parameters().of(worker.requests().onSend, token, null)));
    }

    void wiring(EndpointWiring watched) {
        wiring = watched;
    }

    /** A message came over this endpoint. */
    void heard() {
        if (wiring != null) {
            wiring.heard();
        }
    }

    /** Returns how the wire-up goes on; null for an endpoint that may be closed before its end. */
    @Nullable EndpointWiring wiring() {
        return wiring;
    }

    /**
     * Ends this endpoint ({@code ucp_ep_close_nbx}); nothing can be posted on it from here on.
     *
     * <p>In {@link ErrorMode#PEER}, the close of an endpoint that was made by a worker's address and has not failed
     * waits until it is wired up; over tcp a close by force also waits until what was sent has left. UCX would abort
     * the process or use freed memory otherwise. Meanwhile the endpoint is parked ({@link
     * UcpWorker#parkedEndpoints()}): operations in flight go on, and end with the close.
     *
     * @param mode {@link CloseMode#FLUSH} only with nothing in flight but receives of the stream, since UCX does not
     *     wait for the rest: no operation of this endpoint, no offer of its peer that is held, and no receive of the
     *     worker, since a message of this peer may have matched it; {@link CloseMode#FORCE} only in {@link
     *     ErrorMode#PEER}
     * @param whenDone called when UCX has released it; with an error when it could not flush, as on an endpoint that
     *     has failed
     * @return whether that is so already
     */
    public boolean close(CloseMode mode, Completion whenDone) {
        worker.checkThread();
        if (closed) {
            throw new UcxClosedException("ep_close", peer, "the endpoint is closed");
        }
        EndpointClose allowed = EndpointClose.of(this, mode, whenDone);
        // A key whose pointer another thread is using throws here, before anything has happened to the endpoint.
        List.copyOf(keys).forEach(UcpRemoteKey::close);
        stream.closing();
        closed = true;
        close = allowed;
        return allowed.start();
    }

    /** {@return whether {@link #close} allows {@link CloseMode#FLUSH} now} */
    public boolean mayFlush() {
        return EndpointClose.mayFlush(this);
    }

    /**
     * The transports of this endpoint, as {@code transport/device}. Empty until it is connected.
     *
     * @return names, in the order of UCX's lanes, each once
     */
    public List<String> transports() {
        requireOpen("ep_query");
        return UcpEndpointAttributes.transports(handle);
    }

    /** {@return what UCX says of this endpoint} */
    public UcpEndpointAttributes attributes() {
        requireOpen("ep_query");
        return UcpEndpointAttributes.of(handle);
    }

    /**
     * The time that UCX expects a message to take on the fastest of this endpoint's transports ({@code
     * ucp_ep_evaluate_perf}), by the latency and the bandwidth that the transport claims; nothing is measured.
     *
     * @param messageBytes size of the message, at least 0
     * @return the time in ns, empty until the endpoint has a transport
     * @throws UcxUnsupportedException in a context with the setting {@code UNIFIED_MODE}, where UCX reads past its
     *     interfaces
     */
    public OptionalLong estimateNanos(long messageBytes) {
        requireOpen("ep_evaluate_perf");
        if (messageBytes < 0) {
            throw new IllegalArgumentException("messageBytes " + messageBytes + ": must be at least 0");
        }
        worker.context().requireEstimates("ep_evaluate_perf");
        return PerformanceEstimate.nanos(handle, messageBytes);
    }

    /** {@return UCX's own description of the endpoint} */
    public String info() {
        requireOpen("ep_print_info");
        return NativeText.print(stream -> ucx_h.ucp_ep_print_info(handle, stream));
    }

    /** {@return atomic operations on the peer's memory} */
    public UcpAtomics atomics() {
        return atomics;
    }

    /** {@return the byte stream to and from the peer} */
    public UcpStream stream() {
        return stream;
    }

    /** {@return messages with data of any layout and with flags} */
    public UcpDataOperations dataOperations() {
        return transfers;
    }

    MemorySegment handle() {
        return handle;
    }

    /**
     * Renames the peer, for an endpoint that was made before its peer was known.
     *
     * @param name for errors and logs
     */
    public void peer(String name) {
        worker.checkThread();
        peer = Objects.requireNonNull(name, "name");
    }

    /** {@return what this endpoint calls its peer} */
    public String peer() {
        return peer;
    }

    /** {@return how it treats failures of the peer} */
    public ErrorMode errorMode() {
        return errorMode;
    }

    /** {@return the worker that it belongs to} */
    public UcpWorker worker() {
        return worker;
    }

    /** {@return number of operations in flight, a close included} */
    public int inFlight() {
        worker.checkThread();
        worker.requests().dropUnposted();
        return inFlight;
    }

    /** {@return whether {@link #close} was called} */
    public boolean isClosed() {
        return closed;
    }

    /** {@return why it failed, a status code below 0; 0 when it has not} */
    public int failure() {
        return failure;
    }

    void requireUsable(String operation, UcpFeature feature) {
        requireOpen(operation);
        worker.context().requireFeature(feature, operation);
    }

    private void requireOpen(String operation) {
        worker.checkOpen(operation);
        if (closed) {
            throw new UcxClosedException(operation, peer, "the endpoint is closed");
        }
        if (failure != 0) {
            throw new UcxException(failure, operation, peer);
        }
    }

    /**
     * Records, within an upcall, that the endpoint has failed, so that nothing is posted on it any more. Returns
     * whether this is the first failure.
     */
    boolean noteFailure(int rawStatus) {
        if (failure != 0) {
            return false;
        }
        failure = rawStatus;
        return true;
    }

    void tellFailure() {
        if (close == null) {
            onError.onError(this, failure);
        } else {
            close.closeParked();
        }
    }

    void operationStarted() {
        inFlight++;
    }

    void operationEnded() {
        inFlight--;
    }

    /** Closes the remote keys, as the close of the endpoint does, for an endpoint that is reused for something else. */
    public void closeKeys() {
        worker.checkThread();
        List.copyOf(keys).forEach(UcpRemoteKey::close);
    }

    void keyClosed(UcpRemoteKey key) {
        keys.remove(key);
    }
}
