package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the README and the pages under {@code docs} promise of files and code. */
@ExtendWith(NoLeaks.class)
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#L(\\d+))?\\)");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final int MOST_FILES_OF_THE_WALK = 6;

    @Test
    void readmeShowsTheQuickStartAsItIs() throws IOException {
        String source = Files.readString(ROOT.resolve("examples/src/main/java/io/reactorucx/examples/QuickStart.java"));
        String body = source.split("// README")[1];
        List<MatchResult> shown = JAVA.matcher(Files.readString(ROOT.resolve("README.md"))).results().toList();

        assertThat(shown).hasSize(1);
        assertThat(withoutIndent(shown.getFirst().group(1))).isEqualTo(withoutIndent(body));
    }

    private static String withoutIndent(String code) {
        return code.lines().map(String::strip).filter(line -> !line.isEmpty())
                .reduce("", (all, line) -> all + line + "\n");
    }

    @Test
    void everyLinkLeadsToAFile() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (MatchResult link : LINK.matcher(Files.readString(page)).results().toList()) {
                links++;
                if (!Files.exists(page.resolveSibling(link.group(1)).normalize())) {
                    broken.add(page + " -> " + link.group(1));
                }
            }
        }

        assertThat(broken).isEmpty();
        assertThat(links).isPositive();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
                    docs.filter(file -> file.toString().endsWith(".md"))).toList();
        }
    }

    /** The walk names methods beside their files: each has to be there, and the files have to be few. */
    @Test
    void walkOfOneMessageNamesMethodsThatExistInAtMostSixFiles() throws IOException {
        Path page = ROOT.resolve("docs/architecture.md");
        String walk = Files.readString(page).split("<!-- walk -->")[1];
        Pattern step = Pattern.compile("\\[`(\\w+)\\.(\\w+)`]\\(([^)]+)\\)");
        List<MatchResult> steps = step.matcher(walk).results().toList();
        List<String> missing = new ArrayList<>();
        for (MatchResult each : steps) {
            String source = Files.readString(page.resolveSibling(each.group(3)).normalize());
            if (!Pattern.compile("[ .]" + each.group(2) + "\\(").matcher(source).find()) {
                missing.add(each.group());
            }
        }

        assertThat(missing).isEmpty();
        assertThat(steps).hasSizeGreaterThan(MOST_FILES_OF_THE_WALK);
        assertThat(steps.stream().map(each -> each.group(3)).distinct().count())
                .isLessThanOrEqualTo(MOST_FILES_OF_THE_WALK);
    }

    @Test
    void quickStartGreets() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        assertThat(QuickStart.run()).isEqualTo("Hello UCX");
    }
}
