package io.reactorucx.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.function.Consumer;

/** The handle that a channel registers with its loop; it gets no events, because the stream calls the channel. */
final class UcxIoHandle implements IoHandle {

    private final Runnable closing;

    UcxIoHandle(Runnable closing) {
        this.closing = closing;
    }

    /** Registers what closes a channel with its loop, which forgets it if the channel's own registration fails. */
    static void register(EventLoop loop, Runnable closing, Consumer<IoRegistration> whenDone, ChannelPromise promise) {
        ((IoEventLoop) loop).register(new UcxIoHandle(closing)).addListener(done -> {
            if (!done.isSuccess()) {
                promise.setFailure(done.cause());
                return;
            }
            IoRegistration made = (IoRegistration) done.getNow();
            // Netty deregisters no channel whose registration has failed.
            promise.addListener(registered -> {
                if (!registered.isSuccess()) {
                    made.cancel();
                }
            });
            whenDone.accept(made);
        });
    }

    /** Registers the socket of a channel with the channel's loop. */
    static void registerSocket(EventLoop loop, Channel socket, ChannelPromise promise) {
        loop.register(socket).addListener(done -> {
            if (done.isSuccess()) {
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
        });
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        throw new UnsupportedOperationException("no events");
    }

    @Override
    public void close() {
        closing.run();
    }
}
