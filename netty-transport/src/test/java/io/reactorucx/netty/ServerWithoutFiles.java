package io.reactorucx.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.ReferenceCountUtil;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** A server that stops reading when it cannot accept, as that of {@code ServerBootstrap} does for a second. */
final class ServerWithoutFiles {

    static final String READY = "ready ";
    static final String ACCEPTED = "accepted";
    static final String FAILED = "failed ";
    static final String COUNT = "failures ";
    static final String ROUNDS = "rounds";
    static final String READ = "read";
    static final String END = "end";

    private static final int MANY = 1000;

    private static int failures;

    private ServerWithoutFiles() {
    }

    /** Closes what the server has accepted. */
    private static final class Accepting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            ((Channel) accepted).unsafe().closeForcibly();
            ReferenceCountUtil.release(accepted);
            print(ACCEPTED);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures++;
            context.channel().config().setAutoRead(false);
            if (failures == 1) {
                print(FAILED + cause.getMessage());
            }
        }
    }

    /** The path of a Unix domain socket is the argument, if there is one. */
    public static void main(String[] arguments) throws Exception {
        SocketAddress address = arguments.length == 0 ? new InetSocketAddress("127.0.0.1", 0)
                : new DomainSocketAddress(arguments[0]);
        try (TestLoops loops = new TestLoops("loop", 1, UcxNettyConfig.DEFAULT)) {
            ServerBootstrap bootstrap = loops.server(address);
            EventLoop loop = bootstrap.config().group().next();
            Channel server = address instanceof DomainSocketAddress ? new UcxServerDomainSocketChannel()
                    : new UcxServerChannel();
            server.pipeline().addLast(new Accepting());
            loop.register(server).sync();
            server.bind(address).sync();
            // Loads the classes of what comes later.
            loop.submit(() -> server.config().setAutoRead(false).setAutoRead(true)).sync();
            print(READY + (server.localAddress() instanceof InetSocketAddress inet ? inet.getPort() : 0));
            obey(server, loop);
            server.close().sync();
        }
    }

    private static void obey(Channel server, EventLoop loop) throws IOException, InterruptedException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String order = in.readLine(); order != null && !order.equals(END); order = in.readLine()) {
                if (order.equals(ROUNDS)) {
                    // Between two tasks a loop looks at its sockets.
                    for (int i = 0; i < MANY; i++) {
                        loop.submit(() -> { }).sync();
                    }
                    loop.submit(() -> print(COUNT + failures)).sync();
                } else if (order.equals(READ)) {
                    server.config().setAutoRead(true);
                }
            }
        }
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
