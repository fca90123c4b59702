package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildJvm;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker that is left to the process, which is for this reason one of its own. */
class AbandonTest {

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    /** Leaves a worker with an operation that will never end. */
    static final class Program {
        public static void main(String[] arguments) {
            UcpContext context = UcpContext.create(UcpConfig.builder().transports("tcp").build());
            UcpWorker worker = context.createWorker(UcpWorkerConfig.of("stuck"));
            worker.tagReceive(Arena.ofAuto().allocate(8), null, 1, -1,
                    (status, length, tag) -> System.out.println("completed " + status));
            worker.abandon();
            worker.abandon();
            worker.signal();
            context.close();
            System.out.println("closed " + worker.isClosed() + " " + context.isClosed() + ", open contexts " + UcpContext.openContexts());
        }
    }

    @Test
    void closesContextButCountsItAsOpen() {
        ChildJvm.Result result = ChildJvm.of(Program.class).run();
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("closed true true, open contexts 1").contains("[stuck] left to the process with 1 operations")
                .contains("is left to the process: 1 of its workers").containsOnlyOnce("completed -16");
    }
}
