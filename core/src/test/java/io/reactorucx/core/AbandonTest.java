package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.internal.memory.AddressSpace;
import io.reactorucx.testsupport.ChildJvm;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker that is left to the process, which is for this reason one of its own. */
@Tag("slow")
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
            worker.tags().receive(Arena.ofAuto().allocate(8), null, 1, -1,
                    (status, length, tag) -> System.out.println("completed " + status));
            worker.abandon();
            worker.abandon();
            worker.signal();
            context.close();
            System.out.println("closed " + worker.isClosed() + " " + context.isClosed() + ", open contexts "
                    + UcpContext.openContexts());
        }
    }

    @Test
    void closesContextButCountsItAsOpen() {
        ChildJvm.Result result = ChildJvm.of(Program.class).run();
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("closed true true, open contexts 1")
                .contains("[stuck] left to the process with 1 operations and 0 endpoints: [a receive, fetch or flush of"
                        + " the worker on 8 bytes]")
                .contains("is left to the process: 1 of its workers").containsOnlyOnce("completed -16");
    }

    /** Leaves a worker with an operation on memory that UCX allocated. */
    static final class WithMemory {
        public static void main(String[] arguments) {
            UcpContext context = UcpContext.create(UcpConfig.builder().transports("tcp").build());
            UcpContext owner = UcpContext.create(UcpConfig.builder().name("owner").transports("tcp").build());
            UcpWorker worker = context.createWorker(UcpWorkerConfig.of("stuck"));
            UcpMemory memory = owner.allocate(8);
            worker.tags().receive(memory.segment(), null, 1, -1, (status, length, tag) -> { });
            try {
                memory.close();
            } catch (IllegalStateException e) {
                System.out.println("refused: " + e.getMessage());
            }
            worker.abandon();
            memory.close();
            memory.close();
            System.out.println("mapped " + AddressSpace.covers(memory.segment().address(), 8, "rw"));
            System.out.println("accessible " + memory.segment().scope().isAlive() + ", open "
                    + owner.openRegistrations());
            owner.close();
            context.close();
            System.out.println("closed " + owner.isClosed() + " " + context.isClosed() + ", open contexts "
                    + UcpContext.openContexts());
        }
    }

    @Test
    void closesMemoryOfAbandonedOperationsButKeepsItMapped() {
        ChildJvm.Result result = ChildJvm.of(WithMemory.class).run();
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("refused: registered memory: 1 operations still use it")
                .contains("mapped true")
                .contains("accessible false, open 0").contains("8 bytes of registered memory are left to the process")
                .contains("The context owner is left to the process").contains("closed true true, open contexts 2");
    }
}
