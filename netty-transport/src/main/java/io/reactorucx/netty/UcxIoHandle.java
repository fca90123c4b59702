package io.reactorucx.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/** What a channel registers with its loop: it gets no events, because its stream calls it. */
final class UcxIoHandle implements IoHandle {

    private final Runnable closing;

    UcxIoHandle(Runnable closing) {
        this.closing = closing;
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
