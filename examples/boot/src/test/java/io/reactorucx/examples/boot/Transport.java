package io.reactorucx.examples.boot;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.reactorucx.netty.UcxSocketChannel;

/** What the application runs over. */
enum Transport {
    KERNEL(EpollSocketChannel.class), UCX(UcxSocketChannel.class);

    private final Class<? extends Channel> channel;

    Transport(Class<? extends Channel> channel) {
        this.channel = channel;
    }

    /** {@return the type of all its channels} */
    Class<? extends Channel> channel() {
        return channel;
    }
}
