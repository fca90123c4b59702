package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.Walk;
import io.reactorucx.testsupport.WalkPage;
import io.reactorucx.testsupport.WalkRecorder;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How far one operation of 8 bytes goes through the code, on each thread: {@link WalkRecorder} says what counts. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class WalkTest implements NeedsUcx {

    private static Map<String, Walk> walks = Map.of();

    @BeforeAll
    static void record() throws ReflectiveOperationException {
        if (Ucx.isAvailable()) {
            walks = WalkRecorder.run(WalkedPeers.class);
        }
    }

    /**
     * A change that makes a walk shorter lowers its limits. Of a send, client, 17 crossings are core's, and 3 ask
     * whether a ring takes the batch.
     */
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = """
            OPERATION      | THREAD | FILES | CROSSINGS
            send           | caller |     9 |        12
            send           | client |    32 |        61
            send           | server |    31 |        60
            active message | caller |     9 |        10
            active message | client |    26 |        45
            active message | server |    23 |        41
            request        | caller |    11 |        12
            request        | client |    45 |       123
            request        | server |    51 |       121
            get            | caller |     7 |         8
            get            | client |    44 |        92
            get            | server |    33 |        68
            """)
    void walkIsNotLonger(String operation, String thread, int files, int crossings) {
        Walk walk = Objects.requireNonNull(walks.get(operation + ", " + thread));

        assertThat(walk.files()).as("files").hasSizeBetween(1, files);
        assertThat(walk.crossings()).as("crossings").isBetween(1, crossings);
    }

    /** The architecture page names methods in the order in which they are entered. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            send           | send
            arrival        | send, server
            active message | active message
            request        | request
            get            | get
            """)
    void walkIsAsThePageSays(String onThePage, String recorded) {
        assertThat(Objects.requireNonNull(walks.get(recorded)).methods())
                .containsSubsequence(WalkPage.methods(onThePage));
    }
}
