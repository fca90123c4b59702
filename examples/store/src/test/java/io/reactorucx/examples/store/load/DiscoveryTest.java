package io.reactorucx.examples.store.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.examples.store.StoreNode;
import io.reactorucx.spring.boot.discovery.UcxInstance;
import io.reactorucx.spring.boot.discovery.UcxRSocketTargets;
import io.reactorucx.testsupport.TestTime;
import io.rsocket.loadbalance.RoundRobinLoadbalanceStrategy;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.curator.test.TestingServer;
import org.apache.curator.x.discovery.ServiceDiscovery;
import org.apache.curator.x.discovery.ServiceInstance;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.cloud.zookeeper.discovery.ZookeeperInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.RSocketStrategies;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientException;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Instances in ZooKeeper are found, balanced, and called over UCX, or over TCP where that is all they have. */
@Tag("slow")
class DiscoveryTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int NODES = 2;

    private static final ConfigurableApplicationContext[] NODE = new ConfigurableApplicationContext[NODES];
    private static TestingServer registry;
    private static LoadContext clients;
    private static UcxRSocketTargets targets;
    private static Map<String, String> metadata;

    @BeforeAll
    static void start() throws Exception {
        registry = RegistryProcess.start();
        for (int node = 0; node < NODES; node++) {
            NODE[node] = new SpringApplicationBuilder(StoreNode.class).run("--store.node=" + node,
                    "--store.nodes=" + NODES, "--store.started=1", "--store.registry=" + registry.getConnectString());
        }
        clients = new LoadContext(NODES, registry.getPort());
        targets = clients.bean(UcxRSocketTargets.class);
        metadata = Objects.requireNonNull(clients.bean(ReactiveDiscoveryClient.class).getInstances("store")
                .blockFirst(LIMIT)).getMetadata();
    }

    @AfterAll
    static void end() throws IOException {
        clients.close();
        for (ConfigurableApplicationContext node : NODE) {
            node.close();
        }
        registry.close();
    }

    private static int httpPort(int node) {
        return Objects.requireNonNull(((ReactiveWebServerApplicationContext) NODE[node]).getWebServer()).getPort();
    }

    private static void register(String service, int port, Map<String, String> what) throws Exception {
        @SuppressWarnings("unchecked")
        ServiceDiscovery<ZookeeperInstance> discovery = clients.bean(ServiceDiscovery.class);
        discovery.registerService(ServiceInstance.<ZookeeperInstance>builder().name(service).address("127.0.0.1")
                .port(port).payload(new ZookeeperInstance(service, service, what)).build());
    }

    private static RSocketRequester requester(String service) {
        // snippet: balanced-rsocket
        return RSocketRequester.builder().rsocketStrategies(clients.bean(RSocketStrategies.class))
                .transports(targets.targets(service), new RoundRobinLoadbalanceStrategy());
        // end
    }

    private static String status(String service) {
        WebClient client = clients.http().mutate().baseUrl("http://" + service).build();
        return client.get().uri("/status").retrieve().bodyToMono(String.class).block(LIMIT);
    }

    @Test
    void anInstanceSaysHowItIsReachedOverUcx() {
        assertThat(metadata).containsEntry(UcxInstance.HTTP, "true").containsEntry(UcxInstance.HOST, "127.0.0.1")
                .containsKeys(UcxInstance.PORT, UcxInstance.TCP_PORT, "store.node", "store.started");
    }

    @Test
    void rsocketIsBalancedOverUcx() {
        int before = connections();
        RSocketRequester requester = requester("store");
        Set<Integer> ports = new HashSet<>();
        await().atMost(LIMIT).until(() -> {
            ports.add(requester.route("store.memory-port").data("").retrieveMono(Integer.class).block(LIMIT));
            return ports.size() == NODES;
        });
        assertThat(connections()).isGreaterThan(before);
        requester.dispose();
    }

    private static int connections() {
        return clients.resources().openConnections();
    }

    @Test
    void rsocketGoesOverTcpWhereUcxDoesNotReachTheInstance() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0)) {
            nobody = socket.getLocalPort();
        }
        register("unreachable", httpPort(0), Map.of(UcxInstance.PORT, Integer.toString(nobody),
                UcxInstance.TCP_PORT, metadata.get(UcxInstance.TCP_PORT)));
        int before = connections();
        RSocketRequester requester = requester("unreachable");
        assertThat(requester.route("store.memory-port").data("").retrieveMono(Integer.class).block(LIMIT)).isPositive();
        assertThat(connections()).isEqualTo(before);
        requester.dispose();
    }

    @Test
    void httpGoesOverUcxToInstancesThatTakeIt() {
        long before = clients.httpBytes();
        assertThat(status("store")).contains("roles");
        assertThat(clients.httpBytes()).isGreaterThan(before);
    }

    private static DisposableServer plainServer() {
        return HttpServer.create().host("127.0.0.1").port(0)
                .route(routes -> routes.get("/status", (request, response) ->
                        response.sendString(Mono.just("plain")))).bindNow();
    }

    /** The server is none of the nodes, to which the client may have channels of UCX already. */
    @Test
    void httpGoesOverTcpToInstancesThatSayNothing() throws Exception {
        DisposableServer server = plainServer();
        try {
            register("plain", server.port(), Map.of());
            assertThat(status("plain")).isEqualTo("plain");
        } finally {
            server.disposeNow();
        }
    }

    @Test
    void httpGoesOverTcpAfterUcxHasFailed() throws Exception {
        DisposableServer server = plainServer();
        try {
            register("pretender", server.port(), Map.of(UcxInstance.HTTP, "true"));
            assertThatThrownBy(() -> status("pretender")).isInstanceOf(WebClientException.class);
            assertThat(status("pretender")).isEqualTo("plain");
        } finally {
            server.disposeNow();
        }
    }

    @Test
    void servicesAreFoundByName() {
        assertThat(clients.bean(ReactiveDiscoveryClient.class).getServices().collectList().block(LIMIT))
                .contains("store");
        List<org.springframework.cloud.client.ServiceInstance> instances = Objects.requireNonNull(
                targets.instances("store").blockFirst(LIMIT));
        assertThat(instances).hasSize(NODES);
    }
}
