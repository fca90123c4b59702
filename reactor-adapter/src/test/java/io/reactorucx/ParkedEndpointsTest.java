package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A connection that is closed by force ends; its endpoint waits for a peer whose process is stopped. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ParkedEndpointsTest implements NeedsUcx {

    private UcxResources resources;
    private EchoProcess server;
    private EchoProcess other;
    private UcxConnection connection;
    private PendingOperation send;

    @BeforeEach
    void stopThePeerAmidALargeMessage() {
        resources = UcxResources.builder().transports("tcp").maxBufferBytes(256L << 20).maxParkedEndpoints(1).build();
        server = new EchoProcess("tcp");
        // Before the endpoint is parked, which it is for the engine's close timeout.
        other = new EchoProcess("tcp");
        connection = server.client(resources).closeTimeout(TestTime.seconds(1)).connectNow();
        server.stop();
        // More than the buffers of the sockets take.
        UcxBuffer payload = resources.buffers().acquire(64L * Bytes.MIB);
        send = PendingOperation.of(connection.activeMessages().send(EchoServer.IGNORED, MemorySegment.NULL, payload,
                AmProtocol.EAGER));
        payload.release();
        Waits.engineOf(connection);
        assertThat(resources.parkedEndpoints()).isZero();

        connection.close(CloseMode.FORCE).block(Waits.PATIENCE);
    }

    @AfterEach
    void close() {
        Stream.of(server, other).filter(Objects::nonNull).forEach(EchoProcess::close);
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private void assertParked() {
        assertThat(connection.isDisposed()).isTrue();
        assertThat(resources.openConnections()).isZero();
        assertThat(send.failure()).isInstanceOf(UcxException.class);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(resources.parkedEndpoints()).isEqualTo(1));
        assertThat(resources.buffers().leasedBytes()).as("bytes that UCX may still read").isPositive();
    }

    @Test
    void endpointClosesWhenThePeerGoesOn() {
        assertParked();

        server.goOn();

        await().atMost(Waits.PATIENCE).until(() -> resources.parkedEndpoints() == 0);
    }

    @Test
    void endpointClosesWhenThePeerIsKilled() {
        assertParked();

        server.kill();

        await().atMost(Waits.PATIENCE).until(() -> resources.parkedEndpoints() == 0);
    }

    @Test
    void newConnectionsAreRefusedAtTheLimit() {
        assertParked();
        assertThatThrownBy(() -> other.client(resources).connectNow())
                .isInstanceOfSatisfying(UcxException.class, refused -> {
                    assertThat(refused.status()).isEqualTo(UcxStatus.NO_RESOURCE);
                    assertThat(refused).hasMessageContaining("maxParkedEndpoints is 1");
                });

        server.goOn();
        await().atMost(Waits.PATIENCE).until(() -> resources.parkedEndpoints() == 0);

        other.client(resources).connectNow().disposeNow();
    }
}
