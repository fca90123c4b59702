package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the pages at the root and under {@code docs} promise of files and code. */
class DocumentationTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final List<String> AT_THE_ROOT = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md",
            "SECURITY.md");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]*)(#([^)]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
    private static final Pattern ONE_LINK = Pattern.compile(" *(\\d+\\. )?\\(?\\[[^\\s\\]]+]\\(\\S+\\)\\S{0,3}");
    private static final int MAX_COLUMNS = 120;
    private static final Pattern WALK = Pattern.compile(
            "<!-- walk of at most (\\d+) files: [a-z ]+ -->\n(.*?)<!-- end of walk -->", Pattern.DOTALL);
    private static final Pattern STEP = Pattern.compile("\\[`(\\w+)\\.(\\w+)`]\\(([^)]+)\\)");
    private static final int WALKS = 6;
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)`");
    /** A test of RSocket-Java, which its transports have to pass. */
    private static final String OF_RSOCKET = "TransportTest";

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (MatchResult link : LINK.matcher(Files.readString(page)).results().toList()) {
                links++;
                Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target) || link.group(3) != null && !anchors(target).contains(link.group(3))) {
                    broken.add(page + " -> " + link.group());
                }
            }
        }

        assertThat(broken).isEmpty();
        assertThat(links).isPositive();
    }

    /** Tables, results of benchmarks and lines of one link may be wider. */
    @Test
    void proseHasAtMost120Columns() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path page : pages()) {
            boolean results = false;
            int number = 0;
            for (String line : Files.readAllLines(page)) {
                number++;
                results = results ? !line.startsWith("<!-- /")
                        : line.startsWith("<!-- bench:") || line.startsWith("<!-- charts:");
                if (line.length() > MAX_COLUMNS && !results && !line.startsWith("|") && !line.startsWith("<!--")
                        && !ONE_LINK.matcher(line).matches()) {
                    wide.add(ROOT.relativize(page) + ":" + number);
                }
            }
            assertThat(results).as("results without an end in " + page).isFalse();
        }

        assertThat(wide).isEmpty();
    }

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        Set<String> classes;
        try (Stream<Path> files = Files.walk(ROOT)) {
            classes = files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith("Test.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length())).collect(Collectors.toSet());
        }
        List<String> named = new ArrayList<>();
        for (Path page : pages()) {
            TEST.matcher(Files.readString(page)).results().map(test -> test.group(1)).forEach(named::add);
        }

        assertThat(named).hasSizeGreaterThan(100).filteredOn(name -> !classes.contains(name)
                && !name.equals(OF_RSOCKET)).isEmpty();
    }

    /** The names that a browser of the repository gives to the headings of a page. */
    private static Set<String> anchors(Path page) throws IOException {
        return HEADING.matcher(Files.readString(page)).results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(AT_THE_ROOT.stream().map(ROOT::resolve),
                    docs.filter(file -> file.toString().endsWith(".md"))).toList();
        }
    }

    /** A walk names methods beside their files: each has to be there, and the files have to be few. */
    @Test
    void walksNameMethodsThatExistInFewFiles() throws IOException {
        Path page = ROOT.resolve("docs/spec/architecture.md");
        List<MatchResult> walks = WALK.matcher(Files.readString(page)).results().toList();
        List<String> missing = new ArrayList<>();
        for (MatchResult walk : walks) {
            List<MatchResult> steps = STEP.matcher(walk.group(2)).results().toList();
            for (MatchResult step : steps) {
                String source = Files.readString(page.resolveSibling(step.group(3)).normalize());
                if (!Pattern.compile("[ .]" + step.group(2) + "\\(").matcher(source).find()) {
                    missing.add(step.group());
                }
            }
            int maxFiles = Integer.parseInt(walk.group(1));
            assertThat(steps.stream().map(step -> step.group(3)).distinct().count()).as(walk.group())
                    .isBetween(maxFiles / 2L, (long) maxFiles);
        }

        assertThat(missing).isEmpty();
        assertThat(walks).as("an active message, a message out, a message in, a request, a write, a get")
                .hasSize(WALKS);
    }
}
