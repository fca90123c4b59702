package io.reactorucx.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.StringReader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ChartsTest {

    private static final int MAX_BYTES = 100 << 10;

    private static Map<String, Map<Double, Double>> lines(int count) {
        Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();
        for (int line = 1; line <= count; line++) {
            lines.put("line " + line, new TreeMap<>(Map.of(8.0, 0.5 * line, 256.0, 3.0 * line, 1048576.0,
                    4000.0 * line)));
        }
        return lines;
    }

    private static Document parse(String svg) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    /** Colours of lines, in the order in which they appear. */
    private static List<String> strokes(Document svg) {
        NodeList paths = svg.getElementsByTagName("*");
        return IntStream.range(0, paths.getLength()).mapToObj(index -> ((Element) paths.item(index))
                .getAttribute("style")).flatMap(style -> Arrays.stream(style.split(";")))
                .filter(style -> style.startsWith("stroke:rgb")).distinct().toList();
    }

    @Test
    void drawsAsManyLinesAsThereAre() throws Exception {
        assumeTrue(SvgChart.hasFonts(), "no fonts on this machine");
        List<String> three = strokes(parse(SvgChart.draw(ChartKind.LATENCY_SHM, lines(3))));
        List<String> five = strokes(parse(SvgChart.draw(ChartKind.LATENCY_SHM, lines(5))));
        assertThat(three).contains("stroke:rgb(0,114,178)", "stroke:rgb(213,94,0)", "stroke:rgb(0,158,115)");
        assertThat(five).hasSize(three.size() + 2).containsAll(three);
    }

    @Test
    void drawsTheSameForTheSameAndLittleOfIt() throws Exception {
        assumeTrue(SvgChart.hasFonts(), "no fonts on this machine");
        for (ChartKind kind : ChartKind.values()) {
            String svg = SvgChart.draw(kind, lines(6));
            assertThat(svg).isEqualTo(SvgChart.draw(kind, lines(6)));
            assertThat(svg.length()).isLessThan(MAX_BYTES);
            assertThat(parse(svg).getDocumentElement().getTagName()).isEqualTo("svg");
        }
    }

    @Test
    void hasALineForEachContenderWithItsMedians() {
        Map<String, Map<Double, Double>> latency = ChartKind.LATENCY_SHM.lines(RunFixture.run());
        assertThat(latency).containsOnlyKeys("Reactor UCX tag", "JUCX tag");
        assertThat(latency.get("Reactor UCX tag")).containsExactly(entry(8.0, 0.6), entry(256.0, 0.8));
        assertThat(latency.get("JUCX tag")).containsExactly(entry(8.0, 1.2));
        assertThat(ChartKind.BANDWIDTH_SHM.lines(RunFixture.run())).isEmpty();
    }

    @Test
    void placesLoadsByTheirRate() {
        assertThat(ChartKind.LOAD.lines(RunFixture.run())).containsExactly(entry("Reactor UCX request",
                Map.of(20_000.0, 4.0)));
        assertThat(ChartKind.CPU.lines(RunFixture.run())).containsExactly(entry("Reactor UCX request",
                Map.of(20_000.0, 12.0)));
    }
}
