package io.reactorucx.benchmarks.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.NettyInbound;
import reactor.netty.NettyOutbound;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/**
 * Reactor Netty over TCP. Messages have a fixed length, the cheapest framing; ours may have any length. A message whose
 * first byte is not 0 ends a stream, and the server replies to it.
 */
final class ReactorNettyPeer implements Peer {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final byte LAST = 1;
    /** Messages between two readings of the clock. */
    private static final int BETWEEN_CLOCKS = 64;

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        boolean rate = options.is("rate");
        DisposableServer server = TcpServer.create().host("127.0.0.1").port(options.port()).noSSL()
                .doOnConnection(connection -> connection.addHandlerLast(new FixedLengthFrameDecoder(options.size())))
                .handle((in, out) -> rate ? answerLast(in, out) : out.send(in.receive().retain()))
                .bindNow();
        lifeline.ready(server.port());
        lifeline.await();
        server.disposeNow();
    }

    private static Publisher<Void> answerLast(NettyInbound in, NettyOutbound out) {
        return in.receive().filter(message -> message.getByte(message.readerIndex()) == LAST).map(ByteBuf::retain)
                .concatMap(last -> out.send(Mono.just(last)).then());
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        if (!options.test().equals(options.is("rate") ? "message" : "request")) {
            return Peer.refuse(options);
        }
        Connection connection = TcpClient.create().remoteAddress(options::address)
                .doOnConnected(made -> made.addHandlerLast(new FixedLengthFrameDecoder(options.size())))
                .connectNow(LIMIT);
        try {
            return options.is("rate") ? stream(connection, options) : requests(connection, options);
        } finally {
            connection.disposeNow(LIMIT);
        }
    }

    private static ByteBuf message(int size) {
        return PooledByteBufAllocator.DEFAULT.directBuffer(size).writeZero(size);
    }

    private static Figures requests(Connection connection, PeerOptions options) throws Exception {
        RoundTrips trips = new RoundTrips(options, false);
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable send = () -> connection.outbound().send(Mono.just(message(options.size()))).then()
                .subscribe(ignored -> { }, done::completeExceptionally);
        connection.inbound().receive().subscribe(answer -> {
            trips.replied(send, () -> done.complete(null));
        }, done::completeExceptionally);
        trips.start();
        send.run();
        done.get();
        return trips.figures();
    }

    private static Figures stream(Connection connection, PeerOptions options) throws Exception {
        AtomicReference<CompletableFuture<Void>> answer = new AtomicReference<>(new CompletableFuture<>());
        connection.inbound().receive().subscribe(last -> answer.get().complete(null),
                error -> answer.get().completeExceptionally(error));
        return MessageStream.measure(options, end -> {
            CompletableFuture<Void> arrived = new CompletableFuture<>();
            answer.set(arrived);
            long[] sent = {0};
            Flux<ByteBuf> source = Flux.generate(sink -> {
                ByteBuf message = message(options.size());
                boolean last = ++sent[0] % BETWEEN_CLOCKS == 0 && end.isReached(BETWEEN_CLOCKS);
                if (last) {
                    message.setByte(message.readerIndex(), LAST);
                }
                sink.next(message);
                if (last) {
                    sink.complete();
                }
            });
            connection.outbound().send(source).then().subscribe(ignored -> { }, arrived::completeExceptionally);
            arrived.get();
            return sent[0];
        });
    }
}
