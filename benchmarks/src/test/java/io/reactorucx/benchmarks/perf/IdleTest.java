package io.reactorucx.benchmarks.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The processor time of an idle connection in the default wait strategy. */
@Tag("slow")
class IdleTest {

    @Test
    void takesLessThanAHundredthOfAProcessor() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        ChildProcess.Result result;
        try (ChildJvm idle = ChildJvm.of(IdlePeers.class).environment("UCX_LOG_LEVEL", "fatal").start()) {
            result = idle.result(Duration.ofSeconds(IdlePeers.WINDOWS * 10 + 60));
        }

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(Double.parseDouble(result.output().lines().filter(line -> line.startsWith(IdlePeers.SHARE))
                .findFirst().orElseThrow().substring(IdlePeers.SHARE.length()))).as(result.output())
                .isLessThan(IdlePeers.MOST);
    }
}
