package io.reactorucx.benchmarks.peers;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.UcxServer;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.rsocket.UcxServerTransport;
import io.rsocket.core.RSocketServer;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.TcpServerTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;

/** A transport that RSocket runs over. */
sealed interface RSocketTransports extends AutoCloseable {

    /** Binds a server to a port of the loopback device, 0 for any; returns the port. */
    int bind(RSocketServer server, int port, Duration limit);

    ClientTransport client(InetSocketAddress server);

    @Override
    void close();

    /** The kernel's TCP, by Reactor Netty. */
    record KernelTcp() implements RSocketTransports {

        private static final String LOOPBACK = "127.0.0.1";

        @Override
        public int bind(RSocketServer server, int port, Duration limit) {
            return Objects.requireNonNull(server.bind(TcpServerTransport.create(LOOPBACK, port)).block(limit))
                    .address().getPort();
        }

        @Override
        public ClientTransport client(InetSocketAddress server) {
            return TcpClientTransport.create(server);
        }

        @Override
        public void close() {
            // The process ends.
        }
    }

    /**
     * UCX, by an engine that spins, as that of {@code perf} does. The processes are stopped except in their turns, for
     * longer than heartbeats may take.
     */
    record Ucx(UcxResources resources) implements RSocketTransports {

        private static final long POOL_BYTES = 256L << 20;

        static Ucx of(PeerOptions options) {
            UcxResourcesBuilder builder = UcxResources.builder().waitStrategy(WaitStrategy.BUSY_SPIN)
                    .maxBufferBytes(POOL_BYTES);
            return new Ucx(options.tcp() ? builder.transports("tcp").build() : builder.build());
        }

        @Override
        public int bind(RSocketServer server, int port, Duration limit) {
            return Objects.requireNonNull(server.bind(UcxServerTransport.create(UcxServer.create(resources)
                    .bindAddress(KernelTcp.LOOPBACK, port).heartbeatInterval(Duration.ZERO))).block(limit)).address()
                    .getPort();
        }

        @Override
        public ClientTransport client(InetSocketAddress server) {
            return UcxClientTransport.create(UcxClient.create(resources).remoteAddress(server)
                    .heartbeatInterval(Duration.ZERO));
        }

        @Override
        public void close() {
            resources.disposeNow();
        }
    }
}
