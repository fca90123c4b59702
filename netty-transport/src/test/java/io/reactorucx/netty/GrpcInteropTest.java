package io.reactorucx.netty;

import static org.junit.Assert.assertEquals;

import com.google.protobuf.ByteString;
import io.grpc.ChannelCredentials;
import io.grpc.ForwardingServerBuilder;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.TlsTesting;
import io.grpc.testing.integration.AbstractInteropTest;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.TestServiceGrpc;
import io.netty.channel.EventLoopGroup;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.Test;
import org.junit.jupiter.api.Tag;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.AfterParam;
import org.junit.runners.Parameterized.BeforeParam;
import org.junit.runners.Parameterized.Parameters;

/** gRPC's own tests of interoperation over UCX, server and client; {@link GrpcInteropListTest} has their list. */
@Tag("slow")
@RunWith(Parameterized.class)
public final class GrpcInteropTest extends AbstractInteropTest {

    /** A name in the certificate of gRPC's tests. */
    private static final String AUTHORITY = "foo.test.google.fr";
    private static final Duration LIMIT = TestTime.seconds(30);
    private static final int LOOPS = 2;
    /** As many as the client of gRPC's tests does unless told otherwise, and as large. */
    private static final int SOAK_ITERATIONS = 10;
    private static final int SOAK_REQUEST_BYTES = 271_828;
    private static final int SOAK_RESPONSE_BYTES = 314_159;

    private static @Nullable UcxLoopResources loops;
    private static @Nullable BufferLeaks leaks;

    private final boolean tls;
    private @Nullable Server server;

    /**
     * A transport, or the default ones, and whether by TLS.
     *
     * @param name as in {@link #transports()}
     */
    public GrpcInteropTest(String name) {
        tls = name.endsWith("TLS");
    }

    @Parameters(name = "{0}")
    public static List<String> transports() {
        return List.of("shm", "tcp", "default", "default TLS");
    }

    @BeforeParam
    public static void start(String name) {
        String transport = name.split(" ", 2)[0];
        String[] transports = "default".equals(transport) ? new String[0] : new String[] {transport};
        leaks = BufferLeaks.start();
        loops = UcxLoopResources.create("grpc", LOOPS, UcxNettyConfig.DEFAULT.withTransports(transports));
    }

    @AfterParam
    public static void end() {
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        leaks.close();
    }

    private static EventLoopGroup group() {
        return loops.onServer(true);
    }

    @Override
    protected ServerBuilder<?> getServerBuilder() {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), 0), serverCredentials())
                .channelType(UcxServerChannel.class).bossEventLoopGroup(group()).workerEventLoopGroup(group())
                .flowControlWindow(TEST_FLOW_CONTROL_WINDOW).maxInboundMessageSize(MAX_MESSAGE_SIZE);
        // The tests count with a tracer of their own.
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        return builder.addStreamTracerFactory(createCustomCensusTracerFactory());
    }

    private ServerCredentials serverCredentials() {
        if (!tls) {
            return InsecureServerCredentials.create();
        }
        try {
            return TlsServerCredentials.create(TlsTesting.loadCert("server1.pem"), TlsTesting.loadCert("server1.key"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ChannelCredentials channelCredentials() {
        if (!tls) {
            return InsecureChannelCredentials.create();
        }
        try {
            return TlsChannelCredentials.newBuilder().trustManager(TlsTesting.loadCert("ca.pem")).build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected void startServer(@Nullable ServerBuilder<?> builder) {
        super.startServer(new ServerKeeper(builder));
    }

    /** Keeps the server that the tests build, because they do not tell its port. */
    private final class ServerKeeper extends ForwardingServerBuilder<ServerKeeper> {

        private final ServerBuilder<?> builder;

        ServerKeeper(ServerBuilder<?> builder) {
            this.builder = builder;
        }

        @Override
        protected ServerBuilder<?> delegate() {
            return builder;
        }

        @Override
        public Server build() {
            server = super.build();
            return server;
        }
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort(),
                channelCredentials()).overrideAuthority(AUTHORITY)
                .channelType(UcxSocketChannel.class).eventLoopGroup(group())
                .flowControlWindow(TEST_FLOW_CONTROL_WINDOW).maxInboundMessageSize(MAX_MESSAGE_SIZE);
        InternalNettyChannelBuilder.setStatsEnabled(builder, false);
        return builder.intercept(createCensusStatsClientInterceptor());
    }

    @Override
    public void tearDown() {
        super.tearDown();
        TestLoops.awaitNoChannels(loops.factory());
    }

    @Test
    public void clientCompressedUnaryNoprobe() throws Exception {
        clientCompressedUnary(false);
    }

    @Test
    public void clientCompressedStreamingNoprobe() throws Exception {
        clientCompressedStreaming(false);
    }

    /** In the list, but no test in gRPC's class. */
    @Override
    @Test
    public void serverCompressedStreaming() throws Exception {
        super.serverCompressedStreaming();
    }

    /** The case rpc_soak, whose code the client of gRPC's tests keeps to itself. */
    @Test
    public void rpcSoak() {
        for (int i = 0; i < SOAK_ITERATIONS; i++) {
            callOnce(channel);
        }
    }

    /** The case channel_soak. */
    @Test
    public void channelSoak() throws InterruptedException {
        for (int i = 0; i < SOAK_ITERATIONS; i++) {
            ManagedChannel next = createChannel();
            try {
                callOnce(next);
            } finally {
                assertEquals(true, next.shutdownNow().awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS));
            }
        }
    }

    private static void callOnce(ManagedChannel channel) {
        SimpleRequest request = SimpleRequest.newBuilder().setResponseSize(SOAK_RESPONSE_BYTES).setPayload(
                Payload.newBuilder().setBody(ByteString.copyFrom(new byte[SOAK_REQUEST_BYTES]))).build();
        ByteString answer = TestServiceGrpc.newBlockingStub(channel).unaryCall(request).getPayload().getBody();
        assertEquals(ByteString.copyFrom(new byte[SOAK_RESPONSE_BYTES]), answer);
    }

    /** Not of the list: gRPC's own transports have it too. */
    @Test
    public void bothSidesKnowTheAddresses() {
        assertEquals(obtainLocalClientAddr(), obtainRemoteClientAddr());
        assertEquals(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()),
                obtainRemoteServerAddr());
        assertEquals(obtainRemoteServerAddr(), obtainLocalServerAddr());
    }
}
