package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.Walk;
import io.reactorucx.testsupport.WalkPage;
import io.reactorucx.testsupport.WalkRecorder;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How far a write of 8 bytes goes through the code, on the loop of each channel: {@link WalkRecorder} says what counts.
 */
@Tag("slow")
class WalkTest {

    private static Map<String, Walk> walks = Map.of();

    @BeforeAll
    static void record() throws ReflectiveOperationException {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        walks = WalkRecorder.run(WalkedLoops.class);
    }

    /** A change that makes a walk shorter lowers its limits. */
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = """
            OPERATION | THREAD | FILES | CROSSINGS
            write     | writer |    36 |        60
            write     | reader |    28 |        58
            """)
    void walkIsNotLonger(String operation, String thread, int files, int crossings) {
        Walk walk = Objects.requireNonNull(walks.get(operation + ", " + thread));

        assertThat(walk.files()).as("files").hasSizeBetween(1, files);
        assertThat(walk.crossings()).as("crossings").isBetween(1, crossings);
    }

    /** The architecture page names methods in the order in which they are entered. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            write | write
            """)
    void walkIsAsThePageSays(String onThePage, String recorded) {
        assertThat(Objects.requireNonNull(walks.get(recorded)).methods())
                .containsSubsequence(WalkPage.methods(onThePage));
    }
}
