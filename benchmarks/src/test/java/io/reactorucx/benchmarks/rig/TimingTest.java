package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Perftest;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimingTest {

    private static final Timing TIMING = new Timing(2.5, 4, 1.5, 10);

    private static Contender[] inJava(int size) {
        String[] arguments = {"--test", "message", "--size", Integer.toString(size), "--tcp"};
        return new Contender[] {Contender.ours("ours", arguments), Contender.peer("peer", arguments),
            Contender.ucxPeer("peer over UCX", arguments)};
    }

    @Test
    void warmsUpLongerForLargeOperationsOfAnyContender() {
        assertThat(inJava(1 << 20)).allSatisfy(each -> assertThat(TIMING.warmupOf(each)).isEqualTo(4));
        assertThat(inJava((1 << 20) - 1)).allSatisfy(each -> assertThat(TIMING.warmupOf(each)).isEqualTo(2.5));
    }

    @Test
    void warmsUpLittleWhatIsSoonReady() {
        assertThat(TIMING.warmupOf(Contender.perftest("in C", new Perftest("tag_bw", 1 << 20, 32, false, 1000))))
                .isLessThan(0.1);
        assertThat(TIMING.warmupOf(new Contender("core", Contender.Tool.LAYERS, List.of("core", "am"), null)))
                .isEqualTo(1);
    }

    @Test
    void reckonsWithTheWarmUpOfEach() {
        assertThat(TIMING.estimateOf(inJava(1 << 20)[0]) - TIMING.estimateOf(inJava(8)[0])).isEqualTo(1.5);
        assertThat(TIMING.limitSeconds()).isGreaterThan((long) TIMING.estimateOf(inJava(1 << 20)[0]));
    }
}
