package io.reactorucx.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MarkdownTableTest {

    private final String table = MarkdownTable.of(RunFixture.run());

    @Test
    void comparesEachCaseWithItsTarget() {
        assertThat(table.lines()).contains(
                "| am-bandwidth-64K-tcp | 4+4 | 1.50 GB/s | 2.00 GB/s | 0.75x | 0.70x – 0.80x |"
                + " fast 0.80x (190 ns, 12 turns); slow x4 0.60x (3 turns) | at least 0.95x, fast | **no** |",
                "| allocation-am |  | 0.20 B |  |  | 0.10 B – 0.30 B |  | at most 64.0 B | yes |",
                "| sweep-latency-shm-jucx-8 |  | 300 ns | 600 ns | 0.50x | 0.40x – 0.60x |  |  |  |");
    }

    @Test
    void saysWhatWasNotMeasuredAndWhy() {
        assertThat(table.lines())
                .contains("| tag-latency-tcp |  |  |  |  |  |  | at most 1.10x | not measured: a / b |");
    }

    @Test
    void saysWhatEachTakesForAMessage() {
        assertThat(table.lines()).contains("| Reactor UCX request, load 50 % | 900 ns | 20.0 k | 12.0 s |  |",
                "| JUCX tag, latency 8 | 600 ns |  |  | 96.0 B |");
        assertThat(table).doesNotContain("JUCX tag, latency 256 | ");
    }

    @Test
    void saysWhereItWasMeasured() {
        assertThat(table).startsWith("Measured on 2026-01-02: Some CPU, 2 processors, Linux 6, OpenJDK 25, UCX 1.13.1;"
                + " up to 2 rounds of 0.8 s");
    }

    @Test
    void standsBetweenItsMarksAndNowhereElse() {
        String document = "before\n" + ChartsCommand.RESULTS.begin() + "\nold\n" + ChartsCommand.RESULTS.end()
                + "\nafter\n";
        String once = ChartsCommand.RESULTS.replaced(document, "new\n");
        assertThat(once).startsWith("before\n").endsWith(ChartsCommand.RESULTS.end() + "\nafter\n").contains("\nnew\n")
                .doesNotContain("old");
        assertThat(ChartsCommand.RESULTS.replaced(once, "new\n")).isEqualTo(once);
        assertThatThrownBy(() -> ChartsCommand.RESULTS.replaced("x\n" + ChartsCommand.RESULTS.begin() + "\n", "new"))
                .hasMessageContaining(ChartsCommand.RESULTS.end());
    }

    @Test
    void standsAtTheEndOfADocumentThatHasNone() {
        String once = ChartsCommand.RESULTS.replaced("# Title\n", "first\n");
        assertThat(once).startsWith("# Title\n\n## Results\n\n" + ChartsCommand.RESULTS.begin())
                .endsWith(ChartsCommand.RESULTS.end() + "\n");
        assertThat(ChartsCommand.RESULTS.replaced(once, "second\n")).isEqualTo(once.replace("first", "second"));
    }
}
