package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One line of {@code coverage.tsv}.
 *
 * @param section text of the last {@code ##}, by default the document that mentions the name first
 * @param name the name in C
 * @param java the Java for it, types or {@code Type#member}
 * @param tests tests of the Java, {@code Type#method}
 * @param remark a remark, or why there is no Java
 */
record CoverageRow(String section, String name, List<String> java, List<String> tests, String remark) {

    private static final int CELLS = 4;

    static Map<String, CoverageRow> read(Path file) throws IOException {
        Map<String, CoverageRow> rows = new LinkedHashMap<>();
        String section = "";
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith("## ")) {
                section = line.substring("## ".length());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                String[] cells = line.split("\t", -1);
                assertThat(cells).as(line).hasSize(CELLS);
                CoverageRow row = new CoverageRow(section, cells[0], list(cells[1]), list(cells[2]), cells[3]);
                assertThat(rows.put(row.name, row)).as("another row of " + row.name).isNull();
            }
        }
        return rows;
    }

    private static List<String> list(String cell) {
        return Stream.of(cell.split(", ")).filter(part -> !part.isEmpty()).toList();
    }
}
