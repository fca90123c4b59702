package io.reactorucx.transport.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Consumer;

/** Breaks parts of a socket loop, as the system or a lack of memory may do. */
public final class SocketFaults {

    private SocketFaults() {
    }

    /** Closes the selector below the loop, whose thread ends by the exception of its next select. */
    public static void breakSelector(SocketEventLoop loop) {
        withSelector(loop, selector -> {
            try {
                selector.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Lets the listening sockets of a loop fail. */
    public static void failListeners(SocketEventLoop loop, IOException error) {
        withSelector(loop, selector -> {
            for (SelectionKey key : selector.keys()) {
                if (key.channel() instanceof ServerSocketChannel) {
                    ((SocketEventLoop.Events) key.attachment()).failed(error);
                }
            }
        });
    }

    private static void withSelector(SocketEventLoop loop, Consumer<Selector> action) {
        boolean taken = loop.execute(() -> {
            try {
                Pipe pipe = Pipe.open();
                pipe.sink().close();
                try (Pipe.SourceChannel source = pipe.source()) {
                    source.configureBlocking(false);
                    action.accept(loop.register(source, SelectionKey.OP_READ, new Unused()).selector());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        if (!taken) {
            throw new IllegalStateException("the loop has ended");
        }
    }

    private static final class Unused implements SocketEventLoop.Events {

        @Override
        public void ready(SelectionKey key) {
        }

        @Override
        public void failed(IOException error) {
        }
    }
}
