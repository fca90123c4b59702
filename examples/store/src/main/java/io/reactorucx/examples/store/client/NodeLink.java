package io.reactorucx.examples.store.client;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.examples.store.wire.KeyRequest;
import io.reactorucx.examples.store.wire.PutRequest;
import io.reactorucx.examples.store.wire.Reply;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.WindowDescriptor;
import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.RSocketStrategies;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One node: its RSocket, and a connection over which its memory is read. Both connect when they are used first. */
final class NodeLink {

    /** Knows the last connection. */
    private static final class LinkTransport implements ClientTransport {

        private final ClientTransport transport;
        private volatile @Nullable DuplexConnection last;

        LinkTransport(ClientTransport transport) {
            this.transport = transport;
        }

        @Override
        public int maxFrameLength() {
            return transport.maxFrameLength();
        }

        @Override
        public Mono<DuplexConnection> connect() {
            return transport.connect().doOnNext(connection -> last = connection);
        }

        boolean isConnected() {
            DuplexConnection connection = last;
            return connection != null && !connection.isDisposed();
        }
    }

    private final LinkTransport transport;
    private final RSocketRequester requester;
    private final @Nullable UcxResources resources;
    private final AtomicReference<UcxConnection> connected = new AtomicReference<>();
    private final Mono<UcxConnection> memory;

    NodeLink(String host, ClientTransport transport, RSocketStrategies strategies, @Nullable UcxResources resources) {
        this.transport = new LinkTransport(transport);
        this.requester = RSocketRequester.builder().rsocketStrategies(strategies).transport(this.transport);
        this.resources = resources;
        this.memory = resources == null ? Mono.empty() : requester.route("store.memory-port").data("")
                .retrieveMono(Integer.class)
                .flatMap(port -> UcxClient.create(resources).remoteAddress(host, port).connect())
                .doOnNext(connected::set).cacheInvalidateIf(UcxConnection::isDisposed);
    }

    Mono<Reply> get(String key, long expiresAt) {
        return requester.route("store.get").data(new KeyRequest(key, expiresAt, resources != null))
                .retrieveMono(Reply.class).flatMap(this::readWindow);
    }

    // snippet: read-window
    private Mono<Reply> readWindow(Reply reply) {
        byte[] window = reply.window();
        UcxResources own = resources;
        if (window == null || own == null) {
            return Mono.just(reply);
        }
        WindowDescriptor descriptor = WindowDescriptor.fromBytes(window);
        return memory.flatMap(connection -> Mono.usingWhen(own.buffers().acquireLater(descriptor.length()),
                buffer -> connection.memory(descriptor, MemoryPath.SERVED).get(0, buffer.segment())
                        .map(read -> Reply.found(reply.version(), buffer.toByteArray())),
                buffer -> Mono.fromRunnable(buffer::release)));
    }
    // end

    Mono<Reply> put(PutRequest request) {
        return requester.route("store.put").data(request).retrieveMono(Reply.class);
    }

    Mono<Reply> delete(KeyRequest request) {
        return requester.route("store.delete").data(request).retrieveMono(Reply.class);
    }

    Mono<Boolean> replicate(Batch batch) {
        return requester.route("store.replicate").data(batch).retrieveMono(Boolean.class);
    }

    Flux<JoinPart> join(JoinRequest request) {
        return requester.route("store.join").data(request).retrieveFlux(JoinPart.class);
    }

    void close() {
        // RSocket reports the end of a client that is not connected as an error without a receiver.
        if (transport.isConnected()) {
            requester.dispose();
        }
        UcxConnection connection = connected.get();
        if (connection != null) {
            connection.dispose();
        }
    }
}
