package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks {@code docs/spec/coverage.md}: each bound function, and each name of the documents that the API has to cover,
 * has its Java and a test. Functions are found in the compiled code; all other names are in {@code coverage.tsv}, and
 * their Java and tests must exist. So must the tests that {@code docs/spec/safety.md} names.
 *
 * <p>{@code ./run test -Dcoverage.write} writes the page anew.
 */
@Tag("slow")
class CoverageTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/spec/coverage.md");
    private static final Path DOCUMENTS = ROOT.resolve("../shared/seeds");
    private static final Pattern FUNCTION = Pattern.compile("--include-function (uc[pts]_\\w+)");
    private static final Pattern NAME = Pattern.compile("\\b(?:uc[pts]|UC[PTS])_[A-Za-z0-9_]+");
    private static final Pattern TEST = Pattern.compile("`(\\w+#\\w+)`");

    private static CompiledClasses classes;

    /**
     * Not in a BeforeAll method: Surefire does not count the tests of a class that is aborted there, not even as
     * skipped.
     */
    @BeforeEach
    void readClasses() {
        List<Path> missing = CompiledClasses.missing(ROOT);
        assumeTrue(missing.isEmpty(), "build all modules, there is no " + missing);
        if (classes == null) {
            classes = CompiledClasses.of(ROOT);
        }
    }

    @AfterAll
    static void forgetClasses() {
        classes = null;
    }

    @Test
    void pageSaysWhatIsSo() throws IOException {
        String page = new CoveragePage(classes).write(functions(), rows());
        if (System.getProperty("coverage.write") != null) {
            Files.writeString(PAGE, page);
        }

        String advice = "docs/spec/coverage.md is out of date: ./run test -Dcoverage.write";
        List<String> lines = Files.readAllLines(PAGE);
        assertThat(page.lines().filter(line -> !lines.contains(line)).toList()).as(advice).isEmpty();
        assertThat(lines.equals(page.lines().toList())).as(advice).isTrue();
    }

    @Test
    void everyBoundFunctionHasACallerAndATest() throws IOException {
        List<String> missing = new ArrayList<>();
        List<String> functions = functions();
        Map<String, CoverageRow> rows = rows();
        // A remark says why a function has no Java; a row without a remark only names better Java or tests than the
        // nearest.
        functions.removeIf(function -> rows.containsKey(function) && !rows.get(function).remark().isEmpty());
        for (String function : functions) {
            if (classes.callersOf(function).isEmpty()) {
                missing.add(function + ": no caller");
            }
            if (classes.testsOf(function).isEmpty()) {
                missing.add(function + ": no test");
            }
        }

        assertThat(functions).isNotEmpty();
        assertThat(missing).isEmpty();
    }

    @Test
    void everyNameOfTheDocumentsHasARow() throws IOException {
        assumeTrue(Files.isDirectory(DOCUMENTS), "the documents are not beside the project");
        Set<String> mentioned = new TreeSet<>();
        try (Stream<Path> files = Files.list(DOCUMENTS)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".txt")).toList()) {
                mentioned.addAll(NAME.matcher(Files.readString(file)).results().map(MatchResult::group).toList());
            }
        }
        Set<String> known = new TreeSet<>(functions());
        known.addAll(rows().keySet());
        Set<String> wanted = new TreeSet<>(functions());
        wanted.addAll(mentioned);

        assertThat(mentioned).isNotEmpty();
        assertThat(wanted).as("names without a row").filteredOn(name -> !known.contains(name)).isEmpty();
        assertThat(known).as("rows of names that no document mentions")
                .filteredOn(name -> !wanted.contains(name)).isEmpty();
    }

    @Test
    void everyRowLeadsToSomethingThatExists() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (CoverageRow row : rows().values()) {
            if (row.java().isEmpty() && row.remark().isEmpty()) {
                wrong.add(row.name() + ": neither Java nor a reason");
            }
            if (!row.java().isEmpty() && row.tests().isEmpty() && !row.remark().startsWith("needs hardware: ")) {
                wrong.add(row.name() + ": no test");
            }
            row.java().stream().filter(name -> !classes.has(name)).forEach(name ->
                    wrong.add(row.name() + ": there is no " + name));
            row.tests().stream().filter(name -> !classes.hasTest(name)).forEach(name ->
                    wrong.add(row.name() + ": no test is " + name));
        }

        assertThat(wrong).isEmpty();
    }

    /** Each line of the tables on that page ends with the tests in which the API refuses the call. */
    @Test
    void everyTestThatTheSafetyPageNamesExists() throws IOException {
        List<String> wrong = new ArrayList<>();
        List<String> lines = Files.readAllLines(ROOT.resolve("docs/spec/safety.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| what ")).toList();
        for (String line : lines) {
            List<String> tests = TEST.matcher(line.substring(line.lastIndexOf(" | "))).results()
                    .map(match -> match.group(1)).toList();
            if (tests.isEmpty()) {
                wrong.add("no test: " + line);
            }
            tests.stream().filter(name -> !classes.hasTest(name)).forEach(name -> wrong.add("no test is " + name));
        }

        assertThat(lines).isNotEmpty();
        assertThat(wrong).isEmpty();
    }

    private static List<String> functions() throws IOException {
        String whitelist = Files.readString(ROOT.resolve("core/src/main/jextract/ucx.conf"));
        return FUNCTION.matcher(whitelist).results().map(match -> match.group(1)).sorted().distinct()
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static Map<String, CoverageRow> rows() throws IOException {
        return CoverageRow.read(ROOT.resolve("examples/programs/src/test/resources/coverage.tsv"));
    }
}
