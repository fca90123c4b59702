package io.reactorucx.benchmarks.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.ByteBufPayload;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

/**
 * RSocket over TCP: request and response without copies of the payloads. The next request leaves on the event loop that
 * delivered the response.
 */
final class RSocketPeer implements Peer {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        CloseableChannel server =
                Objects.requireNonNull(RSocketServer.create(SocketAcceptor.forRequestResponse(Mono::just))
                .payloadDecoder(PayloadDecoder.ZERO_COPY).bind(TcpServerTransport.create("127.0.0.1", options.port()))
                .block(LIMIT));
        lifeline.ready(server.address().getPort());
        lifeline.await();
        server.dispose();
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        if (!options.test().equals("request") || !options.is("latency")) {
            return Peer.refuse(options);
        }
        RSocket socket = Objects.requireNonNull(RSocketConnector.create().payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(TcpClientTransport.create(options.address())).block(LIMIT));
        Requests requests = new Requests(socket, options);
        requests.trips.start();
        requests.send();
        requests.done.get();
        socket.dispose();
        return requests.trips.figures();
    }

    private static final class Requests {

        private final RSocket socket;
        private final int size;
        private final RoundTrips trips;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Requests(RSocket socket, PeerOptions options) {
            this.socket = socket;
            this.size = options.size();
            this.trips = new RoundTrips(options, false);
        }

        void send() {
            ByteBuf data = PooledByteBufAllocator.DEFAULT.directBuffer(size).writeZero(size);
            socket.requestResponse(ByteBufPayload.create(data)).subscribe(this::answered, done::completeExceptionally);
        }

        private void answered(Payload answer) {
            answer.release();
            trips.replied(this::send, () -> done.complete(null));
        }
    }
}
