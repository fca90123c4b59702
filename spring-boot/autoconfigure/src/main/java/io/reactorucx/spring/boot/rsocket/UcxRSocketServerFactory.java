package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.UcxServer;
import io.reactorucx.rsocket.UcxBoundTransport;
import io.reactorucx.rsocket.UcxServerTransport;
import io.reactorucx.spring.boot.Exposure;
import io.reactorucx.spring.boot.UcxAvailability;
import io.reactorucx.spring.boot.UcxProbe;
import io.reactorucx.spring.boot.UcxProperties;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.rsocket.server.RSocketServerCustomizer;
import org.springframework.boot.rsocket.server.RSocketServerFactory;
import org.springframework.util.unit.DataSize;

/**
 * Makes servers of RSocket over UCX, or over the kernel's TCP where it takes the place of UCX.
 *
 * @param server the template of the server
 * @param probe tells whether UCX can be used
 * @param properties what they have in common
 * @param address where to listen
 * @param fragmentSize above which frames are cut, checked before, null for never
 * @param customizers of the application and of Spring Boot
 * @param zeroCopy whether handlers release the buffers of payloads
 * @param created is told each server
 * @param authenticated whether clients are authenticated
 */
record UcxRSocketServerFactory(Supplier<UcxServer> server, UcxProbe probe, UcxProperties properties,
        InetSocketAddress address, @Nullable DataSize fragmentSize, List<RSocketServerCustomizer> customizers,
        boolean zeroCopy, Consumer<DrainingRSocketServer<?>> created, boolean authenticated)
        implements RSocketServerFactory {

    @Override
    public DrainingRSocketServer<?> create(SocketAcceptor acceptor) {
        RequestDrain drain = new RequestDrain();
        RSocketServer rsocket = RSocketServer.create(acceptor).interceptors(registry -> registry.forResponder(drain));
        if (zeroCopy) {
            rsocket.payloadDecoder(PayloadDecoder.ZERO_COPY);
        }
        if (fragmentSize != null) {
            rsocket.fragment((int) fragmentSize.toBytes());
        }
        customizers.forEach(each -> each.customize(rsocket));
        DrainingRSocketServer<?> made = new DrainingRSocketServer<>(binding(rsocket), drain, properties.shutdown());
        created.accept(made);
        return made;
    }

    private DrainingRSocketServer.Binding<?> binding(RSocketServer rsocket) {
        boolean available = UcxAvailability.check(probe::cause, properties.fallback(), "RSocket is served");
        return available ? overUcx(rsocket) : Tcp.binding(rsocket, address);
    }

    private DrainingRSocketServer.Binding<UcxBoundTransport> overUcx(RSocketServer rsocket) {
        UcxProperties.Shutdown shutdown = properties.shutdown();
        Exposure.warn("RSocket over UCX", address, authenticated,
                "spring.rsocket.server.address or reactor.ucx.rsocket.server.address");
        UcxServerTransport transport = UcxServerTransport.create(server.get().bindAddress(address))
                .maxFrameLength(FrameLength.max(properties));
        return new DrainingRSocketServer.Binding<>("UCX", rsocket.bind(transport), UcxBoundTransport::address,
                bound -> bound.server().disposeLater(shutdown.gracePeriod(), shutdown.timeout()).subscribe());
    }

    /** The kernel's TCP, in a class of its own because an application may lack its library. */
    private static final class Tcp {

        private Tcp() {
        }

        static DrainingRSocketServer.Binding<CloseableChannel> binding(RSocketServer rsocket,
                InetSocketAddress address) {
            return new DrainingRSocketServer.Binding<>("TCP", rsocket.bind(TcpServerTransport.create(
                    reactor.netty.tcp.TcpServer.create().bindAddress(() -> address))), CloseableChannel::address,
                    // Connections that are open stay so.
                    CloseableChannel::dispose);
        }
    }
}
