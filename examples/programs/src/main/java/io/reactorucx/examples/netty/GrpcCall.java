package io.reactorucx.examples.netty;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.examples.DemoFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import reactor.netty.resources.LoopResources;

/** Unary calls of gRPC with 8 plain bytes in each direction, with direct executors on both sides. */
final class GrpcCall implements Protocol {

    private static final byte[] CONTENT = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final String SERVICE = "netty";
    private static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "echo"))
            .setRequestMarshaller(new BytesMarshaller()).setResponseMarshaller(new BytesMarshaller()).build();

    private record Client(ManagedChannel channel) implements Caller {

        @Override
        public void call(Answer answer) {
            ClientCalls.asyncUnaryCall(channel.newCall(METHOD, CallOptions.DEFAULT), CONTENT, new Response(answer));
        }

        @Override
        public void close() {
            channel.shutdownNow();
            await(() -> channel.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS));
        }
    }

    private static final class Response implements StreamObserver<byte[]> {

        private final Caller.Answer answer;
        private boolean right;

        Response(Caller.Answer answer) {
            this.answer = answer;
        }

        @Override
        public void onNext(byte[] content) {
            right = Arrays.equals(content, CONTENT);
        }

        @Override
        public void onError(Throwable error) {
            answer.failed(error);
        }

        @Override
        public void onCompleted() {
            if (right) {
                answer.arrived();
            } else {
                answer.failed(new DemoFailure("the response differs from the request"));
            }
        }
    }

    @Override
    public int bytes() {
        return CONTENT.length;
    }

    @Override
    public Service serve(LoopResources loops) {
        EventLoopGroup group = loops.onServer(true);
        ServerServiceDefinition echo = ServerServiceDefinition.builder(SERVICE)
                .addMethod(METHOD, ServerCalls.asyncUnaryCall((request, responses) -> {
                    responses.onNext(request);
                    responses.onCompleted();
                })).build();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(HOST, 0)).directExecutor()
                .channelType(loops.onChannelClass(ServerSocketChannel.class, group)).bossEventLoopGroup(group)
                .workerEventLoopGroup(group).addService(echo).build();
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Service(server.getPort(), () -> {
            server.shutdownNow();
            await(() -> server.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS));
        });
    }

    @Override
    public Caller connect(LoopResources loops, int port) {
        EventLoopGroup group = loops.onClient(true);
        return new Client(NettyChannelBuilder.forAddress(HOST, port).usePlaintext().directExecutor()
                .channelType(loops.onChannelClass(SocketChannel.class, group)).eventLoopGroup(group).build());
    }

    /** Waits for an end. */
    private interface End {

        boolean await() throws InterruptedException;
    }

    private static void await(End end) {
        try {
            if (!end.await()) {
                throw new DemoFailure("gRPC did not end within " + LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailure("interrupted");
        }
    }
}
