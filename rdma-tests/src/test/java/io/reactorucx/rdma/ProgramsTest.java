package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The programs of {@code ./run}, within one host: two processes over its device. */
class ProgramsTest {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    /** Applications of Spring start in minutes there. */
    private static final Duration SPRING_LIMIT = Duration.ofMinutes(12);
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

    /** The client's loops count bytes, so that they went over UCX, which has nothing but verbs. */
    @ParameterizedTest
    @EnumSource
    void springBootAnswersOverVerbs(Verbs verbs) {
        assumeTrue(OtherHost.isHere(), "two processes of one host");
        OtherHost.Result result = OtherHost.run("UCX_TLS=" + verbs.transport()
                + " $BOOT io.reactorucx.examples.boot.load.Main boot --seconds=0.5", SPRING_LIMIT);
        assertThat(result.code()).as(result.text()).isZero();
        assertThat(result.text()).containsPattern("UCX");
    }

    @Test
    void demoRunsOverWhatUcxChooses() {
        assumeTrue(OtherHost.isHere(), "two processes of one host");
        OtherHost.Result result = OtherHost.run("head -c 4000000 /dev/urandom > /tmp/file; " + MAIN
                + "demo --file=/tmp/file", LIMIT);
        assertThat(result.code()).as(result.text()).isZero();
    }
}
