package io.reactorucx.benchmarks.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.util.ByteBufPayload;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * RSocket over the kernel's TCP, or over UCX: request and response without copies of the payloads, one after the other,
 * or as many at a time as the window says, with an answer of a few bytes. The next request leaves on the thread that
 * delivered the response.
 */
final class RSocketPeer implements Peer {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int ANSWER_BYTES = 8;

    private final Function<PeerOptions, RSocketTransports> transports;

    RSocketPeer(Function<PeerOptions, RSocketTransports> transports) {
        this.transports = transports;
    }

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        ByteBuf answer = buffer(ANSWER_BYTES);
        try (RSocketTransports over = transports.apply(options)) {
            RSocketServer server = RSocketServer.create(options.is("bandwidth")
                    ? SocketAcceptor.forRequestResponse(request -> {
                        request.release();
                        return Mono.just(ByteBufPayload.create(answer.retainedDuplicate()));
                    }) : SocketAcceptor.forRequestResponse(Mono::just)).payloadDecoder(PayloadDecoder.ZERO_COPY);
            lifeline.ready(over.bind(server, options.port(), LIMIT));
            lifeline.await();
        }
    }

    private static ByteBuf buffer(int size) {
        return PooledByteBufAllocator.DEFAULT.directBuffer(size).writeZero(size);
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        boolean latency = options.is("latency");
        if (!options.test().equals("request") || !latency && !options.is("bandwidth")) {
            return Peer.refuse(options);
        }
        try (RSocketTransports over = transports.apply(options)) {
            RSocket socket = Objects.requireNonNull(RSocketConnector.create().payloadDecoder(PayloadDecoder.ZERO_COPY)
                    .connect(over.client(options.address())).block(LIMIT));
            Window window = new Window(socket, options, latency ? 1 : options.window());
            LongWarmUp.run(options, nanos -> window.run(new MessageStream.End(System.nanoTime() + nanos, null)));
            Figures figures = latency ? new Requests(socket, options).measure()
                    : MessageStream.measure(options, window);
            socket.dispose();
            return figures;
        }
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

        Figures measure() throws Exception {
            trips.start();
            send();
            done.get();
            return trips.figures();
        }

        private void send() {
            socket.requestResponse(ByteBufPayload.create(buffer(size))).subscribe(this::answered,
                    done::completeExceptionally);
        }

        private void answered(Payload answer) {
            answer.release();
            trips.replied(this::send, () -> done.complete(null));
        }
    }

    /** Requests of which a number are under way; all answers come on one thread. */
    private static final class Window implements MessageStream.Burst {

        private final RSocket socket;
        private final int window;
        private final ByteBuf data;

        Window(RSocket socket, PeerOptions options, int window) {
            this.socket = socket;
            this.window = window;
            this.data = buffer(options.size());
        }

        @Override
        public long run(MessageStream.End end) throws Exception {
            Part part = new Part(end);
            for (int i = 0; i < window; i++) {
                part.send();
            }
            return part.answers.get();
        }

        private final class Part {

            private final MessageStream.End end;
            private final CompletableFuture<Long> answers = new CompletableFuture<>();
            private int underWay = window;
            private long count;

            Part(MessageStream.End end) {
                this.end = end;
            }

            void send() {
                socket.requestResponse(ByteBufPayload.create(data.retainedDuplicate())).subscribe(this::answered,
                        answers::completeExceptionally);
            }

            private void answered(Payload answer) {
                answer.release();
                count++;
                if (!end.isReached(1)) {
                    send();
                } else if (--underWay == 0) {
                    answers.complete(count);
                }
            }
        }
    }
}
