package io.reactorucx.examples.dashboard.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The rules of {@code docs/guide/dashboards}, and their tests, which promtool runs. */
@Tag("slow")
class RulesTest {

    private static final Path FOLDER = Path.of("..", "..", "docs", "guide", "dashboards");
    private static final String RULES = "reactor-ucx-rules.yml";
    private static final String TESTS = "reactor-ucx-rules-test.yml";
    private static final long LIMIT_SECONDS = TestTime.seconds(60).toSeconds();

    @TempDir
    private Path copy;

    private record Ended(int exitCode, String output) {
    }

    private Ended promtool(Path directory, String... arguments) throws IOException, InterruptedException {
        assumeTrue(Prometheus.isInstalled(), "promtool is not installed (Debian's package prometheus)");
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path output = copy.resolve("output.txt");
        Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("%s ended", command).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    @Test
    void eachAlertFiresForWhatItIsForAndIsQuietInNormalOperation() throws IOException, InterruptedException {
        Ended checked = promtool(FOLDER, "check", "rules", RULES);
        Ended tested = promtool(FOLDER, "test", "rules", TESTS);

        assertThat(checked.exitCode()).as(checked.output()).isZero();
        assertThat(tested.exitCode()).as(tested.output()).isZero();
    }

    /** promtool has to notice an alert that does not fire any more, and one that fires in normal operation. */
    @Test
    void testsFindAlertsThatAreWrong() throws IOException, InterruptedException {
        Files.copy(FOLDER.resolve(TESTS), copy.resolve(TESTS));
        String rules = Files.readString(FOLDER.resolve(RULES));

        Files.writeString(copy.resolve(RULES), rules.replace("reactor_ucx_requests_waiting_requests", "no_such_name"));
        Ended deaf = promtool(copy, "test", "rules", TESTS);
        Files.writeString(copy.resolve(RULES), rules.replace("> 0.25", "> 0.001"));
        Ended shy = promtool(copy, "test", "rules", TESTS);

        assertThat(deaf.exitCode()).isNotZero();
        assertThat(deaf.output()).contains("alertname: ReactorUcxRequestsWait");
        assertThat(shy.exitCode()).isNotZero();
        assertThat(shy.output()).contains("alertname: ReactorUcxRequestsSlow");
    }

    @Test
    void eachAlertHasATestInWhichItFiresAndOneInWhichItDoesNot() throws IOException {
        Set<String> fired = new TreeSet<>();
        Set<String> quiet = new TreeSet<>();
        for (Map<String, ?> test : maps(yaml(TESTS), "tests")) {
            for (Map<String, ?> expected : maps(test, "alert_rule_test")) {
                (maps(expected, "exp_alerts").isEmpty() ? quiet : fired).add((String) expected.get("alertname"));
            }
        }

        List<String> alerts = rules().stream().filter(rule -> rule.containsKey("alert"))
                .map(rule -> (String) rule.get("alert")).toList();
        assertThat(alerts).hasSizeGreaterThan(20).doesNotHaveDuplicates();
        assertThat(fired).containsExactlyInAnyOrderElementsOf(alerts);
        assertThat(quiet).containsExactlyInAnyOrderElementsOf(alerts);
    }

    @Test
    void rulesNameDocumentedSeriesOrRecords() throws IOException {
        Set<String> known = new TreeSet<>();
        Series.meters().forEach(meter -> known.addAll(Series.names(meter)));
        rules().stream().filter(rule -> rule.containsKey("record"))
                .forEach(rule -> known.add((String) rule.get("record")));

        assertThat(rules().stream().map(rule -> (String) rule.get("expr"))).isNotEmpty().allSatisfy(expression ->
                assertThat(PromQl.series(expression)).isNotEmpty().isSubsetOf(known));
    }

    @Test
    void eachAlertSaysHowBadItIsAndWhatToDo() throws IOException {
        assertThat(rules().stream().filter(rule -> rule.containsKey("alert"))).isNotEmpty().allSatisfy(rule -> {
            assertThat(map(rule, "labels").get("severity")).isIn("info", "warning", "critical");
            assertThat(map(rule, "annotations")).containsOnlyKeys("summary", "description");
        });
    }

    private static Map<String, ?> yaml(String file) throws IOException {
        return new Yaml().load(Files.readString(FOLDER.resolve(file)));
    }

    private static List<Map<String, ?>> rules() throws IOException {
        return maps(yaml(RULES), "groups").stream().flatMap(group -> maps(group, "rules").stream()).toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Map<String, ?> map, String key) {
        return (Map<String, Object>) map.get(key);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, ?>> maps(Map<String, ?> map, String key) {
        return Stream.ofNullable((List<Map<String, ?>>) map.get(key)).flatMap(List::stream).toList();
    }
}
