package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs of {@code ./run}, within one host: two processes over its device. */
class ProgramsTest {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String MAIN = "$JAVA io.reactorucx.examples.Main ";

    @ParameterizedTest
    @CsvSource({"ud_verbs, echo", "ud_verbs, http", "ud_verbs, rsocket", "rc_verbs, echo", "rc_verbs, http",
        "rc_verbs, rsocket"})
    void nettyTalksOverVerbs(String transports, String program) {
        assumeTrue(OtherHost.isHere(), "two processes of one host");
        OtherHost.Result result = OtherHost.run(MAIN + "netty --transports=" + transports + " --case=" + program
                + " --turns=1 --seconds=0.5 --warmup-seconds=0.5", LIMIT);
        assertThat(result.text()).contains(program);
        assertThat(result.code()).as(result.text()).isZero();
    }

    @Test
    void doctorNamesTheDevice() {
        OtherHost.Result result = OtherHost.run(MAIN + "info", LIMIT);
        assertThat(result.text()).contains("rxe0", "rc_verbs", "ud_verbs");
        assertThat(result.code()).as(result.text()).isZero();
    }

    @Test
    void demoRunsOverWhatUcxChooses() {
        assumeTrue(OtherHost.isHere(), "two processes of one host");
        OtherHost.Result result = OtherHost.run("head -c 4000000 /dev/urandom > /tmp/file; " + MAIN
                + "demo --file=/tmp/file", LIMIT);
        assertThat(result.code()).as(result.text()).isZero();
    }
}
