package io.reactorucx.netty;

import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import io.rsocket.test.TransportTest;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Hooks;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** RSocket's own tests of a transport, over UCX. */
@Tag("slow")
@ParameterizedClass
@ValueSource(strings = {"shm", "tcp"})
class RSocketTransportTest implements TransportTest {

    private static final Duration END_LIMIT = TestTime.seconds(60);
    /** As RSocket's test of its own TCP transport has it. */
    private static final Duration LIMIT = TestTime.seconds(120);

    @Parameter
    private String transport;

    private UcxLoopResources loops;
    private TransportPair<InetSocketAddress, CloseableChannel> pair;

    @Override
    @BeforeEach
    public void setup() {
        loops = UcxLoopResources.create("rsocket", 2, UcxNettyConfig.DEFAULT.withTransports(transport));
        pair = new TransportPair<>(() -> new InetSocketAddress("127.0.0.1", 0),
                (address, server, allocator) -> TcpClientTransport.create(TcpClient
                        .create(ConnectionProvider.newConnection()).remoteAddress(server::address).runOn(loops)),
                (address, allocator) -> TcpServerTransport.create(TcpServer.create()
                        .bindAddress(() -> address).runOn(loops)));
        TransportTest.super.setup();
        // It makes each operator keep where it was made, which is most of the time of some tests.
        Hooks.resetOnOperatorDebug();
    }

    @Override
    @AfterEach
    public void close() {
        TransportTest.super.close();
        TestLoops.awaitNoChannels(loops.factory());
        loops.disposeLater(Duration.ZERO, END_LIMIT).block(END_LIMIT);
    }

    @Override
    public Duration getTimeout() {
        return LIMIT;
    }

    @Override
    public TransportPair<InetSocketAddress, CloseableChannel> getTransportPair() {
        return pair;
    }
}
