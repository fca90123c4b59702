package io.reactorucx.netty.resources;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.reactorucx.netty.UcxDomainSocketChannel;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxIoHandlerFactory;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxServerChannel;
import io.reactorucx.netty.UcxServerDomainSocketChannel;
import io.reactorucx.netty.UcxSocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.resources.LoopResources;

/**
 * Loops for servers and clients of Reactor Netty, whose channels go over UCX: {@code HttpServer.create()
 * .runOn(loops)}, those of TCP and of Unix domain sockets. Datagrams stay with the kernel, on the same loops.
 *
 * <p>As on Reactor Netty's own loops, {@code block()} throws on their threads, and a client that connects on one of
 * them stays on that one.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #disposeLater()} ends the loops. <b>Errors:</b> as
 * {@link UcxIoHandler#newFactory(UcxNettyConfig)}.
 */
public final class UcxLoopResources implements LoopResources {

    private final UcxIoHandlerFactory factory;
    private final EventLoopGroup loops;
    private final EventLoopGroup clientLoops;

    private UcxLoopResources(String name, int count, UcxNettyConfig config) {
        this.factory = UcxIoHandler.newFactory(config);
        this.loops = new MultiThreadIoEventLoopGroup(count, new LoopThreadFactory(name), factory);
        this.clientLoops = LoopResources.colocate(loops);
    }

    /** Makes the threads of loops. */
    private static final class LoopThreadFactory extends DefaultThreadFactory {

        LoopThreadFactory(String name) {
            super(name, true);
        }

        @Override
        protected Thread newThread(Runnable task, String name) {
            return new LoopThread(threadGroup, task, name);
        }
    }

    /** A thread on which Reactor refuses to block. */
    private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {

        LoopThread(@Nullable ThreadGroup group, Runnable task, String name) {
            super(group, task, name);
        }
    }

    /**
     * Makes loops, whose threads start with their first channel.
     *
     * @param name of the threads
     * @return the loops, as many as there are processors
     */
    public static UcxLoopResources create(String name) {
        return create(name, Runtime.getRuntime().availableProcessors(), UcxNettyConfig.DEFAULT);
    }

    /**
     * Makes loops, whose threads start with their first channel.
     *
     * @param name of the threads
     * @param count how many, at least 1
     * @param config what they have in common
     * @return the loops
     */
    public static UcxLoopResources create(String name, int count, UcxNettyConfig config) {
        Objects.requireNonNull(name, "name");
        if (count < 1) {
            throw new IllegalArgumentException("count " + count + ": must be at least 1");
        }
        return new UcxLoopResources(name, count, Objects.requireNonNull(config, "config"));
    }

    /** {@return the factory of the loops, with their counts} */
    public UcxIoHandlerFactory factory() {
        return factory;
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return loops;
    }

    /** Returns the loops of {@link #onServer}; of them, the one whose thread asks. */
    @Override
    public EventLoopGroup onClient(boolean useNative) {
        return clientLoops;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <C extends Channel> C onChannel(Class<C> channelType, EventLoopGroup group) {
        return (C) (
                channelType.equals(SocketChannel.class) ? new UcxSocketChannel()
                : channelType.equals(ServerSocketChannel.class) ? new UcxServerChannel()
                : channelType.equals(DatagramChannel.class) ? new EpollDatagramChannel()
                : channelType.equals(DomainSocketChannel.class) ? new UcxDomainSocketChannel()
                : channelType.equals(ServerDomainSocketChannel.class) ? new UcxServerDomainSocketChannel()
                : unsupported(channelType));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> channelType, EventLoopGroup group) {
        return (Class<? extends C>) (
                channelType.equals(SocketChannel.class) ? UcxSocketChannel.class
                : channelType.equals(ServerSocketChannel.class) ? UcxServerChannel.class
                : channelType.equals(DatagramChannel.class) ? EpollDatagramChannel.class
                : channelType.equals(DomainSocketChannel.class) ? UcxDomainSocketChannel.class
                : channelType.equals(ServerDomainSocketChannel.class) ? UcxServerDomainSocketChannel.class
                : unsupported(channelType).getClass());
    }

    private static Channel unsupported(Class<?> channelType) {
        throw new IllegalArgumentException("channelType " + channelType.getName()
                + ": loops of UCX have socket, server socket, datagram and domain socket channels");
    }

    @Override
    public boolean daemon() {
        return true;
    }

    @Override
    public boolean isDisposed() {
        return loops.isShuttingDown();
    }

    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.create(sink -> loops.shutdownGracefully(quietPeriod.toMillis(), timeout.toMillis(),
                TimeUnit.MILLISECONDS).addListener(done -> end(sink, done.cause())));
    }

    private static void end(MonoSink<Void> sink, @Nullable Throwable cause) {
        if (cause == null) {
            sink.success();
        } else {
            sink.error(cause);
        }
    }
}
