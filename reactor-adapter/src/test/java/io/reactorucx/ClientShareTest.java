package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.handshake.PeerInfo;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client cannot take all of a limit that others need, and hears which limit it has reached. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ClientShareTest implements NeedsUcx {

    private static final int WORKERS = 8;
    private static final int MAX_SERVERS = 20;
    private static final Duration HANDSHAKE = TestTime.millis(300);

    private final List<ChildJvm> children = new ArrayList<>();
    private final List<SocketPeer> strangers = new ArrayList<>();
    private UcxResources resources;
    private UcxBoundServer server;
    private List<byte[]> workers = List.of();

    @AfterEach
    void close() {
        strangers.forEach(SocketPeer::close);
        children.forEach(ChildJvm::close);
        if (server != null) {
            server.disposeNow();
        }
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private ChildJvm client(String transports) {
        ChildJvm child = ChildJvm.of(ShareProgram.class).arguments(String.valueOf(WORKERS), transports).start();
        children.add(child);
        workers = Arrays.stream(child.awaitLine(ShareProgram.WORKERS).split(" ")).skip(1)
                .map(HexFormat.of()::parseHex).toList();
        return child;
    }

    private static String ask(ChildJvm child, String command) {
        child.send(command);
        return child.awaitLine(ShareProgram.ANSWER);
    }

    private UcxConnection connect() {
        return UcxClient.create(resources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    /** Does the handshake of a client that names a process; returns whether it was taken, or why not. */
    private String stranger(ProcessIdentity claimed) {
        SocketPeer client = SocketPeer.connect(server.port());
        strangers.add(client);
        PeerInfo like = HandshakePair.facts(ErrorMode.PEER, ByteOrder.nativeOrder(), 0, 11);
        return ShareProgram.hold(client, workers.getFirst(), new PeerInfo(like.ucxVersion(), like.errorMode(),
                like.byteOrder(), like.limits(), 0, like.workerId(), claimed, false));
    }

    @Test
    void clientBeyondItsShareOfConnectionsIsToldTheSetting() {
        resources = UcxResources.builder().transports("posix", "tcp").build();
        server = UcxServer.create(resources).maxConnections(5).handle(UcxConnection::onClosing).bindNow();
        ChildJvm other = client("posix,tcp");
        for (int i = 0; i < 2; i++) {
            assertThat(ask(other, "connect " + server.port())).isEqualTo(ShareProgram.WELL);
        }

        assertThat(ask(other, "connect " + server.port())).contains(UcxStatus.EXCEEDS_LIMIT.name(),
                "process " + other.handle().pid() + " of 127.0.0.1", "maxConnectionsPerClient 2");

        connect();
        connect();
        assertThatThrownBy(this::connect).isInstanceOfSatisfying(UcxException.class,
                full -> assertThat(full.isRetryable()).isTrue()).hasMessageContaining("maxConnectionsPerClient 2");
    }

    /** The other process has not connected yet: its share is there when it does. */
    @Test
    void clientThatNamesAnotherProcessTakesNothingOfItsShare() {
        resources = UcxResources.builder().transports("posix", "tcp").build();
        server = UcxServer.create(resources).maxConnections(5).handle(UcxConnection::onClosing).bindNow();
        ChildJvm other = client("posix,tcp");
        ProcessIdentity its = new ProcessIdentity(ProcessIdentity.self().namespace(), (int) other.handle().pid());

        assertThat(List.of(stranger(its), stranger(its))).containsOnly("well");
        assertThat(stranger(its)).contains("127.0.0.1 has as many connections", "maxConnectionsPerClient 2");
        assertThat(stranger(new ProcessIdentity(its.namespace(), 1))).contains("maxConnectionsPerClient 2");

        assertThat(ask(other, "connect " + server.port())).isEqualTo(ShareProgram.WELL);
        assertThat(ask(other, "connect " + server.port())).isEqualTo(ShareProgram.WELL);
        connect();
    }

    /** Returns the number of a worker of the client to which the server makes the endpoint, not the other way round. */
    private int bindServerThatInitiates() {
        for (int i = 0; i < MAX_SERVERS; i++) {
            resources = UcxResources.builder().transports("tcp").maxParkedEndpoints(4).build();
            long own = UcpWorker.uid(Objects.requireNonNull(resources.workerAddress(0).block(Waits.PATIENCE)));
            int[] smaller = IntStream.range(0, WORKERS)
                    .filter(each -> Long.compareUnsigned(UcpWorker.uid(workers.get(each)), own) < 0).toArray();
            if (smaller.length > 0) {
                server = UcxServer.create(resources).handshakeTimeout(HANDSHAKE).handle(UcxConnection::onClosing)
                        .bindNow();
                return smaller[0];
            }
            resources.disposeNow();
        }
        throw new IllegalStateException("the server's worker has never the larger number");
    }

    /** Its endpoints cannot be closed before they are wired up, which over tcp takes its engine. */
    @Test
    void clientThatStopsAmidTheWireUpKeepsNobodyElseOut() {
        ChildJvm stopped = client("tcp");
        String hold = "hold %d " + bindServerThatInitiates();
        assertThat(ask(stopped, "stall")).isEqualTo(ShareProgram.WELL);

        for (int i = 1; i <= 2; i++) {
            int parked = i;
            assertThat(ask(stopped, hold.formatted(server.port()))).isEqualTo(ShareProgram.WELL);
            await().atMost(Waits.PATIENCE).untilAsserted(() ->
                    assertThat(resources.parkedEndpoints()).isEqualTo(parked));
        }
        assertThat(ask(stopped, hold.formatted(server.port()))).contains(UcxStatus.NO_RESOURCE.name(),
                "process " + stopped.handle().pid() + " of 127.0.0.1", "share of maxParkedEndpoints 4 is 2");
        assertThat(resources.parkedEndpoints()).isEqualTo(2);

        connect().close().block(Waits.PATIENCE);

        assertThat(ask(stopped, "go")).isEqualTo(ShareProgram.WELL);
        await().atMost(Waits.PATIENCE).until(() -> resources.parkedEndpoints() == 0);
        // On a busy machine one may take longer than the handshake may.
        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(ask(stopped, "connect " + server.port())).isEqualTo(ShareProgram.WELL));
    }
}
