package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The peer's process dies while its queue in shared memory is full. UCX waits for room in it, for ever, unless this
 * library empties the queue: what was under way ends, and nothing is left.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class FullQueueTest implements NeedsUcx {

    /** Loses a peer that way, and goes on. */
    static final class Program {
        public static void main(String[] arguments) {
            String[] transports = {"posix", "tcp"};
            UcxResources resources = UcxResources.builder().transports(transports).remoteMemoryAccess(true).build();
            try (EchoProcess server = new EchoProcess(transports)) {
                UcxConnection connection = server.client(resources).connectNow();
                server.stall(connection);
                PendingOperation put = PendingOperation.of(connection.memory(server.registered())
                        .put(0, Bytes.pattern(1, 32L * Bytes.MIB)));
                PendingOperation get = PendingOperation.of(connection.memory(server.registered())
                        .get(0, Bytes.zeroed(8)));
                Waits.engineOf(connection);
                put.assertPending();
                server.kill();
                for (PendingOperation sent : new PendingOperation[] {put, get}) {
                    UcxException lost = (UcxException) sent.failure();
                    System.out.println("lost " + lost.isConnectionLost() + " " + lost.operation());
                }
                connection.onDispose().block(Waits.PATIENCE);
                System.out.println("closed, open connections " + resources.openConnections());
            }
            try (EchoProcess server = new EchoProcess(transports)) {
                UcxConnection connection = server.client(resources).connectNow();
                Inbox inbox = Inbox.of(connection, EchoServer.ECHOED);
                MemorySegment payload = Bytes.pattern(2, Bytes.MIB);
                connection.activeMessages().send(EchoServer.ECHO, MemorySegment.NULL, payload).block(Waits.PATIENCE);
                Bytes.assertSame(Bytes.of(inbox.next()), payload);
                connection.disposeNow();
                server.end();
            }
            resources.disposeNow();
            System.out.println("disposed, leases " + resources.buffers().leases() + ", open contexts "
                    + UcpContext.openContexts());
        }
    }

    @Test
    void everythingEndsAndTheNextConnectionWorks() {
        ChildJvm.Result result = ChildJvm.of(Program.class).run();

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("lost true put", "lost true get", "closed, open connections 0",
                "disposed, leases 0, open contexts 0").doesNotContain("left to the process");
    }
}
