package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An operation that never ends and that UCX offers no way to end, a rendezvous send without failure detection.
 * Destroying its worker would abort the process, so it is left behind, in a process of its own.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class AbandonedWorkerTest {

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
    }

    @Test
    void leavesWorkerToTheProcessWhenOperationDoesNotEndInTime() {
        ChildJvm.Result result = ChildJvm.of(Program.class).run();
        assertThat(result.exitCode()).as("exit code, output:%n%s", result.output()).isZero();
        assertThat(result.output().lines().filter(line -> line.startsWith("> "))).containsExactly(
                "> in flight 1, ended 0",
                "> closed true, worker closed true, future done true",
                "> queued command: runs 0, rejections 1",
                "> workers 1 after the other engine closed",
                "> contexts 1 after close");
        assertThat(result.output()).contains("left to the process");
    }

    /** What the child does. */
    static final class Program {

        private Program() {
        }

        public static void main(String[] args) {
            UcpContext context = UcpContext.create(Fixture.contextConfig("tcp"));
            ProgressEngine engine = new ProgressEngine(context,
                    EngineConfig.of(Fixture.NAME).withCloseTimeout(Duration.ofMillis(1)), 0, EngineObserver.NONE);
            ProgressEngine peer = new ProgressEngine(context, EngineConfig.of(Fixture.NAME), 1, EngineObserver.NONE);
            engine.step(false, 0);
            peer.step(false, 0);
            UcpWorker worker = Fixture.worker(engine);
            UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.NONE);
            TestOperation send = Fixture.rendezvousSend(engine, endpoint, 1);
            engine.execute(send);
            for (int i = 0; i < 10_000; i++) {
                engine.step(false, 0);
                peer.step(false, 0);
            }
            print("in flight " + worker.inFlight() + ", ended " + send.ends());
            Probe queued = new Probe();
            Fixture.elsewhere(() -> engine.execute(queued));
            var closed = engine.closeAsync();
            close(engine);
            print("closed " + engine.isClosed() + ", worker closed " + worker.isClosed() + ", future done "
                    + closed.isDone());
            print("queued command: runs " + queued.runs() + ", rejections " + queued.rejections());
            peer.closeAsync();
            close(peer);
            print("workers " + context.openWorkers() + " after the other engine closed");
            context.close();
            print("contexts " + UcpContext.openContexts() + " after close");
        }

        private static void close(ProgressEngine engine) {
            long start = System.nanoTime();
            while (!engine.isClosed() && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
                engine.step(false, 0);
            }
        }

        private static void print(String line) {
            System.out.println("> " + line);
        }
    }
}
