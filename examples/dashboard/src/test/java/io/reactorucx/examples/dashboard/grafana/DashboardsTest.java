package io.reactorucx.examples.dashboard.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/guide/dashboards}: the files, their structure, and the names of their queries. */
class DashboardsTest {

    private static final Path FOLDER = Path.of("..", "..", "docs", "guide", "dashboards");
    /** Of Spring and Micrometer. */
    private static final Set<String> OTHERS = Set.of("http_server_requests_seconds_count",
            "http_server_requests_seconds_bucket", "http_client_requests_seconds_count",
            "http_client_requests_seconds_bucket", "jvm_memory_used_bytes", "process_cpu_usage",
            "jvm_threads_live_threads");

    private static List<Dashboard> dashboards() {
        return Dashboards.all();
    }

    /** With {@code -Ddashboards.write} the files are written anew. */
    @ParameterizedTest
    @MethodSource("dashboards")
    void fileIsMadeOfTheDescription(Dashboard dashboard) throws IOException {
        Path file = FOLDER.resolve(dashboard.fileName());
        if (System.getProperty("dashboards.write") != null) {
            Files.writeString(file, dashboard.json());
        }

        assertThat(file).content().isEqualTo(dashboard.json());
    }

    @Test
    void folderHasNoOtherDashboard() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".json")))
                    .containsExactlyInAnyOrderElementsOf(dashboards().stream().map(Dashboard::fileName).toList());
        }
    }

    private static Schema schema() throws IOException {
        try (InputStream schema = DashboardsTest.class.getResourceAsStream("/grafana-dashboard.schema.json")) {
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(
                    new String(schema.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON);
        }
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void fileFollowsTheSchema(Dashboard dashboard) throws IOException {
        String json = Files.readString(FOLDER.resolve(dashboard.fileName()));

        assertThat(schema().validate(json, InputFormat.JSON)).isEmpty();
        assertThat(schema().validate(json.replace("\"expr\"", "\"query\""), InputFormat.JSON)).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void panelsHaveIdentitiesAndPlacesOfTheirOwn(Dashboard dashboard) {
        JsonNode panels = JsonMapper.shared().readTree(dashboard.json()).get("panels");
        Set<Integer> ids = new HashSet<>();
        Set<List<Integer>> cells = new HashSet<>();
        for (JsonNode panel : panels) {
            assertThat(ids.add(panel.get("id").asInt())).as(panel.toString()).isTrue();
            JsonNode place = panel.get("gridPos");
            for (int x = place.get("x").asInt(); x < place.get("x").asInt() + place.get("w").asInt(); x++) {
                assertThat(x).isLessThan(24);
                for (int y = place.get("y").asInt(); y < place.get("y").asInt() + place.get("h").asInt(); y++) {
                    assertThat(cells.add(List.of(x, y))).as(panel.get("title").asString()).isTrue();
                }
            }
        }
        assertThat(ids).hasSizeGreaterThan(8);
    }

    /** A name has the unit in it, so a query that has the documented name has the documented unit. */
    @Test
    void queriesNameDocumentedSeriesAndEachMeterIsShown() {
        Set<String> named = new TreeSet<>();
        dashboards().forEach(dashboard -> dashboard.panels().forEach(panel -> panel.queries()
                .forEach(query -> named.addAll(PromQl.series(query.expression())))));
        Set<String> documented = new TreeSet<>();
        Series.meters().forEach(meter -> documented.addAll(Series.names(meter)));

        assertThat(named).filteredOn(name -> !OTHERS.contains(name)).isSubsetOf(documented);
        assertThat(named).containsAll(OTHERS);
        assertThat(Series.meters()).filteredOn(meter -> Series.names(meter).stream().noneMatch(named::contains))
                .extracting(MeterDocumentation::getName).as("meters that no panel shows").isEmpty();
    }
}
