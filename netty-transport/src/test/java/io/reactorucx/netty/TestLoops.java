package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** A group of loops, with what they count. */
final class TestLoops implements AutoCloseable {

    private static final Duration LIMIT = TestTime.seconds(30);

    private final UcxIoHandlerFactory factory;
    private final EventLoopGroup group;

    TestLoops(String name, int count, UcxNettyConfig config) {
        factory = UcxIoHandler.newFactory(config);
        group = new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory(name, true), factory);
    }

    UcxIoHandlerFactory factory() {
        return factory;
    }

    ServerBootstrap server() {
        return new ServerBootstrap().group(group).channel(UcxServerChannel.class);
    }

    Bootstrap client() {
        return new Bootstrap().group(group).channel(UcxSocketChannel.class);
    }

    /** A server for a kind of addresses. */
    ServerBootstrap server(SocketAddress address) {
        return address instanceof DomainSocketAddress
                ? new ServerBootstrap().group(group).channel(UcxServerDomainSocketChannel.class) : server();
    }

    /** A client for a kind of addresses. */
    Bootstrap client(SocketAddress address) {
        return address instanceof DomainSocketAddress
                ? new Bootstrap().group(group).channel(UcxDomainSocketChannel.class) : client();
    }

    /**
     * A channel between the loops fails before a byte of it has gone.
     *
     * @param message with this in its error at the client
     * @return the errors at the server
     */
    static List<Throwable> refusals(TestLoops serverLoops, TestLoops clientLoops, String message) {
        List<Throwable> serverErrors = new CopyOnWriteArrayList<>();
        Channel server = EchoChannel.serve(serverLoops, serverErrors);
        EchoChannel channel = EchoChannel.connect(clientLoops, server.localAddress());
        channel.stream();
        assertThat(channel.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        await().atMost(LIMIT).untilAsserted(() ->
                assertThat(channel.error()).isInstanceOf(IOException.class).hasMessageContaining(message));
        serverLoops.awaitNoChannels();
        clientLoops.awaitNoChannels();
        assertThat(channel.received()).isZero();
        assertThat(serverLoops.sum(UcxLoopStatistics::receivedBytes)).isZero();
        assertThat(clientLoops.sum(UcxLoopStatistics::sentBytes)).isZero();
        server.close().syncUninterruptibly();
        return serverErrors;
    }

    long sum(ToLongFunction<UcxLoopStatistics> value) {
        return sum(factory, value);
    }

    static long sum(UcxIoHandlerFactory factory, ToLongFunction<UcxLoopStatistics> value) {
        return factory.statistics().stream().mapToLong(value).sum();
    }

    static void awaitNoChannels(UcxIoHandlerFactory factory) {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(sum(factory, UcxLoopStatistics::channels)).isZero());
    }

    void awaitNoChannels() {
        awaitNoChannels(factory);
    }

    /** Ends the loops: fails if they do not end. */
    @Override
    public void close() {
        boolean ended = group.shutdownGracefully(0, 10, TimeUnit.SECONDS)
                .awaitUninterruptibly(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(ended).as("the loops have ended").isTrue();
        assertThat(sum(UcxLoopStatistics::channels)).isZero();
    }
}
