package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Refused handshakes leave nothing in the server, however many come, and keep no honest client out. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class HandshakeFloodTest implements NeedsUcx {

    /** Number of refusals; what each of them left behind was once 28 KB for the time of the close timeout. */
    private static final long REFUSALS = 10_000;
    /** Shortest time of the flood; {@code -Dflood.seconds=60} makes the long form. */
    private static final long SECONDS = Long.getLong("flood.seconds", 0);
    private static final long MAX_HEAP_BYTES = 32 << 20;

    @Test
    void floodOfRefusedHandshakesLeavesAServerOfLittleHeapAsItWas() {
        try (ChildJvm server = ChildJvm.of(FloodedServer.class).options("-Xmx96m").start()) {
            int port = Integer.parseInt(server.awaitLine(FloodedServer.READY).split(" ")[1]);
            UcxResources resources = UcxResources.builder().transports("tcp").build();
            AtomicBoolean goesOn = new AtomicBoolean(true);
            try (HandshakeFlood flood = new HandshakeFlood(port, goesOn::get)) {
                long start = System.nanoTime();
                await().atMost(Waits.PATIENCE).until(() -> flood.refusals() > 0);
                int honest = 0;
                while (flood.isUnharmed() && (flood.refusals() < REFUSALS
                        || System.nanoTime() - start < TimeUnit.SECONDS.toNanos(SECONDS))) {
                    connectAndLeave(resources, port);
                    honest++;
                }
                goesOn.set(false);
                flood.await(Waits.PATIENCE.toSeconds());

                connectAndLeave(resources, port);
                server.send("heap");
                String[] heap = server.awaitLine(FloodedServer.HEAP).split(" ");
                System.out.println("refusals=" + flood.refusals() + " connected during them=" + honest
                        + " heap after collection=" + heap[1]);
                assertThat(Long.parseLong(heap[1])).as("heap after collection").isLessThan(MAX_HEAP_BYTES);
                assertThat(Long.parseLong(heap[2])).as("failed handshakes").isGreaterThanOrEqualTo(REFUSALS);
                assertThat(heap[4]).as("the server has ended").isEqualTo("false");
            } finally {
                resources.disposeNow();
            }
        }
    }

    private static void connectAndLeave(UcxResources resources, int port) {
        UcxConnection connection = UcxClient.create(resources).remoteAddress("127.0.0.1", port)
                .authenticator(FloodedServer.secret()).connectNow();
        connection.disposeNow();
    }
}
