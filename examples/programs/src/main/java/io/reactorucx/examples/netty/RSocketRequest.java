package io.reactorucx.examples.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.reactorucx.examples.DemoFailure;
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
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Requests of RSocket, whose responses are the same 8 bytes, without copies of payloads. */
final class RSocketRequest implements Protocol {

    private static final long CONTENT = 0x0102030405060708L;

    private record Client(RSocket socket) implements Caller {

        @Override
        public void call(Answer answer) {
            ByteBuf data = PooledByteBufAllocator.DEFAULT.directBuffer(Long.BYTES).writeLong(CONTENT);
            socket.requestResponse(ByteBufPayload.create(data)).subscribe(response -> check(response, answer),
                    answer::failed);
        }

        private static void check(Payload response, Answer answer) {
            ByteBuf data = response.sliceData();
            boolean right = data.readableBytes() == Long.BYTES && data.getLong(data.readerIndex()) == CONTENT;
            response.release();
            if (right) {
                answer.arrived();
            } else {
                answer.failed(new DemoFailure("the response differs from the request"));
            }
        }

        @Override
        public void close() {
            socket.dispose();
            socket.onClose().onErrorComplete().block(LIMIT);
        }
    }

    @Override
    public int bytes() {
        return Long.BYTES;
    }

    @Override
    public Service serve(LoopResources loops) {
        CloseableChannel server = RSocketServer.create(SocketAcceptor.forRequestResponse(Mono::just))
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .bindNow(TcpServerTransport.create(TcpServer.create().host(HOST).port(0).runOn(loops)));
        return new Service(server.address().getPort(), () -> {
            server.dispose();
            server.onClose().block(LIMIT);
        });
    }

    @Override
    public Caller connect(LoopResources loops, int port) {
        return new Client(Objects.requireNonNull(RSocketConnector.create().payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(TcpClientTransport.create(TcpClient.create().host(HOST).port(port).runOn(loops)))
                .block(LIMIT)));
    }
}
