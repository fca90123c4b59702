package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * UCX calls back while the Java heap is full: no error leaves a callback, which would end the JVM.
 *
 * <p>{@code -Dfullheap.runs=50} makes as many runs of each test; they take turns in collectors, heaps, and in how often
 * UCX has called back before.
 */
@Tag("slow")
class FullHeapTest {

    private static final int RUNS = Integer.getInteger("fullheap.runs", 2);
    private static final String[] COLLECTORS = {"-XX:+UseSerialGC", "-XX:+UseG1GC"};
    private static final String[] HEAPS = {"-Xmx24m", "-Xmx32m"};
    /** Java specializes a callback after 127 calls. */
    private static final String[] EARLIER = {"0", "120"};

    private static void survives(String what) {
        for (int run = 0; run < RUNS; run++) {
            ChildJvm.Result result = ChildJvm.of(FullHeapProgram.class)
                    .options(COLLECTORS[run % 2], HEAPS[run / 2 % 2], "-XX:-CreateCoredumpOnCrash")
                    .arguments(what, EARLIER[(run + run / 4) % 2]).run();

            assertThat(result.output()).as("run %s, rc %s", run, result.exitCode())
                    .contains(FullHeapProgram.SURVIVED + what);
            assertThat(result.exitCode()).as(result.output()).isZero();
        }
    }

    @Test
    void survivesActiveMessages() {
        survives("am");
    }

    @Test
    void survivesTaggedMessages() {
        survives("tag");
    }

    @Test
    void survivesFetchedMessages() {
        survives("fetch");
    }

    @Test
    void survivesDataThatPacksItself() {
        survives("generic");
    }

    @Test
    void survivesPeersThatFail() {
        survives("error");
    }

    @Test
    void survivesPeersThatConnect() {
        survives("connect");
    }
}
