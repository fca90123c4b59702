package io.reactorucx.examples.dashboard.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import tools.jackson.databind.JsonNode;

/**
 * A Prometheus with the project's rules looks at a mix of traffic like that of the soak: no alert fires. Faults that
 * are planted afterwards fire, so that it would have seen others.
 */
@Tag("slow")
class QuietAlertsTest {

    private static final int ALERTS = 31;
    /** The longest range and the longest {@code for} are of 10 to 15 minutes. */
    private static final int MILLIS_FOR_A_MINUTE = 1000;
    private static final Duration LOAD = Duration.ofSeconds(17);
    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final Duration LIMIT = TestTime.seconds(20);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String FIRED = "count by (alertname) (count_over_time(ALERTS{alertstate=\"firing\"}[2m]))";

    @TempDir
    private Path folder;

    @Test
    void allAlertsAreQuietUnderMixedTrafficAndFireForPlantedFaults() throws IOException {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        assumeTrue(Prometheus.isInstalled(), "prometheus and promtool are not installed (Debian's package prometheus)");
        ScaledRules rules = ScaledRules.of(Prometheus.RULES, MILLIS_FOR_A_MINUTE);
        assertThat(rules.alerts()).hasSize(ALERTS);
        assertThat(rules.text()).doesNotContainPattern("(\\[|for: )\\d+m\\b");

        try (MixedLoad load = new MixedLoad(); Prometheus prometheus = Prometheus.start(folder,
                List.of(load.target()), rules.writeTo(folder), INTERVAL)) {
            prometheus.awaitScrapes(1);
            load.run(LOAD);

            assertThat(load.done()).as("operations").isGreaterThan(1000);
            assertThat(prometheus.valuesOf("__name__")).as("series that the rules name").containsAll(rules.series());
            assertThat(fired(prometheus)).as("alerts that fired").isEmpty();
            // One is pending after a single sample, such as that of a sender which had just used its credit.
            await().atMost(LIMIT).pollInterval(POLL).untilAsserted(() -> assertThat(prometheus.alerts())
                    .as("pending or firing after the load").isEmpty());

            load.cutOff();
            Disposable exhausted = load.exhaustPool();
            await().atMost(LIMIT).pollInterval(POLL).untilAsserted(() -> assertThat(fired(prometheus))
                    .containsExactlyInAnyOrder("ReactorUcxConnectionLost", "ReactorUcxPoolExhausted"));
            assertThat(prometheus.alerts()).as("pending or firing").isNotEmpty();
            exhausted.dispose();
        }
    }

    /** The names of the alerts that have fired since the start, be it for a moment. */
    private static Set<String> fired(Prometheus prometheus) {
        return prometheus.query(FIRED).stream().map((JsonNode each) -> each.get("metric").get("alertname").asString())
                .collect(Collectors.toSet());
    }
}
