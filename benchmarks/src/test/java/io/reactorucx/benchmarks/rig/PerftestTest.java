package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.rig.cases.Perftest;
import java.util.List;
import org.junit.jupiter.api.Test;

class PerftestTest {

    private static final String HEAD =
            "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr";

    @Test
    void readsALatency() {
        JsonObject figures = new Perftest("ucp_am_lat", 8, 1, false, 1000)
                .figures(List.of(HEAD, "100000,0.472,0.5,0.51,1.37,0.21,180024,27267"));
        assertThat(figures.get("p50_ns").getAsDouble()).isEqualTo(472);
        assertThat(figures.get("one_way").getAsBoolean()).isTrue();
        assertThat(figures.get("messages_per_second").getAsDouble()).isEqualTo(13633.5);
        assertThat(figures.get("operations").getAsDouble()).isEqualTo(100_000);
    }

    @Test
    void takesBytesFromTheRateSinceItsMegabytesAreOthers() {
        JsonObject figures = new Perftest("tag_bw", 1 << 20, 32, true, 1000)
                .figures(List.of("a line before", HEAD, "4000,0.0,0.0,0.0,4000.0,4000.0,4000,4000"));
        assertThat(figures.get("bytes_per_second").getAsDouble()).isEqualTo(4000.0 * (1 << 20));
        assertThat(figures.has("p50_ns")).isFalse();
    }

    @Test
    void saysWhatItPrintedInsteadOfFigures() {
        Perftest perftest = new Perftest("ucp_am_lat", 8, 1, false, 1000);
        assertThatThrownBy(() -> perftest.figures(List.of("Invalid argument")))
                .hasMessageContaining("Invalid argument");
        assertThatThrownBy(() -> perftest.figures(List.of("iterations,other", "1,2")))
                .hasMessageContaining("no 50.0_percentile_lat");
    }

    @Test
    void countsWhatItDoesInTheTime() {
        Perftest perftest = new Perftest("ucp_am_bw", 65536, 32, false, 1000);
        assertThat(perftest.arguments(7, Perftest.count(0.05, 10_000), Perftest.count(2, 1000)))
                .containsSubsequence("-p", "7", "-w", "500", "-n", "2000").containsSubsequence("-O", "32")
                .doesNotContain("-e");
        assertThat(Perftest.count(0, 1000)).isEqualTo(100);
    }

    @Test
    void failureDetectionIsAskedForAndNamed() {
        Perftest perftest = new Perftest("tag_bw", 8, 32, true, 1000).withPeerErrors();

        assertThat(perftest.arguments(7, 5, 2)).contains("-e");
        assertThat(perftest.figures(List.of("iterations,overall_mr", "10,20")).get("error_mode").getAsString())
                .isEqualTo("peer");
    }

    @Test
    void readsALineOfEachSecond() {
        Perftest.Report report = Perftest.Report.of(7, "[thread 0]696471,0.766,0.718,0.718,10.62,10.62,1392587,1392587")
                .orElseThrow();
        assertThat(report.iterations()).isEqualTo(696_471);
        assertThat(report.medianNanos()).isEqualTo(766);
        assertThat(report.nanos()).isEqualTo(7);
        assertThat(Perftest.Report.of(0, "12,0.5,1")).isPresent();
        assertThat(Perftest.Report.of(0, HEAD)).isEmpty();
    }
}
