package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.netty.internal.HostileLoop;
import io.reactorucx.netty.internal.HostileLoop.Greeted;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where loops listen for links. */
class LinkPortTest {

    private static final int ADDRESSES = 50;

    /** Each address of this host is one more by which clients may come. */
    @Test
    void aServerAtTheWildcardAddressHasOnePortForLinks() throws IOException {
        TestLoops serverLoops = new TestLoops("server", 1, UcxNettyConfig.DEFAULT);
        TestLoops clientLoops = new TestLoops("client", 1, UcxNettyConfig.DEFAULT);
        try (serverLoops; clientLoops) {
            Channel server = serverLoops.server().childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel accepted) {
                    accepted.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            context.writeAndFlush(message);
                        }
                    });
                }
            }).bind("0.0.0.0", 0).syncUninterruptibly().channel();
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            Set<Integer> ports = new HashSet<>();
            for (int i = 1; i <= ADDRESSES; i++) {
                InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) i});
                try (Greeted channel = HostileLoop.greet(new InetSocketAddress(address, port), 1, 1)) {
                    ports.add(channel.port());
                }
                if (i % 10 == 1) {
                    EchoChannel client = EchoChannel.connect(clientLoops, new InetSocketAddress(address, port));
                    client.echo();
                    client.channel().close().syncUninterruptibly();
                }
            }
            assertThat(ports).hasSize(1);
            server.close().syncUninterruptibly();
            serverLoops.awaitNoChannels();
            clientLoops.awaitNoChannels();
        }
    }
}
