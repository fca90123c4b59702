package io.reactorucx.examples.soak.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.reactorucx.examples.soak.Levels;
import io.reactorucx.netty.UcxServerChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** The server process of the soak of Netty's channels, with a port over the kernel's TCP that tells what it holds. */
@Command(name = "netty-soak-server", hidden = true, description = "The server process of soak --netty.")
public final class NettySoakServer implements Callable<Integer> {

    /** Where the {@link Levels} of this process are. */
    static final String LEVELS = "/levels";
    /** Whether nothing is in use now. */
    static final String IDLE = "/idle";
    /** The path of a text that tells what is in use now, for a message. */
    static final String IN_USE = "/in-use";
    /** Ends this process gracefully. */
    static final String END = "/end";
    /** Start of the line that this process prints when it listens; the ports follow: HTTP, echo, control. */
    static final String READY = "ready ";

    private static final int BACKLOG = 4096;
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    @Option(names = "--tcp")
    private boolean tcp;

    private final Sinks.Empty<Void> end = Sinks.empty();

    @Override
    public Integer call() throws InterruptedException {
        LeakReports.watch();
        LoopResources control = LoopResources.create("control", 1, true);
        try (SoakLoops loops = new SoakLoops(tcp)) {
            DisposableServer http = HttpServer.create().host(NettySoak.HOST).port(0).runOn(loops.resources())
                    .route(HttpTraffic::serve).bindNow();
            Channel echo = new ServerBootstrap().group(loops.group()).channel(UcxServerChannel.class)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG).childHandler(new Echo())
                    .bind(NettySoak.HOST, 0).sync().channel();
            DisposableServer levels = control(loops, control);
            System.out.println(READY + http.port() + " " + ((InetSocketAddress) echo.localAddress()).getPort() + " "
                    + levels.port());
            end.asMono().block();
            levels.disposeNow();
            echo.close().sync();
            http.disposeNow();
        } finally {
            control.disposeLater(Duration.ZERO, END_LIMIT).block();
        }
        return 0;
    }

    private DisposableServer control(SoakLoops loops, LoopResources kernel) {
        return HttpServer.create().host(NettySoak.HOST).port(0).runOn(kernel).route(routes -> {
            routes.get(LEVELS, (request, response) -> response.sendString(loops.settled().map(Levels::toLine)));
            routes.get(IDLE, (request, response) -> response.sendString(Mono.just(String.valueOf(loops.isIdle()))));
            routes.get(IN_USE, (request, response) -> response.sendString(Mono.fromSupplier(loops::inUse)));
            routes.get(END, (request, response) -> response.sendString(Mono.just("ending"))
                    .then(Mono.<Void>fromRunnable(end::tryEmitEmpty)));
        }).bindNow();
    }

    /** Sends back each byte. Stops reading while the peer does not read. */
    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
