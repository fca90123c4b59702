package io.reactorucx.examples;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code docs/spec/coverage.md}, from the functions that are bound and the rows of {@code coverage.tsv}. */
final class CoveragePage {

    private static final Map<String, String> LIBRARIES = new TreeMap<>(
            Map.of("ucp_", "protocols", "ucs_", "services", "uct_", "transports"));

    private static final Pattern IN_C = Pattern.compile("\\b(?:uc[pts]|UC[PTS])_\\w+");

    private final CompiledClasses classes;
    private final StringBuilder text = new StringBuilder();
    private int functionsWithoutJava;
    private int namesWithoutJava;

    CoveragePage(CompiledClasses classes) {
        this.classes = classes;
    }

    String write(List<String> functions, Map<String, CoverageRow> rows) {
        LIBRARIES.forEach((prefix, title) -> {
            heading("Functions of the " + title + " (`" + prefix + "*`)", "function");
            functions.stream().filter(function -> function.startsWith(prefix))
                    .forEach(function -> function(function, rows.get(function)));
        });
        Set<String> bound = Set.copyOf(functions);
        List<CoverageRow> names = rows.values().stream().filter(row -> !bound.contains(row.name())).toList();
        for (String section : names.stream().map(CoverageRow::section).distinct().toList()) {
            heading(section, "name");
            names.stream().filter(row -> row.section().equals(section)).forEach(this::name);
        }
        return """
                # Coverage of UCX: each function, its Java and its tests

                The tables list every function of UCX that is bound, and every other name that the documents of its API
                mention, with the Java that stands for it and tests of that. The types are those of
                `io.reactorucx.core`, on which the API of applications, `io.reactorucx`, is built, and of
                `io.reactorucx.uct` beside it.

                %d functions are bound; %d of them have no Java, for the reason beside them. Of %d other names %d have
                none. The Java and the tests of a function are the nearest ones in the compiled code, two at most,
                unless `coverage.tsv` names better ones.

                `CoverageTest` writes this page by `./run test -Dcoverage.write`, from the code and from
                `examples/programs/src/test/resources/coverage.tsv`. The test fails when the page is out of date, when a
                bound function has neither a caller and a test nor a reason, when a name has no row, and when a row
                names Java or a test that does not exist.
                """.formatted(functions.size(), functionsWithoutJava, names.size(), namesWithoutJava) + text;
    }

    private void heading(String title, String first) {
        text.append("\n## ").append(title).append("\n\n| ").append(first).append(" | Java | tests |\n|---|---|---|\n");
    }

    private void function(String function, CoverageRow row) {
        if (row != null) {
            functionsWithoutJava += row.java().isEmpty() ? 1 : 0;
            line(row);
        } else {
            line(new CoverageRow("", function, classes.callersOf(function), classes.testsOf(function), ""));
        }
    }

    private void name(CoverageRow row) {
        namesWithoutJava += row.java().isEmpty() ? 1 : 0;
        line(row);
    }

    private void line(CoverageRow row) {
        String separator = row.java().isEmpty() || row.remark().isEmpty() ? "" : "; ";
        text.append("| `").append(row.name()).append("` | ").append(code(row.java())).append(separator)
                .append(IN_C.matcher(row.remark()).replaceAll("`$0`"))
                .append(" | ").append(row.tests().isEmpty() ? "-" : code(row.tests())).append(" |\n");
    }

    private static String code(List<String> members) {
        return members.stream().map(member -> "`" + member + "`").collect(Collectors.joining(", "));
    }
}
