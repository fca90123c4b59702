package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** The peer's process dies: whatever was under way ends and says so, and the next connection works. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class KilledPeerTest implements NeedsUcx {

    private static final MemorySegment NO_HEADER = MemorySegment.NULL;

    @Parameter
    private String transports;
    private UcxResources resources;
    private EchoProcess server;
    private UcxConnection connection;

    @BeforeEach
    void connect() {
        // Newer versions send along what 1.13 offers.
        resources = UcxResources.builder().transports(transports.split(",")).remoteMemoryAccess(true)
                .maxBufferBytes(256L << 20)
                .setting("RNDV_THRESH", "64k").build();
        server = new EchoProcess(transports.split(","));
        connection = server.client(resources).connectNow();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private void assertLost(String operation, Throwable error) {
        assertThat(error).as(operation).isInstanceOfSatisfying(UcxException.class, lost -> {
            assertThat(lost).as(operation).isNotInstanceOf(UcxClosedException.class);
            assertThat(lost.peer()).as(operation).isEqualTo(server.name());
            assertThat(lost.isConnectionLost()).as("%s: %s is a lost connection", operation, lost.status()).isTrue();
            assertThat(lost.getMessage()).contains(server.name()).contains(lost.status().name());
        });
    }

    @Test
    void everyOperationThatIsUnderWayEnds() {
        Inbox offers = Inbox.of(connection, EchoServer.OFFERED);
        connection.activeMessages().send(EchoServer.OFFER, new byte[0]).block(Waits.PATIENCE);
        connection.activeMessages().send(EchoServer.OFFER, new byte[0]).block(Waits.PATIENCE);
        ActiveMessage offer = offers.next();
        ActiveMessage otherOffer = offers.next();
        RemoteMemory window = connection.memory(server.registered());
        Inbox idle = Inbox.of(connection, 20);
        server.stall(connection);

        Map<String, PendingOperation> pending = new LinkedHashMap<>();
        pending.put("tag_recv", PendingOperation.of(connection.tags().receive(5, Bytes.zeroed(8))));
        pending.put("tag_send_sync", PendingOperation.of(connection.tags().sendSync(6, Bytes.pattern(1, 8))));
        pending.put("tag_send by rendezvous", PendingOperation.of(connection.tags()
                .send(7, Bytes.pattern(1, Bytes.MIB))));
        pending.put("am_send", PendingOperation.of(connection.activeMessages()
                .send(EchoServer.IGNORED, NO_HEADER, Bytes.pattern(1, Bytes.MIB),
                AmProtocol.RENDEZVOUS)));
        UcxBuffer lease = resources.buffers().acquire(Bytes.MIB);
        pending.put("am_send of a lease", PendingOperation.of(connection.activeMessages()
                .send(EchoServer.IGNORED, NO_HEADER, lease,
                AmProtocol.RENDEZVOUS)));
        lease.release();
        pending.put("am_recv_data", PendingOperation.of(offer.fetch(Bytes.zeroed(offer.length()))));
        pending.put("am_recv_data into the pool", PendingOperation.of(otherOffer.fetch(resources.buffers())));
        pending.put("get", PendingOperation.of(window.get(0, Bytes.zeroed(Bytes.MIB))));
        pending.put("getFlux", PendingOperation.of(window.getFlux(Bytes.MIB, 4).doOnNext(UcxBuffer::release).then()));
        // Small puts are away at once; the flush then waits for the peer to have seen them.
        connection.memory(server.registered()).put(0, Bytes.pattern(2, 8)).block(Waits.PATIENCE);
        pending.put("ep_flush", PendingOperation.of(connection.flush()));
        pending.put("put", PendingOperation.of(connection.memory(server.registered())
                .put(0, Bytes.pattern(2, 32L * Bytes.MIB))));
        Waits.engineOf(connection);
        pending.forEach((operation, sent) -> sent.assertPending(operation));

        server.kill();

        assertThat(pending).allSatisfy((operation, sent) -> assertThat(sent.hasFailed()).as("%s failed", operation)
                .isTrue());
        pending.forEach((operation, sent) -> assertLost(operation, sent.failure()));
        assertLost("receive", Waits.failure(idle.end()));
        assertLost("receive", Waits.failure(offers.end()));
        connection.onDispose().block(Waits.PATIENCE);
        assertThat(connection.isDisposed()).isTrue();
        StepVerifier.create(connection.flush()).expectError(UcxClosedException.class).verify(Waits.PATIENCE);
        connection.disposeNow();
    }

    /** Over shared memory UCX never cancels what it cannot flush into a queue that nobody reads any more. */
    @Test
    void leasesOfAConnectionThatWasClosedByForceBeforeComeBack() {
        server.stall(connection);
        UcxBuffer lease = resources.buffers().acquire(Bytes.MIB);
        PendingOperation large = PendingOperation.of(connection.activeMessages().send(EchoServer.IGNORED, NO_HEADER,
                lease, AmProtocol.RENDEZVOUS));
        lease.release();
        List<PendingOperation> small = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            small.add(PendingOperation.of(connection.activeMessages().send(EchoServer.IGNORED, NO_HEADER,
                    Bytes.pattern(1, 1000))));
        }
        Waits.engineOf(connection);
        large.assertPending();

        connection.close(CloseMode.FORCE).block(Waits.PATIENCE);
        Waits.soon().until(() -> resources.parkedEndpoints() > 0);
        assertThat(resources.buffers().leases()).as("the peer may still read it").isPositive();
        server.kill();

        Waits.soon().until(() -> resources.buffers().leases() == 0 && resources.parkedEndpoints() == 0);
        assertThat(large.hasFailed()).isTrue();
    }

    @Test
    void lossIsNoticedWithoutAnyOperation() {
        Inbox idle = Inbox.of(connection, 20);

        server.kill();

        assertLost("receive", Waits.failure(idle.end()));
        connection.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void offerThatWaitsForItsFetchIsGone() {
        Inbox offers = Inbox.of(connection, EchoServer.OFFERED);
        connection.activeMessages().send(EchoServer.OFFER, new byte[0]).block(Waits.PATIENCE);
        ActiveMessage offer = offers.next();

        server.kill();
        connection.onDispose().block(Waits.PATIENCE);

        StepVerifier.create(offer.fetch(Bytes.zeroed(offer.length()))).expectError(UcxClosedException.class)
                .verify(Waits.PATIENCE);
        offer.discard();
    }

    @Test
    void messageInMappedMemoryThatWaitsForItsFetchIsLost() {
        boolean mapping = transports.startsWith("posix");
        Inbox echoes = Inbox.of(connection, EchoServer.ECHOED);
        UcxBuffer lease = resources.buffers().acquire(Bytes.MIB);
        Bytes.fill(lease.segment(), 1);
        for (int i = 0; i < 3; i++) {
            PendingOperation sent = PendingOperation.of(connection.activeMessages().send(EchoServer.ECHO, NO_HEADER,
                    lease, AmProtocol.RENDEZVOUS));
            Bytes.assertSame(Bytes.of(echoes.next()), lease.segment());
            sent.assertDone();
        }
        assertThat(resources.buffers().offeredMessages() > 0).as("messages go by mapped memory").isEqualTo(mapping);
        server.stall(connection);
        PendingOperation send = PendingOperation.of(connection.activeMessages().send(EchoServer.IGNORED, NO_HEADER,
                lease, AmProtocol.RENDEZVOUS));
        lease.release();
        Waits.engineOf(connection);
        send.assertPending();

        server.kill();

        assertLost("am_send", send.failure());
        connection.onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> resources.buffers().leases() == 0);
        assertThat(resources.buffers().mappedBytes()).isZero();
    }

    @Test
    void cancelledOperationsLetGoOfTheirMemory() {
        server.stall(connection);
        UcxBuffer lease = resources.buffers().acquire(Bytes.MIB);
        PendingOperation send = PendingOperation.of(connection.activeMessages()
                .send(EchoServer.IGNORED, NO_HEADER, lease, AmProtocol.RENDEZVOUS));
        lease.release();
        PendingOperation get = PendingOperation.of(connection.memory(server.registered()).getFlux(Bytes.MIB, 4)
                .doOnNext(UcxBuffer::release).then());
        Waits.engineOf(connection);
        assertThat(resources.buffers().leases()).isEqualTo(5);

        send.cancel();
        get.cancel();
        Waits.engineOf(connection);
        assertThat(resources.buffers().leases()).as("UCX still uses the memory").isEqualTo(5);
        server.kill();

        connection.onDispose().block(Waits.PATIENCE);
        send.assertPending();
        get.assertPending();
    }

    @Test
    void nextConnectionWorksOnTheSameResources() {
        MemorySegment forgotten = Bytes.zeroed(8);
        PendingOperation receive = PendingOperation.of(connection.tags().receive(EchoServer.TAG_ECHOED, forgotten));
        server.kill();
        assertLost("tag_recv", receive.failure());
        connection.onDispose().block(Waits.PATIENCE);
        server.close();

        server = new EchoProcess(transports.split(","));
        connection = server.client(resources).connectNow();
        Inbox inbox = Inbox.of(connection, EchoServer.ECHOED);
        MemorySegment payload = Bytes.pattern(1, Bytes.MIB);
        connection.activeMessages().send(EchoServer.ECHO, NO_HEADER, payload).block(Waits.PATIENCE);
        Bytes.assertSame(Bytes.of(inbox.next()), payload);
        connection.tags().send(EchoServer.TAG_TO_ECHO, Bytes.pattern(2, 8)).block(Waits.PATIENCE);
        Bytes.assertSame(Objects.requireNonNull(connection.tags().receive(EchoServer.TAG_ECHOED, Bytes.zeroed(8))
                .block(Waits.PATIENCE))
                .data(), Bytes.pattern(2, 8));
        Bytes.assertSame(forgotten, Bytes.zeroed(8));
        connection.disposeNow();
        server.end();
    }
}
