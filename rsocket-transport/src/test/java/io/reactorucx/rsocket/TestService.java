package io.reactorucx.rsocket;

import io.reactorucx.UcxServer;
import io.rsocket.ConnectionSetupPayload;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketServer;
import io.rsocket.util.DefaultPayload;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A server that echoes a request, counts in a stream, sends a channel back, and refuses clients whose setup says so. A
 * request {@code never} has no answer.
 */
final class TestService implements AutoCloseable {

    static final String NEVER = "never";
    static final String REFUSED = "refused";

    private final UcxBoundTransport transport;
    private final Queue<RSocket> clients = new ConcurrentLinkedQueue<>();

    private TestService(UcxServerTransport transport, UnaryOperator<RSocketServer> settings) {
        this.transport = settings.apply(RSocketServer.create(this::accept)).bind(transport).block(TestResources.LIMIT);
    }

    static TestService start(TestResources resources) {
        return start(UcxServer.create(resources.server()), server -> server);
    }

    static TestService start(UcxServer server, UnaryOperator<RSocketServer> settings) {
        return new TestService(UcxServerTransport.create(server), settings);
    }

    private Mono<RSocket> accept(ConnectionSetupPayload setup, RSocket client) {
        if (setup.getDataUtf8().equals(REFUSED)) {
            return Mono.error(new IllegalArgumentException("not you"));
        }
        clients.add(client);
        return Mono.just(new Answers());
    }

    UcxBoundTransport transport() {
        return transport;
    }

    int port() {
        return transport.address().getPort();
    }

    /** The clients that have connected, as requesters. */
    Queue<RSocket> clients() {
        return clients;
    }

    @Override
    public void close() {
        transport.dispose();
        transport.onClose().block(TestResources.LIMIT);
    }

    private static final class Answers implements RSocket {

        @Override
        public Mono<Payload> requestResponse(Payload request) {
            if (request.getDataUtf8().equals(NEVER)) {
                request.release();
                return Mono.never();
            }
            return Mono.just(request);
        }

        /** Counts up to the number that the request is. */
        @Override
        public Flux<Payload> requestStream(Payload request) {
            int count = Integer.parseInt(request.getDataUtf8());
            request.release();
            return Flux.range(0, count).map(number -> DefaultPayload.create(Integer.toString(number)));
        }

        @Override
        public Flux<Payload> requestChannel(Publisher<Payload> requests) {
            return Flux.from(requests);
        }

        @Override
        public Mono<Void> fireAndForget(Payload request) {
            request.release();
            return Mono.empty();
        }
    }
}
