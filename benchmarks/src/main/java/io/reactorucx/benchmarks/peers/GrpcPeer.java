package io.reactorucx.benchmarks.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.reactorucx.examples.netty.BytesMarshaller;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** gRPC: unary calls with plain bytes, with direct executors on both sides. */
final class GrpcPeer implements Peer {

    private static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY).setFullMethodName("benchmark/echo")
            .setRequestMarshaller(new BytesMarshaller()).setResponseMarshaller(new BytesMarshaller()).build();

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        ServerServiceDefinition service = ServerServiceDefinition.builder("benchmark")
                .addMethod(METHOD, ServerCalls.asyncUnaryCall(GrpcPeer::echo)).build();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", options.port()))
                .directExecutor().addService(service).build().start();
        lifeline.ready(server.getPort());
        lifeline.await();
        server.shutdownNow();
    }

    private static void echo(byte[] request, StreamObserver<byte[]> answers) {
        answers.onNext(request);
        answers.onCompleted();
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        if (!options.test().equals("request") || !options.is("latency")) {
            return Peer.refuse(options);
        }
        ManagedChannel channel = NettyChannelBuilder.forAddress(options.address()).usePlaintext().directExecutor()
                .build();
        Calls calls = new Calls(channel, options);
        calls.trips.start();
        calls.send();
        calls.done.get();
        channel.shutdownNow();
        return calls.trips.figures();
    }

    private static final class Calls implements StreamObserver<byte[]> {

        private final ManagedChannel channel;
        private final byte[] request;
        private final RoundTrips trips;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Calls(ManagedChannel channel, PeerOptions options) {
            this.channel = channel;
            this.request = new byte[options.size()];
            this.trips = new RoundTrips(options, false);
        }

        void send() {
            ClientCalls.asyncUnaryCall(channel.newCall(METHOD, CallOptions.DEFAULT), request, this);
        }

        @Override
        public void onNext(byte[] answer) {
            // The call ends with onCompleted.
        }

        @Override
        public void onError(Throwable error) {
            done.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            trips.replied(this::send, () -> done.complete(null));
        }
    }
}
