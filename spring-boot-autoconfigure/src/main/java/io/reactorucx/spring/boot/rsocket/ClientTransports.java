package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.UcxClient;
import io.reactorucx.core.Ucx;
import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.spring.boot.UcxAvailability;
import io.reactorucx.spring.boot.UcxFallback;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.netty.client.TcpClientTransport;
import java.util.function.Supplier;

/** Makes transports of the template of clients. */
final class ClientTransports implements UcxClientTransports {

    private final Supplier<UcxClient> client;
    private final UcxFallback fallback;
    private volatile boolean checked;
    private volatile boolean available;

    ClientTransports(Supplier<UcxClient> client, UcxFallback fallback) {
        this.client = client;
        this.fallback = fallback;
    }

    @Override
    public ClientTransport to(String host, int port) {
        if (!checked) {
            available = UcxAvailability.check(() -> Ucx.unavailabilityCause().orElse(null), fallback,
                    "RSocket connects");
            checked = true;
        }
        return available ? UcxClientTransport.create(client.get().remoteAddress(host, port)) : Tcp.to(host, port);
    }

    /** The kernel's TCP, in a class of its own because an application may lack its library. */
    private static final class Tcp {

        private Tcp() {
        }

        static ClientTransport to(String host, int port) {
            return TcpClientTransport.create(host, port);
        }
    }
}
