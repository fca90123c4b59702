package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table in {@code docs/guide/spring.md} is that of the metadata; {@code -Dproperties.write} writes it anew. */
class PropertiesTableTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "guide", "spring.md");
    private static final String START = "<!-- properties -->\n";
    private static final String END = "<!-- end of properties -->\n";
    /** A quoted name. An apostrophe has a letter before it. */
    private static final Pattern QUOTED = Pattern.compile("(?<!\\p{L})'([^']+)'");

    @Test
    void thePageHasAllProperties() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(START) + START.length();
        int end = page.indexOf(END);
        assertThat(start).isGreaterThan(START.length());
        assertThat(end).isGreaterThanOrEqualTo(start);
        String table = table(Metadata.properties());
        if (System.getProperty("properties.write") != null) {
            Files.writeString(PAGE, page.substring(0, start) + table + page.substring(end));
            return;
        }

        assertThat(page.substring(start, end)).isEqualTo(table);
    }

    private static String table(List<Metadata.Property> properties) {
        return "| property | default | meaning |\n|---|---|---|\n" + properties.stream().map(each ->
                "| `" + each.name() + "` | " + (each.value().isEmpty() ? "" : "`" + each.value() + "`") + " | "
                        + QUOTED.matcher(each.description()).replaceAll("`$1`").replace("|", "\\|") + " |\n")
                .collect(Collectors.joining());
    }

    @Test
    void anApostropheStaysOne() throws IOException {
        assertThat(table(Metadata.properties())).contains("UCX's transports, such as `shm` or `tcp`")
                .doesNotContainPattern("\\p{L}`\\p{L}");
    }

    /** Spring Boot's conventions: editors show the first sentence. */
    @Test
    void everyPropertyIsDescribed() throws IOException {
        assertThat(Metadata.properties()).hasSizeGreaterThan(50).allSatisfy(property -> {
            assertThat(property.description()).as(property.name()).isNotEmpty().endsWith(".").doesNotStartWith("The ");
            assertThat(property.name()).startsWith("reactor.ucx.");
        });
    }
}
