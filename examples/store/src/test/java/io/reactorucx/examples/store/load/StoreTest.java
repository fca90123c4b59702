package io.reactorucx.examples.store.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.StoreNode;
import io.reactorucx.examples.store.client.StoreClient;
import io.reactorucx.examples.store.client.StoreUnavailableException;
import io.reactorucx.examples.store.client.StoreValue;
import io.reactorucx.examples.store.replica.Placement;
import io.reactorucx.examples.store.replica.Replicas;
import io.reactorucx.examples.store.wire.Pair;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Flux;

/** Three nodes and a client in one process, with a registry. */
@Tag("slow")
class StoreTest {

    private static final int NODES = 3;
    private static final Duration LIMIT = TestTime.seconds(30);
    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGEST_BYTES = 4 << 20;

    private static final ConfigurableApplicationContext[] NODE = new ConfigurableApplicationContext[NODES];
    private static TestingServer registry;
    private static LoadContext clients;
    private static StoreClient store;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws Exception {
        registry = RegistryProcess.start();
        for (int node = 0; node < NODES; node++) {
            startNode(node);
        }
        clients = new LoadContext(NODES, registry.getPort());
        store = clients.store();
        awaitComplete();
    }

    private static void startNode(int node) {
        NODE[node] = new SpringApplicationBuilder(StoreNode.class).run("--store.node=" + node,
                "--store.started=" + System.currentTimeMillis(),
                "--store.registry=" + registry.getConnectString());
    }

    @AfterAll
    static void end() throws IOException {
        clients.close();
        for (ConfigurableApplicationContext node : NODE) {
            node.close();
        }
        registry.close();
    }

    private static void awaitComplete() {
        await().atMost(LIMIT).until(() -> clients.directory().nodes().size() == NODES
                && IntStream.range(0, NODES).noneMatch(node ->
                        NODE[node].getBean(Replicas.class).roles().containsValue("JOINING")));
    }

    private static int port(int node) {
        return Objects.requireNonNull(((ReactiveWebServerApplicationContext) NODE[node]).getWebServer()).getPort();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private HttpResponse<byte[]> send(int node, HttpRequest.Builder request, String key) throws Exception {
        return http.send(request.uri(URI.create("http://127.0.0.1:" + port(node) + "/keys/" + key)).build(),
                BodyHandlers.ofByteArray());
    }

    @Test
    void everyNodeTakesEveryKeyByHttpWithoutUcx() throws Exception {
        for (int i = 0; i < 6; i++) {
            String key = "http-" + i;
            HttpResponse<byte[]> written = send(0, HttpRequest.newBuilder().PUT(BodyPublishers.ofString("v" + i)), key);
            assertThat(written.statusCode()).isEqualTo(204);
            for (int node = 0; node < NODES; node++) {
                HttpResponse<byte[]> read = send(node, HttpRequest.newBuilder().GET(), key);
                assertThat(read.statusCode()).isEqualTo(200);
                assertThat(read.body()).asString(UTF_8).isEqualTo("v" + i);
                assertThat(read.headers().firstValue("ETag")).isEqualTo(written.headers().firstValue("ETag"));
            }
            assertThat(send(1, HttpRequest.newBuilder().DELETE(), key).statusCode()).isEqualTo(204);
            assertThat(send(2, HttpRequest.newBuilder().GET(), key).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aWrongKeyOrValueIsRefusedWithItsReason() throws Exception {
        HttpResponse<byte[]> tooLong = send(0, HttpRequest.newBuilder().GET(), "k".repeat(513));
        assertThat(tooLong.statusCode()).isEqualTo(400);
        assertThat(tooLong.body()).asString(UTF_8).contains("key of 513 bytes: must not be blank and have at most 512");
        assertThatThrownBy(() -> store.get(" ").block(LIMIT)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.put("large", new byte[LARGEST_BYTES + 1]).block(LIMIT))
                .hasMessageContaining("value of " + (LARGEST_BYTES + 1) + " bytes: must have at most " + LARGEST_BYTES);
    }

    @Test
    void largeValuesAreReadFromTheMemoryOfTheNode() {
        byte[] large = bytes(LARGE_BYTES);
        store.put("large", large).block(LIMIT);
        long before = servedReads();
        for (int i = 0; i < 8; i++) {
            StoreValue read = store.get("large").block(LIMIT).orElseThrow();
            assertThat(read.bytes()).isEqualTo(large);
        }
        await().atMost(LIMIT).until(() -> servedReads() == before + 8);

        byte[] next = bytes(LARGE_BYTES + 1);
        store.put("large", next).block(LIMIT);
        assertThat(store.get("large").block(LIMIT).orElseThrow().bytes()).isEqualTo(next);
    }

    private static long servedReads() {
        return IntStream.range(0, NODES).mapToLong(node -> NODE[node].getBean(UcxResources.class).servedMemory()
                .served()).sum();
    }

    @Test
    void readersOfAValueThatIsReplacedGetTheOldOneOrTheNewOne() {
        byte[] one = bytes(LARGE_BYTES);
        byte[] other = bytes(LARGE_BYTES + 8);
        store.put("replaced", one).block(LIMIT);
        List<byte[]> read = Flux.merge(
                Flux.range(0, 40).concatMap(i -> store.put("replaced", i % 2 == 0 ? other : one))
                        .thenMany(Flux.empty()),
                Flux.range(0, 200).flatMap(i -> store.get("replaced").map(value -> value.orElseThrow().bytes()), 4))
                .collectList().block(LIMIT);
        assertThat(read).hasSize(200).allMatch(value -> Arrays.equals(value, one)
                || Arrays.equals(value, other));
    }

    @Test
    void aNodeThatIsStartedAgainGetsItsKeysBeforeItAnswers() {
        int keys = 60;
        Flux.range(0, keys).flatMap(i -> store.put("kept-" + i, bytes(i))).blockLast(LIMIT);
        NODE[0].close();
        Flux.range(0, keys / 2).flatMap(i -> store.put("kept-" + i, bytes(1000 + i))).blockLast(LIMIT);
        startNode(0);
        awaitComplete();
        // What only node 0 and node 1 have now comes from node 0.
        NODE[1].close();
        try {
            Flux.range(0, keys).flatMap(i -> store.get("kept-" + i).doOnNext(value ->
                    assertThat(value.orElseThrow().bytes()).isEqualTo(bytes(i < keys / 2 ? 1000 + i : i))))
                    .blockLast(LIMIT);
        } finally {
            startNode(1);
            awaitComplete();
        }
    }

    @Test
    void withoutBothReplicasAKeyFailsWithAnErrorThatMayPass() {
        Placement placement = new Placement(NODES);
        String key = IntStream.iterate(0, i -> i + 1).mapToObj(i -> "lost-" + i)
                .filter(each -> placement.pair(each).equals(new Pair(0, 2))).findFirst().orElseThrow();
        store.put(key, bytes(1)).block(LIMIT);
        NODE[0].close();
        NODE[2].close();
        try {
            assertThatThrownBy(() -> store.get(key).block(LIMIT)).isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("not within 2000 ms");
            assertThatThrownBy(() -> store.put(key, bytes(2)).block(LIMIT))
                    .isInstanceOf(StoreUnavailableException.class);
        } finally {
            startNode(0);
            startNode(2);
            awaitComplete();
        }
        assertThat(store.put(key, bytes(3)).block(LIMIT)).isPositive();
    }
}
