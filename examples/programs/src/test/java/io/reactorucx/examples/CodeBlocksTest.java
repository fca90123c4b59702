package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every block of Java in the README and under {@code docs} is cut from a file that the build compiles.
 *
 * <p>Above a block stands {@code <!-- code: PATH -->} for a whole file, or {@code <!-- code: PATH#NAME -->} for the
 * lines between {@code // snippet: NAME} and {@code // end} in it. The text has to be the same, apart from the
 * indentation that all lines share.
 */
@Tag("slow")
class CodeBlocksTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern FENCE = Pattern.compile("^( *)```(.*)$");
    private static final Pattern SOURCE = Pattern.compile("<!-- code: (\\S+?)(#(\\S+))? -->");
    private static final Set<String> LANGUAGES = Set.of("java", "xml", "shell", "text", "c", "mermaid");

    /** A fenced block and the line above it. */
    private record Block(Path page, int line, String above, String language, String text) {

        String where() {
            return ROOT.relativize(page) + ":" + line;
        }
    }

    @Test
    void everyBlockOfJavaIsCutFromACompiledFile() throws IOException {
        List<String> faults = new ArrayList<>();
        int compared = 0;
        for (Path page : pages()) {
            for (Block block : blocks(page, Files.readAllLines(page))) {
                if (block.language().equals("java")) {
                    compared++;
                    fault(block).ifPresent(faults::add);
                }
            }
        }

        assertThat(faults).isEmpty();
        assertThat(compared).isGreaterThan(20);
    }

    @Test
    void everyBlockNamesItsLanguage() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path page : pages()) {
            for (Block block : blocks(page, Files.readAllLines(page))) {
                if (!LANGUAGES.contains(block.language())) {
                    faults.add(block.where() + ": '" + block.language() + "'");
                }
            }
        }

        assertThat(faults).as("blocks whose language is none of " + LANGUAGES).isEmpty();
    }

    /** The other way round: a snippet that no page shows is code that nobody reads. */
    @Test
    void everySnippetIsShown() throws IOException {
        Set<String> shown = new HashSet<>();
        for (Path page : pages()) {
            SOURCE.matcher(Files.readString(page)).results()
                    .map(source -> source.group(1) + "#" + source.group(3)).forEach(shown::add);
        }
        List<String> marked = new ArrayList<>();
        for (String sources : List.of("examples/programs/src", "examples/boot/src", "spring-boot/autoconfigure/src",
                "examples/store/src")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(sources))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    Pattern.compile("^ *// snippet: (\\S+)$", Pattern.MULTILINE).matcher(Files.readString(file))
                            .results().map(start -> ROOT.relativize(file) + "#" + start.group(1)).forEach(marked::add);
                }
            }
        }

        assertThat(marked).isNotEmpty().allSatisfy(snippet -> assertThat(shown).contains(snippet));
    }

    @Test
    void findsBlocksThatDiffer() {
        String source = "examples/programs/src/main/java/greeter/GreeterClient.java";

        assertThat(fault(block("", "int a;"))).hasValueSatisfying(fault -> assertThat(fault).contains("no <!-- code"));
        assertThat(fault(block("<!-- code: " + source + " -->", "int a;")))
                .hasValueSatisfying(fault -> assertThat(fault).contains("differs from"));
        assertThat(fault(block("<!-- code: README.md -->", "int a;")))
                .hasValueSatisfying(fault -> assertThat(fault).contains("compiled"));
        assertThat(fault(block("<!-- code: " + source + "#none -->", "int a;")))
                .hasValueSatisfying(fault -> assertThat(fault).contains("no snippet"));
        assertThatThrownBy(() -> blocks(ROOT, List.of("```java", "int a;"))).hasMessageContaining("never ends");
    }

    private static Block block(String above, String text) {
        return new Block(ROOT.resolve("page.md"), 1, above, "java", text);
    }

    private static Optional<String> fault(Block block) {
        MatchResult source = SOURCE.matcher(block.above()).results().findFirst().orElse(null);
        if (source == null) {
            return Optional.of(block.where() + ": no <!-- code: PATH#NAME --> stands above the block");
        }
        String path = source.group(1);
        if (!path.matches("(examples/(programs|boot|store)|spring-boot/autoconfigure)"
                + "/src/(main|test)/java/.+\\.java")
                && !path.equals(GreeterTest.MODULE_INFO)) {
            return Optional.of(block.where() + ": " + path + " is not compiled");
        }
        try {
            String expected = cut(Files.readAllLines(ROOT.resolve(path)), source.group(3));
            return expected.equals(block.text()) ? Optional.empty()
                    : Optional.of(block.where() + ": differs from " + source.group() + ", which is now\n" + expected);
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of(block.where() + ": " + source.group() + ": " + e);
        }
    }

    private static String cut(List<String> lines, String name) {
        if (name == null) {
            return text(lines);
        }
        int start = lines.stream().map(String::strip).toList().indexOf("// snippet: " + name);
        if (start < 0) {
            throw new IllegalArgumentException("no snippet '" + name + "'");
        }
        List<String> rest = lines.subList(start + 1, lines.size());
        int end = rest.stream().map(String::strip).toList().indexOf("// end");
        if (end < 0) {
            throw new IllegalArgumentException("no end of snippet '" + name + "'");
        }
        return text(rest.subList(0, end));
    }

    private static String text(List<String> lines) {
        return String.join("\n", lines).stripIndent();
    }

    private static List<Block> blocks(Path page, List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            MatchResult fence = FENCE.matcher(lines.get(i)).results().findFirst().orElse(null);
            if (fence != null) {
                int start = i++;
                while (i < lines.size() && !lines.get(i).equals(fence.group(1) + "```")) {
                    i++;
                }
                if (i == lines.size()) {
                    throw new AssertionError(page + ":" + (start + 1) + ": the block never ends");
                }
                blocks.add(new Block(page, start + 1, start == 0 ? "" : lines.get(start - 1), fence.group(2).strip(),
                        text(lines.subList(start + 1, i))));
            }
        }
        return blocks;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
                    docs.filter(file -> file.toString().endsWith(".md")).sorted()).toList();
        }
    }
}
