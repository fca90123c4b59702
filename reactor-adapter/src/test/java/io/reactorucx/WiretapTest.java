package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.connection.WiretapFormat;
import io.reactorucx.core.Ucx;
import io.reactorucx.internal.config.Wiretap;
import io.reactorucx.testsupport.ChildJvm;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** What wiretaps write to the log. */
class WiretapTest {

    private static String output = "";

    @BeforeAll
    static void run() {
        if (Ucx.isAvailable()) {
            ChildJvm.Result result = ChildJvm.of(WiretappedProgram.class).run();
            output = result.output();
            assertThat(result.exitCode()).as(output).isZero();
        }
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    /** The lines of a logger, each without what the logger puts in front. */
    private static List<String> lines(String category) {
        return Arrays.stream(output.split("\n")).filter(line -> line.contains(category + " - "))
                .map(line -> line.substring(line.indexOf(" - ") + 3)).toList();
    }

    @Test
    void linesBeginWithTheIdAndThePeer() {
        String id = Pattern.compile("(?m)^text (\\S+) (\\S+)$").matcher(output).results()
                .map(found -> found.group(1) + " " + found.group(2)).findFirst().orElseThrow();

        assertThat(lines("tap.text")).isNotEmpty().allSatisfy(line -> assertThat(line).startsWith("[" + id + "] "));
        assertThat(lines("tap.text").getFirst()).endsWith("connected");
        assertThat(lines("tap.text").getLast()).endsWith("closed");
    }

    @Test
    void hexShowsBytesAndAscii() {
        assertThat(output).containsPattern(Pattern.compile("(?m)^0000  ([0-9a-f]{2} ){15}[0-9a-f]{2}  \\S?.{0,16}$"));
        assertThat(lines("tap.server")).anySatisfy(line -> assertThat(line)
                .containsPattern("received active message \\d+, header 0 B, payload \\d+ B$"));
        assertThat(lines("tap.server")).anySatisfy(line -> assertThat(line).contains("] sent active message "));
    }

    @Test
    void textShowsCharactersAndNoLineOfThePeer() {
        assertThat(output).contains("what is.the time?").doesNotContain("what is\nthe time?");
    }

    @Test
    void simpleShowsSizesOnly() {
        assertThat(lines("tap.simple")).anySatisfy(line -> assertThat(line)
                .containsPattern("sent active message \\d+, header \\d+ B, payload 100000 B$"));
        assertThat(lines("tap.server")).anySatisfy(line -> assertThat(line).contains("offer of 100000 B"));
    }

    @Test
    void dumpIsBounded() {
        assertThat(output).contains("B more");
    }

    @Test
    void levelThatIsOffShowsNothing() {
        assertThat(lines("tap.debug")).isEmpty();
    }

    @Test
    void argumentsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Wiretap(" ", Level.INFO, WiretapFormat.HEX, 1))
                .withMessage("category ' ': must not be blank");
        for (int wrong : new int[] {-1, 65_537}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Wiretap("a", Level.INFO, WiretapFormat.HEX, wrong))
                    .withMessage("maxBytes " + wrong + ": must be in 0..65536");
        }
    }
}
