package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The process of a peer that was reached by its worker address over shared memory ends, and the loss is noticed. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class EndedProcessTest implements NeedsUcx {

    private static final String TRANSPORTS = "posix";

    private UcxResources resources;

    @BeforeEach
    void open() {
        resources = EndingPrograms.resources(TRANSPORTS);
    }

    @AfterEach
    void close() {
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    /** What heartbeats report says something else. */
    private static void assertEnded(ChildJvm process, Throwable error) {
        assertThat(error).isInstanceOfSatisfying(UcxException.class,
                lost -> assertThat(lost.isConnectionLost()).isTrue());
        assertThat(error).hasMessageContaining("the peer's process " + process.handle().pid() + " has ended");
    }

    @Test
    void clientLosesItsServer() {
        try (ChildJvm server = ChildJvm.of(EndingPrograms.class).arguments("serve", TRANSPORTS).start()) {
            byte[] address = HexFormat.of().parseHex(server.awaitLine(EndingPrograms.READY).split(" ")[2]);
            UcxConnection connection = UcxClient.create(resources).remoteWorkerAddress(address)
                    .closeTimeout(Duration.ofSeconds(2)).connectNow();
            Inbox idle = Inbox.of(connection, 20);

            server.handle().destroyForcibly();

            assertEnded(server, Waits.failure(idle.end()));
            connection.onDispose().block(Waits.PATIENCE);
        }
    }

    @Test
    void serverLosesOneClientAndKeepsTheOther() {
        CompletableFuture<Throwable> loss = new CompletableFuture<>();
        UcxBoundServer server = UcxServer.create(resources).acceptWorkerAddresses(true).bindAddress("127.0.0.1", 0)
                .closeTimeout(Duration.ofSeconds(2))
                .handle(connection -> connection.activeMessages().receive(20).then()
                        .doOnError(loss::complete).onErrorComplete()).bindNow();
        String address = HexFormat.of().formatHex(resources.workerAddress(0).block(Waits.PATIENCE));
        try (ChildJvm killed = ChildJvm.of(EndingPrograms.class).arguments("idle", TRANSPORTS, address).start();
                ChildJvm other = ChildJvm.of(EndingPrograms.class).arguments("idle", TRANSPORTS, address).start()) {
            killed.awaitLine(EndingPrograms.CONNECTED);
            other.awaitLine(EndingPrograms.CONNECTED);
            assertThat(server.connections()).isEqualTo(2);

            killed.handle().destroyForcibly();

            assertEnded(killed, Waits.get(loss));
            other.send("end");
            ChildJvm.Result result = other.result();
            assertThat(result.exitCode()).as(result.output()).isZero();
        }
        server.disposeNow();
    }
}
