package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.CLocale;
import io.reactorucx.core.internal.address.ConnectedWorkers;
import io.reactorucx.core.internal.address.OwnWorkers;
import io.reactorucx.core.internal.address.PeerAddresses;
import io.reactorucx.core.internal.address.WorkerAddresses;
import io.reactorucx.core.internal.config.FailureCause;
import io.reactorucx.core.internal.socket.SocketAddresses;
import io.reactorucx.core.internal.worker.EndpointWiring;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints and listeners of a worker, found by what UCX passes to the upcalls, and its remote keys that still have
 * to end.
 */
final class EndpointTable {

    private final UcpWorker worker;
    private final MemorySegment workerHandle;
    private final Map<Long, UcpEndpoint> endpoints = new HashMap<>();
    private final UcpParkedEndpoints parked;
    private final ConnectedWorkers connected = new ConnectedWorkers();
    private final PeerAddresses peers;
    /** By which other workers of the process know this one. */
    private byte @Nullable [] ownAddress;
    private final Map<Long, UcpListener> listeners = new HashMap<>();
    /** Operations used them when they were last looked at. */
    private final List<UcpRemoteKey> closedKeys = new ArrayList<>();
    private @Nullable UcpEndpoint last;
    private long lastHandle;
    private long listenerIds;

    EndpointTable(UcpWorker worker, MemorySegment workerHandle) {
        this.worker = worker;
        this.workerHandle = workerHandle;
        this.parked = new UcpParkedEndpoints(worker);
        this.peers = new PeerAddresses(worker::address, connected);
    }

    /** The worker can be used from now on. */
    void workerOpened() {
        byte[] address = WorkerAddresses.of(workerHandle, false);
        OwnWorkers.opened(address);
        ownAddress = address;
    }

    /** The worker cannot be used any more. */
    void workerClosed() {
        if (ownAddress != null) {
            OwnWorkers.closed(ownAddress);
        }
    }

    UcpEndpoint connect(InetSocketAddress remote, EndpointOptions options) {
        worker.context().requireFamily(SocketAddresses.checked(remote, "remote"), "ep_create");
        InetSocketAddress local = Objects.requireNonNull(options, "options").localAddress();
        if (local != null) {
            SocketAddresses.requireUsableFor(local, remote);
        }
        return create("ep_create", options, call -> EndpointParameters.toSocketAddress(remote, call));
    }

    UcpEndpoint connect(UcpPeerAddress peer, EndpointOptions options) {
        worker.checkOpen("ep_create");
        Objects.requireNonNull(options, "options").requireNoSocketOptions("one by worker address");
        UcpEndpoint endpoint = create("ep_create", options,
                call -> EndpointParameters.toWorkerAddress(Arguments.padded(peer.bytes(), call), call));
        connected.add(endpoint.handle().address(), peer.checked());
        if (options.errorMode() == ErrorMode.PEER) {
            endpoint.wiring(EndpointWiring.watch(endpoint.handle(), worker.parameters().plain()));
        }
        return endpoint;
    }

    UcpPeerAddress checked(byte[] workerAddress) {
        byte[] address = WorkerAddresses.checked(workerAddress).clone();
        worker.checkOpen("ep_create");
        return new UcpPeerAddress(this, peers.check(address));
    }

    UcpEndpoint accept(UcpConnectionRequest request, EndpointOptions options) {
        Objects.requireNonNull(request, "request");
        // All checks come before the request is consumed: UCX would never answer a request that fails one of them.
        Objects.requireNonNull(options, "options").requireNoSocketOptions("one that accepts");
        worker.checkOpen("ep_create");
        if (request.listener().worker().context() != worker.context()) {
            throw new IllegalArgumentException("request: it came to a listener of another context");
        }
        UcpEndpoint[] result = new UcpEndpoint[1];
        request.listener().consume(request,
                () -> result[0] = create("ep_create from " + request.clientAddress(), options,
                        call -> EndpointParameters.toConnectionRequest(request.handle(), call)));
        return result[0];
    }

    private UcpEndpoint create(String operation, EndpointOptions options, Function<Arena, MemorySegment> parameters) {
        worker.checkOpen(operation);
        MemorySegment onError = worker.upcalls().onEndpointError;
        return CLocale.call(() -> {
            try (Arena call = Arena.ofConfined()) {
                MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
                MemorySegment complete = EndpointParameters.with(options, parameters.apply(call), onError, call);
                int status = ucx_h.ucp_ep_create(workerHandle, complete, pointer);
                if (status < 0) {
                    throw FailureCause.explained(status, operation, options.peer(),
                            worker.context().config().effective());
                }
                MemorySegment handle = pointer.get(ValueLayout.ADDRESS, 0);
                UcpEndpoint endpoint = new UcpEndpoint(worker, handle, options.errorMode(), options.peer(),
                        options.onError());
                endpoints.put(handle.address(), endpoint);
                return endpoint;
            }
        });
    }

    /** The endpoint with a handle; null for one that UCX made for itself or that is closed here. */
    @Nullable UcpEndpoint find(long handle) {
        if (last != null && lastHandle == handle) {
            return last;
        }
        UcpEndpoint endpoint = endpoints.get(handle);
        last = endpoint;
        lastHandle = handle;
        return endpoint;
    }

    /** The endpoint with a handle that UCX reports as failed, which may be parked; null as above. */
    @Nullable UcpEndpoint findFailed(long handle) {
        UcpEndpoint endpoint = endpoints.get(handle);
        return endpoint == null ? parked.find(handle) : endpoint;
    }

    void closed(long handle) {
        last = null;
        endpoints.remove(handle);
        connected.remove(handle);
        parked.remove(handle);
    }

    void park(UcpEndpoint endpoint, EndpointClose close) {
        closed(endpoint.handle().address());
        parked.add(endpoint.handle().address(), close);
    }

    UcpParkedEndpoints parked() {
        return parked;
    }

    List<UcpEndpoint> open() {
        return List.copyOf(endpoints.values());
    }

    UcpListener listen(InetSocketAddress bindAddress, Consumer<UcpConnectionRequest> handler) {
        worker.checkOpen("listener_create");
        worker.context().requireFamily(SocketAddresses.checked(bindAddress, "bindAddress"), "listener_create");
        Objects.requireNonNull(handler, "handler");
        long id = ++listenerIds;
        UcpListener listener = CLocale.call(() -> UcpListener.create(worker, workerHandle, id,
                worker.upcalls().onConnectionRequest, bindAddress, handler, worker.config().maxPendingConnections()));
        listeners.put(id, listener);
        return listener;
    }

    @Nullable UcpListener listener(long id) {
        return listeners.get(id);
    }

    void closed(UcpListener listener) {
        listeners.values().remove(listener);
    }

    List<UcpListener> listening() {
        return List.copyOf(listeners.values());
    }

    /**
     * Ends the native keys that no operation uses any more; one of another worker, on its thread, may use what a key
     * has mapped.
     */
    void closed(UcpRemoteKey key) {
        closedKeys.add(key);
        closedKeys.removeIf(UcpRemoteKey::tryDestroy);
    }

    void requireNoClosedKeys() {
        closedKeys.removeIf(UcpRemoteKey::tryDestroy);
        if (!closedKeys.isEmpty()) {
            throw new IllegalStateException("worker " + worker.config().name()
                    + ": operations of other workers use the pointers of " + closedKeys.size() + " remote keys");
        }
    }
}
