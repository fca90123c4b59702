package io.reactorucx.netty.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** A listening socket that accepts nothing and whose queue is full: the kernel drops further connection requests. */
final class FullListener {

    private static final int FILLING = 4;

    private final ServerSocket listener;
    private final List<SocketChannel> waiting = new ArrayList<>();

    FullListener() {
        try {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            for (int i = 0; i < FILLING; i++) {
                SocketChannel client = SocketChannel.open();
                client.configureBlocking(false);
                client.connect(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()));
                waiting.add(client);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String host() {
        return listener.getInetAddress().getHostAddress();
    }

    int port() {
        return listener.getLocalPort();
    }
}
