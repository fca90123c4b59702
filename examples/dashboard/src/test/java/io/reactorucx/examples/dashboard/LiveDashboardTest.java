package io.reactorucx.examples.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.reactorucx.core.Ucx;
import io.reactorucx.examples.dashboard.DashboardProcess.Line;
import io.reactorucx.examples.dashboard.grafana.PanelQueries;
import io.reactorucx.examples.dashboard.grafana.Prometheus;
import io.reactorucx.examples.dashboard.grafana.Series;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * One run of {@code ./run dashboard --load --kill} for all: Chromium looks at the page, and Prometheus scrapes both
 * processes, before the peer is killed, while it is away, and afterwards.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LiveDashboardTest {

    /** The peer is killed after a third of them. */
    private static final int SECONDS = 105;
    private static final Duration NOTICED_WITHIN = TestTime.seconds(2);
    private static final Duration LIMIT = TestTime.seconds(40);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final double TOLERANCE = 0.05;
    private static final long COMPARED_MILLIS = 10_000;

    @TempDir
    private static Path profile;
    @TempDir
    private static Path prometheusFolder;

    private static HttpClient http;
    private static DashboardProcess program;
    private static Page page;
    private static Prometheus prometheus;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        http = HttpClient.newHttpClient();
        program = DashboardProcess.start("--load", "--kill", "--port=0", "--seconds=" + SECONDS);
        program.said(DashboardCommand.PAGE);
        if (Prometheus.isInstalled()) {
            prometheus = Prometheus.start(prometheusFolder, List.of(authority(program.said(DashboardCommand.PAGE)),
                    authority(program.said(DashboardCommand.PEER))));
        }
        if (Browser.obstacle().isEmpty()) {
            page = Page.open(profile, program.said(DashboardCommand.PAGE));
        }
    }

    private static String authority(String address) {
        return URI.create(address).getAuthority();
    }

    @AfterAll
    static void end() {
        if (page != null) {
            page.close();
        }
        if (prometheus != null) {
            prometheus.close();
        }
        if (program != null) {
            program.close();
        }
        if (http != null) {
            http.close();
        }
    }

    private static Page page() {
        assumeTrue(page != null, () -> Browser.obstacle().orElse("the page was not opened"));
        return page;
    }

    private static Prometheus prometheus() {
        assumeTrue(prometheus != null, "prometheus and promtool are not installed (Debian's package prometheus)");
        return prometheus;
    }

    private static Scrape scrape() throws IOException, InterruptedException {
        return Scrape.of(http, program.said(DashboardCommand.PAGE) + "actuator/prometheus");
    }

    @Test
    @Order(1)
    void figuresMoveAndAgreeWithTheMeters() throws IOException, InterruptedException {
        page().awaitState("connected");
        page().awaitSampleAfter(scrape().time() + 1000);
        Scrape first = scrape();
        page().awaitSampleAfter(first.time() + COMPARED_MILLIS);
        Scrape second = scrape();
        page().awaitSampleAfter(second.time() + 1000);

        Map<String, Figure> rates = Map.of("throughput/0", Figure.REQUESTS, "throughput/1", Figure.MESSAGES,
                "throughput/2", Figure.HTTP_CALLS, "bytes/0", Figure.SENT_BYTES, "bytes/1", Figure.RECEIVED_BYTES);
        rates.forEach((line, figure) -> {
            double grown = second.sum(figure) - first.sum(figure);
            assertThat(grown).as(figure::name).isPositive();
            assertThat(page.line(line).sumOver(first.time(), second.time())).as("%s of the page", figure)
                    .isBetween(grown * (1 - TOLERANCE), grown * (1 + TOLERANCE));
            assertThat(page.line(line).between(first.time(), second.time()).stream().distinct().count())
                    .as("%s moves", figure).isGreaterThan(2);
        });
        double rounds = second.sum(Figure.STEPS) - first.sum(Figure.STEPS);
        double busy = 1 - (second.sum(Figure.EMPTY_STEPS) - first.sum(Figure.EMPTY_STEPS)) / rounds;
        // The points beside the ends count, too: each is the share of a time that began before it.
        List<Double> shown = page.line("engine/0").between(first.time() - 1000, second.time() + 1000);
        assertThat(busy).isBetween(shown.stream().mapToDouble(each -> each).min().orElseThrow() * (1 - TOLERANCE),
                shown.stream().mapToDouble(each -> each).max().orElseThrow() * (1 + TOLERANCE));
    }

    @Test
    @Order(2)
    void levelsAndTotalsAgreeWithTheMeters() throws IOException, InterruptedException {
        Map<String, Figure> levels = Map.ofEntries(Map.entry("latency/0", Figure.MEDIAN),
                Map.entry("latency/1", Figure.PERCENTILE_99), Map.entry("latency/2", Figure.LONGEST),
                Map.entry("in-flight/0", Figure.IN_FLIGHT), Map.entry("in-flight/1", Figure.WAITING),
                Map.entry("connections/0", Figure.CONNECTIONS), Map.entry("connections/2", Figure.LINKS),
                Map.entry("credits/0", Figure.CREDITS), Map.entry("credits/1", Figure.CREDIT_WAITERS),
                Map.entry("memory/0", Figure.LEASED), Map.entry("memory/1", Figure.SLABS),
                Map.entry("memory/2", Figure.MAPPED));
        Set<Figure> agreed = new HashSet<>();
        page().awaitState("connected");
        // A level may move between two samples of the page, so it gets several chances to be read within a step.
        await().atMost(LIMIT).pollInterval(POLL).untilAsserted(() -> {
            Scrape now = scrape();
            page.awaitSampleAfter(now.time() + 1);
            levels.forEach((line, figure) -> {
                List<Double> around = page.line(line).around(now.time());
                if (isWithin(now.sum(figure), around)) {
                    agreed.add(figure);
                }
            });
            assertThat(agreed).containsExactlyInAnyOrderElementsOf(levels.values());
        });

        Map<Figure, Double> before = page.totals();
        Scrape between = scrape();
        page.awaitSampleAfter(between.time());
        Map<Figure, Double> after = page.totals();
        assertThat(before).hasSizeGreaterThan(5).allSatisfy((figure, value) -> assertThat(between.sum(figure))
                .as(figure::name).isBetween(value, after.get(figure)));
        assertThat(before.get(Figure.LOST)).isZero();
        assertThat(page.tilesThatSayOtherThanTheirValue()).isEmpty();
    }

    private static boolean isWithin(double value, List<Double> around) {
        double low = around.stream().mapToDouble(each -> each).min().orElse(Double.NaN);
        double high = around.stream().mapToDouble(each -> each).max().orElse(Double.NaN);
        return low * (1 - TOLERANCE) <= value && value <= high * (1 + TOLERANCE);
    }

    @Test
    @Order(3)
    void pageIsReadableInBothThemesAndWidths() throws IOException {
        page().awaitState("connected");
        for (int width : new int[] {1280, 390}) {
            for (String theme : List.of("light", "dark")) {
                page.show(width, theme);

                assertThat(page.theme()).isEqualTo(theme);
                assertThat(page.faultsOfLayout(width)).as("%s at %d px", theme, width).isEmpty();
                page.screenshot("connected-" + theme + "-" + width);
            }
        }
        page.clickTheme();
        assertThat(page.theme()).isEqualTo("light");
        page.clickTheme();
        assertThat(page.theme()).isEqualTo("dark");
        assertThat(page.addresses()).isNotEmpty()
                .allSatisfy(address -> assertThat(address).startsWith(program.said(DashboardCommand.PAGE)));
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    @Order(4)
    void noAlertFiresWhileAllIsWell() {
        prometheus().awaitScrapes(2);

        assertThat(program.peer().isAlive()).isTrue();
        assertThat(firing()).isEmpty();
    }

    private static List<String> firing() {
        return prometheus.alerts().stream().filter(alert -> alert.get("state").asString().equals("firing"))
                .map(alert -> alert.get("labels").get("severity").asString() + " "
                        + alert.get("labels").get("alertname").asString()).toList();
    }

    @Test
    @Order(5)
    void deathOfThePeerShowsWithinTwoSeconds() throws IOException {
        page().awaitState("connected");
        ProcessHandle peer = program.peer();
        await().atMost(LIMIT).pollInterval(POLL).until(() -> !peer.isAlive());
        long died = System.nanoTime();
        page.awaitState("lost");
        long noticed = System.nanoTime() - died;
        page.show(1280, "light");
        page.screenshot("lost-light-1280");
        page.show(390, "dark");
        page.screenshot("lost-dark-390");

        assertThat(Duration.ofNanos(noticed)).isLessThan(NOTICED_WITHIN);
        assertThat(page.alarm()).contains("was lost").contains("connects again by itself");
    }

    @Test
    @Order(6)
    void recoveryOfThePeerShowsWithinTwoSeconds() throws IOException, InterruptedException {
        Line listens = program.awaitLine(DashboardCommand.PEER_READY);
        page().awaitState("connected");
        long noticed = System.nanoTime() - listens.nanos();

        assertThat(Duration.ofNanos(noticed)).isLessThan(NOTICED_WITHIN);
        assertThat(page.alarm()).isEmpty();
        double requests = scrape().sum(Figure.ANSWERED);
        await().atMost(LIMIT).pollInterval(POLL).until(() -> scrape().sum(Figure.ANSWERED) > requests + 100);
        page.awaitSampleAfter(System.currentTimeMillis());
        assertThat(page.totals().get(Figure.LOST)).isPositive();
        // The calls of HTTP fail while the peer is away; nothing else may be wrong.
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    @Order(7)
    void alertsTellOfTheLossAndOfNothingWorse() {
        prometheus();
        program.awaitLine(DashboardCommand.PEER_READY);
        await().atMost(LIMIT).pollInterval(POLL).untilAsserted(() ->
                assertThat(firing()).contains("warning ReactorUcxConnectionLost"));

        assertThat(firing()).noneMatch(alert -> alert.startsWith("critical"));
    }

    @Test
    @Order(8)
    void everySeriesExistsWithTheTypeOfItsMeter() throws IOException, InterruptedException {
        prometheus().awaitScrapes(2);
        List<String> known = prometheus.valuesOf("__name__");
        Scrape now = scrape();
        List<String> wrong = new ArrayList<>();
        for (MeterDocumentation meter : Series.meters()) {
            List<String> names = Series.names(meter);
            if (!known.containsAll(names)) {
                wrong.add(meter.getName() + ": no series " + names);
            }
            String family = meter.getType() == Meter.Type.TIMER ? names.getFirst().replaceAll("_count$", "")
                    : names.getFirst();
            String type = meter.getType() == Meter.Type.GAUGE ? "gauge"
                    : meter.getType() == Meter.Type.TIMER ? "summary" : "counter";
            if (!type.equals(now.types().get(family))) {
                wrong.add(meter.getName() + ": " + now.types().get(family) + " and not " + type);
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    @Order(9)
    void everyQueryOfTheDashboardsReturnsData() {
        prometheus().awaitScrapes(2);
        List<String> empty = new ArrayList<>();
        List<String> infinite = new ArrayList<>();
        for (PanelQueries.Asked asked : PanelQueries.all("10s")) {
            List<JsonNode> found = prometheus.query(asked.expression());
            if (found.isEmpty()) {
                empty.add(asked.toString());
            } else if (!asked.mayDivideByZero() && found.stream().noneMatch(LiveDashboardTest::isFinite)) {
                infinite.add(asked + " " + found);
            }
        }

        assertThat(empty).isEmpty();
        assertThat(infinite).isEmpty();
        assertThat(prometheus.query("no_such_series")).isEmpty();
    }

    @Test
    @Order(10)
    void endOfTheServiceIsShown() throws IOException {
        page().awaitState("connected");
        List<ProcessHandle> left = program.descendants();
        program.kill();
        page.awaitState("silent");
        page.screenshot("silent-dark-390");

        assertThat(page.alarm()).startsWith("The service has sent nothing for ");
        assertThat(left).hasSize(1);
        await().atMost(LIMIT).pollInterval(POLL).until(() -> left.stream().noneMatch(ProcessHandle::isAlive));
    }

    private static boolean isFinite(JsonNode series) {
        return Double.isFinite(Double.parseDouble(series.get("value").get(1).asString().replace("Inf", "Infinity")));
    }
}
