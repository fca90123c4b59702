package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.PeerStatistics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The peer's process is stopped, but there: no transport notices, only that nothing is heard of it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class StoppedPeerTest implements NeedsUcx {

    private static final Duration INTERVAL = TestTime.millis(400);

    @Parameter
    private String transports;
    private UcxResources resources;
    private EchoProcess server;
    private UcxConnection connection;

    @BeforeEach
    void connect() {
        resources = UcxResources.builder().transports(transports.split(",")).remoteMemoryAccess(true)
                .maxBufferBytes(256L << 20).build();
        server = new EchoProcess(transports.split(","));
        connection = client(INTERVAL).connectNow();
    }

    private UcxClient client(Duration interval) {
        return server.client(resources).heartbeatInterval(interval).closeTimeout(TestTime.seconds(1));
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.goOn();
            server.close();
        }
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private void assertSilent(String operation, Throwable error) {
        assertThat(error).as(operation).isInstanceOfSatisfying(UcxException.class, lost -> {
            assertThat(lost.status()).as(operation).isEqualTo(UcxStatus.ENDPOINT_TIMEOUT);
            assertThat(lost.isConnectionLost()).as(operation).isTrue();
            assertThat(lost.peer()).as(operation).isEqualTo(server.name());
            assertThat(lost).hasMessageContaining(server.name())
                    .hasMessageContaining("the peer has sent nothing for")
                    .hasMessageContaining("the heartbeat interval is " + INTERVAL.toMillis() + " ms");
        });
    }

    private PeerStatistics statistics() {
        return resources.peerStatistics().getFirst();
    }

    @Test
    void everyOperationThatIsUnderWayEnds() {
        Inbox offers = Inbox.of(connection, EchoServer.OFFERED);
        connection.activeMessages().send(EchoServer.OFFER, new byte[0]).block(Waits.PATIENCE);
        ActiveMessage offer = offers.next();
        Inbox idle = Inbox.of(connection, 20);

        server.stop();
        Map<String, PendingOperation> pending = new LinkedHashMap<>();
        pending.put("tag_recv", PendingOperation.of(connection.tags().receive(5, Bytes.zeroed(8))));
        pending.put("tag_send_sync", PendingOperation.of(connection.tags().sendSync(6, Bytes.pattern(1, 8))));
        pending.put("am_send", PendingOperation.of(connection.activeMessages()
                .send(EchoServer.IGNORED, MemorySegment.NULL, Bytes.pattern(1, Bytes.MIB),
                AmProtocol.RENDEZVOUS)));
        pending.put("am_recv_data", PendingOperation.of(offer.fetch(Bytes.zeroed(offer.length()))));
        pending.put("get", PendingOperation.of(connection.memory(server.registered()).get(0, Bytes.zeroed(Bytes.MIB))));

        assertSilent("tag_recv", pending.remove("tag_recv").failure());
        // Some of them needed nothing of the peer where there is shared memory.
        pending.forEach((operation, sent) -> {
            if (sent.hasFailed()) {
                assertSilent(operation, sent.failure());
            } else {
                sent.assertDone();
            }
        });
        assertSilent("receive", Waits.failure(idle.end()));
        assertSilent("receive", Waits.failure(offers.end()));
        connection.onDispose().block(Waits.PATIENCE);
        assertThat(statistics().lostConnections()).containsEntry("heartbeat", 1L);
        assertThat(statistics().missedHeartbeats()).isEqualTo(1);
    }

    @Test
    void closeOfAStoppedPeerDoesNotBlockTheNextConnection() {
        server.stop();
        connection.onDispose().block(Waits.PATIENCE);
        server.goOn();

        connection = client(INTERVAL).connectNow();
        Inbox inbox = Inbox.of(connection, EchoServer.ECHOED);
        connection.activeMessages().send(EchoServer.ECHO, MemorySegment.NULL, Bytes.pattern(1, 8))
                .block(Waits.PATIENCE);
        Bytes.assertSame(Bytes.of(inbox.next()), Bytes.pattern(1, 8));
        connection.disposeNow();
        // It was told, or has noticed, that it is not wanted any more: else it would not end in good order.
        server.end();
    }
}
