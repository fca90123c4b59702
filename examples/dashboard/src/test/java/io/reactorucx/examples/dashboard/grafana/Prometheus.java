package io.reactorucx.examples.dashboard.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Prometheus of the system that follows the rules of {@code docs/guide/dashboards}. */
public final class Prometheus implements AutoCloseable {

    private static final Duration LIMIT = TestTime.seconds(30);
    /** The rules of the project. */
    static final Path RULES = Path.of("..", "..", "docs", "guide", "dashboards", "reactor-ucx-rules.yml");

    private final Process process;
    private final String address;
    private final Path log;
    private final HttpClient http = HttpClient.newHttpClient();

    private Prometheus(Process process, String address, Path log) {
        this.process = process;
        this.address = address;
        this.log = log;
    }

    /** {@return whether the programs are on the path} */
    public static boolean isInstalled() {
        return Stream.of("prometheus", "promtool").allMatch(program -> Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))));
    }

    /**
     * Starts one that scrapes every second.
     *
     * @param folder for its files
     * @param targets host and port of the applications that it scrapes
     * @return it, before it has scraped
     */
    public static Prometheus start(Path folder, List<String> targets) throws IOException {
        return start(folder, targets, RULES, Duration.ofSeconds(1));
    }

    /** Starts one with rules of the caller's, which it evaluates as often as it scrapes. */
    static Prometheus start(Path folder, List<String> targets, Path rules, Duration interval) throws IOException {
        Path config = folder.resolve("prometheus.yml");
        Files.writeString(config, """
                global:
                  scrape_interval: %1$dms
                  scrape_timeout: %1$dms
                  evaluation_interval: %1$dms
                rule_files:
                  - %2$s
                scrape_configs:
                  - job_name: reactor-ucx
                    metrics_path: /actuator/prometheus
                    static_configs:
                      - targets: [%3$s]
                """.formatted(interval.toMillis(), rules.toAbsolutePath().normalize(),
                targets.stream().map(target -> "'" + target + "'").collect(Collectors.joining(", "))));
        String address = "127.0.0.1:" + freePort();
        Path log = folder.resolve("prometheus.log");
        Process process = new ProcessBuilder("prometheus", "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"), "--web.listen-address=" + address)
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        return new Prometheus(process, address, log);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Waits until every target was scraped, and the rules evaluated. */
    public void awaitScrapes(int targets) {
        await().atMost(LIMIT).pollInterval(Duration.ofMillis(50)).ignoreExceptions().untilAsserted(() -> {
            assertThat(process.isAlive()).as(() -> read(log)).isTrue();
            assertThat(query("up == 1")).hasSize(targets);
            assertThat(rules()).isNotEmpty().allSatisfy(rule ->
                    assertThat(rule.get("health").asString()).as(rule::toString).isEqualTo("ok"));
        });
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Asks for the present values of an expression.
     *
     * @param expression in PromQL
     * @return one node for each series, with {@code metric} and {@code value}
     */
    public List<JsonNode> query(String expression) {
        return nodes(get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .get("result"));
    }

    /** {@return the values of a label, {@code __name__} for the names of the series} */
    public List<String> valuesOf(String label) {
        return nodes(get("/api/v1/label/" + label + "/values")).stream().map(JsonNode::asString).toList();
    }

    /** {@return the alerts that are pending or fire} */
    public List<JsonNode> alerts() {
        return nodes(get("/api/v1/alerts").get("alerts"));
    }

    /** {@return all rules, as they were evaluated last} */
    public List<JsonNode> rules() {
        return nodes(get("/api/v1/rules").get("groups")).stream()
                .flatMap(group -> nodes(group.get("rules")).stream()).toList();
    }

    private static List<JsonNode> nodes(JsonNode array) {
        return array.valueStream().toList();
    }

    private JsonNode get(String path) {
        try {
            String body = http.send(HttpRequest.newBuilder(URI.create("http://" + address + path)).timeout(LIMIT)
                    .build(), BodyHandlers.ofString()).body();
            JsonNode answer = JsonMapper.shared().readTree(body);
            assertThat(answer.get("status").asString()).as(body).isEqualTo("success");
            return answer.get("data");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        await().atMost(LIMIT).until(() -> !process.isAlive());
        http.close();
    }
}
