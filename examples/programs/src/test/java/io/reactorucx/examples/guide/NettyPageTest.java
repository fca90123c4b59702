package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxServerChannel;
import io.reactorucx.netty.UcxSocketChannel;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.TestTime;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.DefaultPayload;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** The code of {@code docs/guide/netty.md}. Tests of libraries look at the bytes that the loops have counted. */
@Tag("slow")
class NettyPageTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    private UcxLoopResources loops;

    @BeforeEach
    void create() {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        loops = UcxLoopResources.create("ucx", 2, UcxNettyConfig.DEFAULT);
    }

    @AfterEach
    void dispose() {
        if (loops != null) {
            loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        }
    }

    private void assertBytesWentOverUcx() {
        assertThat(loops.factory().statistics().stream().mapToLong(UcxLoopStatistics::receivedBytes).sum())
                .isPositive();
    }

    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    @Test
    void bareNetty() throws Exception {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        ChannelInboundHandlerAdapter client = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                answer.complete(((io.netty.buffer.ByteBuf) message).toString(StandardCharsets.UTF_8));
                ((io.netty.buffer.ByteBuf) message).release();
            }
        };
        ChannelHandler echo = new Echo();

        // snippet: bare
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, UcxIoHandler.newFactory());

        Channel server = new ServerBootstrap().group(group).channel(UcxServerChannel.class)
                .childHandler(echo).bind("127.0.0.1", 0).sync().channel();
        Channel channel = new Bootstrap().group(group).channel(UcxSocketChannel.class)
                .handler(client).connect(server.localAddress()).sync().channel();
        // end

        try {
            channel.writeAndFlush(Unpooled.copiedBuffer("Hello", StandardCharsets.UTF_8)).sync();
            assertThat(answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("Hello");
        } finally {
            // snippet: bare-end
            group.shutdownGracefully().sync();
            // end
        }
    }

    @Test
    void reactorNetty() {
        ConnectionProvider provider = ConnectionProvider.create("test", 1);
        // snippet: reactor-netty
        DisposableServer server = HttpServer.create().host("127.0.0.1").port(0).runOn(loops)
                .route(routes -> routes.get("/", (request, response) -> response.sendString(Mono.just("Hello"))))
                .bindNow();

        String answer = HttpClient.create(provider).host("127.0.0.1").port(server.port()).runOn(loops)
                .get().uri("/").responseContent().aggregate().asString().block();
        // end

        assertThat(answer).isEqualTo("Hello");
        assertBytesWentOverUcx();
        provider.disposeLater().block(LIMIT);
        server.disposeNow();
    }

    @Test
    void domainSocket(@TempDir Path folder) {
        String path = folder.resolve("socket").toString();
        ConnectionProvider provider = ConnectionProvider.create("domain", 1);

        // snippet: domain-socket
        DisposableServer server = HttpServer.create().bindAddress(() -> new DomainSocketAddress(path)).runOn(loops)
                .route(routes -> routes.get("/", (request, response) -> response.sendString(Mono.just("Hello"))))
                .bindNow();

        String answer = HttpClient.create(provider).remoteAddress(() -> new DomainSocketAddress(path)).runOn(loops)
                .get().uri("/").responseContent().aggregate().asString().block();
        // end

        assertThat(answer).isEqualTo("Hello");
        assertBytesWentOverUcx();
        provider.disposeLater().block(LIMIT);
        server.disposeNow(LIMIT);
    }

    @Test
    void rsocket() {
        SocketAcceptor acceptor = SocketAcceptor.forRequestResponse(Mono::just);

        // snippet: rsocket
        CloseableChannel server = RSocketServer.create(acceptor).bindNow(
                TcpServerTransport.create(TcpServer.create().host("127.0.0.1").port(0).runOn(loops)));
        RSocket client = RSocketConnector.connectWith(TcpClientTransport.create(
                TcpClient.create().remoteAddress(server::address).runOn(loops))).block();
        // end

        assertThat(client).isNotNull();
        assertThat(client.requestResponse(DefaultPayload.create("Hello")).map(answer -> answer.getDataUtf8())
                .block(LIMIT)).isEqualTo("Hello");
        assertBytesWentOverUcx();
        client.dispose();
        server.dispose();
    }

    /** Strings, without generated code. */
    private static final class Strings implements MethodDescriptor.Marshaller<String> {

        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void grpc() throws Exception {
        MethodDescriptor<String, String> method = MethodDescriptor.<String, String>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY).setFullMethodName("test/greet")
                .setRequestMarshaller(new Strings()).setResponseMarshaller(new Strings()).build();
        ServerServiceDefinition service = ServerServiceDefinition.builder("test").addMethod(method,
                ServerCalls.asyncUnaryCall((name, answer) -> {
                    answer.onNext("Hello " + name);
                    answer.onCompleted();
                })).build();
        EventLoopGroup group = loops.onServer(true);

        // snippet: grpc
        Server server = NettyServerBuilder.forPort(0).addService(service)
                .channelType(UcxServerChannel.class).bossEventLoopGroup(group).workerEventLoopGroup(group)
                .build().start();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext()
                .channelType(UcxSocketChannel.class).eventLoopGroup(group).build();
        // end

        try {
            assertThat(ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT.withDeadlineAfter(
                    LIMIT.toSeconds(), TimeUnit.SECONDS), "UCX")).isEqualTo("Hello UCX");
            assertBytesWentOverUcx();
        } finally {
            channel.shutdownNow().awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS);
            server.shutdownNow().awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void authenticatorRefusesLoopsWithoutTheSecret() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);

        // snippet: authenticator
        UcxLoopResources trusted = UcxLoopResources.create("ucx", 1,
                UcxNettyConfig.DEFAULT.withAuthenticator(Authenticator.sharedSecret(secret)));
        // end

        ConnectionProvider provider = ConnectionProvider.newConnection();
        DisposableServer server = HttpServer.create().host("127.0.0.1").port(0).runOn(trusted)
                .handle((request, response) -> response.sendString(Mono.just("Hello"))).bindNow();
        HttpClient client = HttpClient.create(provider).host("127.0.0.1").port(server.port());
        try {
            assertThat(client.runOn(trusted).get().responseContent().aggregate().asString().block(LIMIT))
                    .isEqualTo("Hello");
            assertThatThrownBy(() -> client.runOn(loops).get().responseContent().aggregate().asString().block(LIMIT))
                    .hasRootCauseInstanceOf(io.reactorucx.core.error.UcxException.class);
        } finally {
            server.disposeNow();
            trusted.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        }
    }
}
