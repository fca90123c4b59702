package io.reactorucx.examples.store;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.rsocket.UcxBoundTransport;
import io.reactorucx.rsocket.UcxServerTransport;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketServer;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** The servers of a node besides HTTP: RSocket over UCX, the same over TCP, and one for readers of its memory. */
final class NodeServers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeServers.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

    private final UcxBoundTransport ucx;
    private final CloseableChannel tcp;
    private final UcxBoundServer memory;

    private NodeServers(UcxBoundTransport ucx, CloseableChannel tcp, UcxBoundServer memory) {
        this.ucx = ucx;
        this.tcp = tcp;
        this.memory = memory;
    }

    static NodeServers bind(String host, UcxResources resources, SocketAcceptor messages) {
        UcxBoundTransport ucx = RSocketServer.create(messages)
                .bindNow(UcxServerTransport.create(resources, host, 0));
        CloseableChannel tcp = RSocketServer.create(messages).bindNow(TcpServerTransport.create(host, 0));
        UcxBoundServer memory = UcxServer.create(resources).bindAddress(host, 0).handle(connection -> Mono.never())
                .bindNow();
        return new NodeServers(ucx, tcp, memory);
    }

    int ucxPort() {
        return ucx.address().getPort();
    }

    int tcpPort() {
        return tcp.address().getPort();
    }

    int memoryPort() {
        return memory.port();
    }

    @Override
    public void close() {
        ucx.dispose();
        tcp.dispose();
        memory.dispose();
        try {
            Mono.when(ucx.onClose(), tcp.onClose(), memory.onDispose()).block(CLOSE_LIMIT);
        } catch (RuntimeException e) {
            LOG.warn("a server did not close in time", e);
        }
    }
}
