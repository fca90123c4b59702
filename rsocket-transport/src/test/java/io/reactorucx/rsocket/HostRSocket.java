package io.reactorucx.rsocket;

import io.reactorucx.UcxResources;
import io.reactorucx.testsupport.HostCommands;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.util.DefaultPayload;
import java.io.IOException;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** A program on one of two hosts: servers and clients of RSocket with one object of resources. */
final class HostRSocket {

    private static final int BYTES = 1 << 20;

    /** Each connection wires up endpoints of its own. */
    private final UcxResources resources = UcxResources.builder().maxIdleEndpoints(0).build();

    private HostRSocket() {
    }

    public static void main(String[] arguments) throws IOException {
        HostRSocket program = new HostRSocket();
        HostCommands.run(program::done, end -> {
            program.resources.disposeNow();
            return "ended";
        });
    }

    private String done(String[] words) {
        return words[0].equals("bind") ? HostCommands.BOUND + bind(words[1])
                : HostCommands.CONNECTED + connect(words[1], Integer.parseInt(words[2]));
    }

    private int bind(String host) {
        return Objects.requireNonNull(RSocketServer.create(SocketAcceptor.forRequestResponse(Mono::just))
                .bind(UcxServerTransport.create(resources, host, 0)).block(TestResources.LIMIT)).address().getPort();
    }

    private int connect(String host, int port) {
        RSocket socket = Objects.requireNonNull(RSocketConnector.connectWith(
                UcxClientTransport.create(resources, host, port)).block(TestResources.LIMIT));
        Payload answer = Objects.requireNonNull(socket.requestResponse(DefaultPayload.create(new byte[BYTES]))
                .block(TestResources.LIMIT));
        int bytes = answer.data().readableBytes();
        answer.release();
        socket.dispose();
        socket.onClose().block(TestResources.LIMIT);
        return bytes;
    }
}
