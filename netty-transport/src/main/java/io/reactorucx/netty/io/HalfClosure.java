package io.reactorucx.netty.io;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.PromiseNotifier;
import java.util.function.Consumer;

/**
 * The two halves of a channel, and the calls that shut them down.
 *
 * <p>Thread: any asks and calls; the loop shuts down.
 */
public final class HalfClosure {

    private final DuplexChannel channel;
    private final Consumer<ChannelPromise> ofInput;
    private final Consumer<ChannelPromise> ofOutput;
    private volatile boolean input;
    private volatile boolean output;

    /**
     * The halves of a channel.
     *
     * @param ofInput shuts down the input, on the loop
     * @param ofOutput shuts down the output, on the loop
     */
    public HalfClosure(DuplexChannel channel, Consumer<ChannelPromise> ofInput, Consumer<ChannelPromise> ofOutput) {
        this.channel = channel;
        this.ofInput = ofInput;
        this.ofOutput = ofOutput;
    }

    /** The channel reads no more. */
    public void inputEnded() {
        input = true;
    }

    /** The channel writes no more. */
    public void outputEnded() {
        output = true;
    }

    /** Returns whether the channel reads no more. */
    public boolean isInputShutdown() {
        return input;
    }

    /** Returns whether the channel writes no more. */
    public boolean isOutputShutdown() {
        return output;
    }

    /** Shuts down the input. */
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(ofInput, promise);
        return promise;
    }

    /** Shuts down the output. */
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(ofOutput, promise);
        return promise;
    }

    /** Shuts down the output, then the input. */
    public ChannelFuture shutdown(ChannelPromise promise) {
        ChannelFuture first = shutdownOutput(channel.newPromise());
        first.addListener(ended -> {
            ChannelFuture second = shutdownInput(channel.newPromise());
            PromiseNotifier.cascade(false, ended.isSuccess() ? second : first, promise);
        });
        return promise;
    }

    private void onLoop(Consumer<ChannelPromise> action, ChannelPromise promise) {
        EventLoop loop = channel.eventLoop();
        if (loop.inEventLoop()) {
            action.accept(promise);
        } else {
            loop.execute(() -> action.accept(promise));
        }
    }
}
