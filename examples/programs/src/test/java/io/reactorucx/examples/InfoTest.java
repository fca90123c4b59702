package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code info} as a user starts it, in a process of its own because it examines the whole process. */
@Tag("slow")
class InfoTest {

    @TempDir
    private Path empty;

    private static ChildJvm.Builder info(String... arguments) {
        return ChildJvm.of(Main.class).arguments("info").arguments(arguments).environment("UCX_LOG_LEVEL", "fatal");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> object, String name) {
        return (List<Map<String, Object>>) object.get(name);
    }

    private static Map<String, Object> finding(Map<String, Object> report, String check) {
        return list(report, "findings").stream().filter(each -> each.get("check").equals(check)).findFirst()
                .orElseThrow();
    }

    /** The shape that docs/spec/info.md describes. */
    @Test
    void writesJsonOfTheDocumentedShape() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        ChildJvm.Result result = info("--json").run();

        Map<String, Object> report = JsonReader.readObject(result.output());
        assertThat(report).containsOnlyKeys("schema", "project", "java", "ucx", "components", "findings", "worst");
        assertThat(report.get("project").toString()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(report).extracting("java").asInstanceOf(MAP).containsOnlyKeys("version", "vm", "os", "osVersion",
                "arch").containsEntry("version", Runtime.version().toString());
        assertThat(report).extracting("ucx").asInstanceOf(MAP).containsOnlyKeys("available", "version", "headers",
                "library", "threadMode").containsEntry("version", Ucx.version().toString());
        assertThat(list(report, "components")).isNotEmpty().allSatisfy(component -> {
            assertThat(component).containsOnlyKeys("name", "memoryDomains");
            assertThat(list(component, "memoryDomains")).allSatisfy(domain -> {
                assertThat(domain).containsOnlyKeys("name", "problem", "flags", "registrableMemoryTypes",
                        "registrationCost", "packedKeyBytes", "localCpus", "transports");
                assertThat(list(domain, "transports")).allSatisfy(transport -> assertThat(transport)
                        .containsOnlyKeys("name", "device", "type"));
            });
        });
        assertThat(list(report, "findings")).isNotEmpty().allSatisfy(finding -> {
            assertThat(finding).containsOnlyKeys("check", "severity", "measured", "meaning", "remedy");
            assertThat(finding.get("severity")).isIn("ok", "note", "warning", "error");
        });
        assertThat(finding(report, "signal-handlers")).containsEntry("severity", "ok");
        assertThat(finding(report, "listening-ports")).containsEntry("severity", "ok").extracting("measured").asString()
                .contains("no port for peers of this host");
        String page = Files.readString(Path.of("..", "..", "docs", "spec", "info.md"));
        assertThat(list(report, "findings")).allSatisfy(finding -> assertThat(page)
                .contains("| `" + finding.get("check") + "` |"));
        assertThat(result.exitCode()).isEqualTo(report.get("worst").equals("error") ? 1 : 0);
    }

    @Test
    void explainsThatUcxIsMissing() {
        ChildJvm.Result result = info("--json").options("-Dio.reactorucx.library.path=" + empty).run();

        Map<String, Object> report = JsonReader.readObject(result.output());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(report).containsEntry("worst", "error").containsEntry("components", List.of());
        assertThat(report).extracting("ucx").asInstanceOf(MAP)
                .containsEntry("available", false).containsOnlyKeys("available", "headers", "problem");
        assertThat(finding(report, "ucx-library")).containsEntry("severity", "error");
        assertThat(finding(report, "ucx-library").get("measured").toString()).contains(empty.toString());
        assertThat(finding(report, "ucx-library").get("remedy").toString()).isNotEmpty();
    }

    @Test
    void explainsInTextWithoutAStackTrace() {
        ChildJvm.Result result = info().options("-Dio.reactorucx.library.path=" + empty).run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output()).contains("UCX          not available", "  error    ucx-library ", "Errors: 1")
                .doesNotContain("\tat ");
    }

    /** A word that is wider than its column, such as a path, may stick out. */
    @Test
    void textFitsIntoEightyColumns() {
        ChildJvm.Result result = info().run();

        assertThat(result.output().lines()).hasSizeGreaterThan(10)
                .allMatch(line -> line.matches(".{0,80}|.{0,36}\\S+"));
    }

    @Test
    void seesTheEnvironmentOfTheProcess() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        ChildJvm.Result result = info("--json").environment("UCX_TLZ", "tcp").environment("LC_ALL", "de_DE.UTF-8")
                .environment("UCX_HANDLE_ERRORS", "bt").run();

        Map<String, Object> report = JsonReader.readObject(result.output());
        assertThat(finding(report, "unknown-variables")).containsEntry("measured", "UCX_TLZ=tcp");
        assertThat(finding(report, "decimal-point")).containsEntry("severity", "note");
        assertThat(list(report, "findings")).anySatisfy(finding -> assertThat(finding)
                .containsEntry("measured", "UCX_HANDLE_ERRORS=bt"));
        assertThat(finding(report, "signal-handlers")).containsEntry("severity", "ok");
    }

    @Test
    void seesAUcxThatWasThereBefore() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        Path libucs = Ucx.libraryPath().orElseThrow().resolveSibling("libucs.so.0");
        assumeTrue(Files.exists(libucs), "libucs.so.0 does not stand beside libucp");

        ChildJvm.Result result = info().environment("LD_PRELOAD", libucs.toString()).run();

        assertThat(result.output()).contains("  warning  loaded-before ", "  warning  preloads ",
                "  ok       signal-handlers ");
    }

    @Test
    void explainsThatNativeAccessIsDenied() {
        ChildJvm.Result result = info().withoutNativeAccess().options("--illegal-native-access=deny").run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output()).contains("--enable-native-access=ALL-UNNAMED").doesNotContain("\tat ");
    }
}
