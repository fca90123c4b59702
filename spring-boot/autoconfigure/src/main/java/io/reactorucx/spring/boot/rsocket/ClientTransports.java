package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.UcxClient;
import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.spring.boot.UcxAvailability;
import io.reactorucx.spring.boot.UcxProbe;
import io.reactorucx.spring.boot.UcxProperties;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.netty.client.TcpClientTransport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes transports of the template of clients. */
final class ClientTransports implements UcxClientTransports {

    private static final Logger LOG = LoggerFactory.getLogger(ClientTransports.class);

    private final Supplier<UcxClient> client;
    private final UcxProbe probe;
    private final UcxProperties properties;
    private volatile boolean checked;
    private volatile boolean available;

    ClientTransports(Supplier<UcxClient> client, UcxProbe probe, UcxProperties properties) {
        this.client = client;
        this.probe = probe;
        this.properties = properties;
    }

    @Override
    public ClientTransport to(String host, int port) {
        if (!checked) {
            available = UcxAvailability.check(probe::cause, properties.fallback(), "RSocket connects");
            checked = true;
            if (available) {
                LOG.info("RSocket clients of UcxClientTransports connect over UCX");
            }
        }
        return !available ? Tcp.to(host, port) : UcxClientTransport.create(client.get().remoteAddress(host, port))
                .maxFrameLength(FrameLength.max(properties));
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
