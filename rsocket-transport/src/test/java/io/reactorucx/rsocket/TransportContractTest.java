package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.ResourceLeakDetector;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxServer;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.rsocket.test.TransportTest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Hooks;

/**
 * RSocket's own tests of a transport. They look for buffers of Netty that were not released. UCX's own choice is shared
 * memory on one host.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "transports {0}")
@ValueSource(strings = {"", "tcp"})
class TransportContractTest implements TransportTest {

    /** As RSocket's test of its own TCP transport has it. */
    private static final Duration LIMIT = TestTime.seconds(120);
    private static final Map<String, TestResources> RESOURCES = new ConcurrentHashMap<>();
    private static ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    @Parameter
    private String transports;

    private UcxClientTransport client;
    private TransportPair<InetSocketAddress, UcxBoundTransport> pair;

    @BeforeAll
    static void detectLeaks() {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.ADVANCED);
    }

    @AfterAll
    static void dispose() {
        ResourceLeakDetector.setLevel(before);
        RESOURCES.values().forEach(TestResources::close);
        RESOURCES.clear();
    }

    private TestResources resources() {
        return RESOURCES.computeIfAbsent(transports, TestResources::new);
    }

    @Override
    @BeforeEach
    public void setup() {
        pair = new TransportPair<>(() -> new InetSocketAddress(TestResources.HOST, 0), (address, server, allocator) -> {
            client = UcxClientTransport.create(UcxClient.create(resources().client()).remoteAddress(server.address()))
                    .allocator(allocator);
            return client;
        }, (address, allocator) -> UcxServerTransport.create(UcxServer.create(resources().server())
                .bindAddress(address)).allocator(allocator));
        TransportTest.super.setup();
        // It makes each operator keep where it was made, which is most of the time of some tests.
        Hooks.resetOnOperatorDebug();
    }

    @Override
    @AfterEach
    public void close() {
        TransportTest.super.close();
        resources().awaitNothingLeft();
        await().atMost(LIMIT).until(() -> client.statistics().connections() == 0);
        assertThat(client.statistics()).isEqualTo(new UcxTransportStatistics(0, 0, 0));
    }

    @Override
    public Duration getTimeout() {
        return LIMIT;
    }

    @Override
    public TransportPair<InetSocketAddress, UcxBoundTransport> getTransportPair() {
        return pair;
    }
}
