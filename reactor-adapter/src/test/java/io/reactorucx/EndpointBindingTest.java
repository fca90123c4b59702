package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** The worker that a client has announced in its handshake is the only one that its connection is bound to. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class EndpointBindingTest implements NeedsUcx {

    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();
    private UcxResources serverResources;
    private UcxResources rudeResources;
    private UcxResources otherResources;
    private UcxBoundServer server;
    private ConnectionIdentity identity;
    private SocketPeer client;

    @BeforeEach
    void shakeHands() {
        serverResources = resources();
        rudeResources = resources();
        otherResources = resources();
        // The handshake takes longer than the test waits: no timeout ends a socket in its place.
        server = UcxServer.create(serverResources).closeTimeout(Duration.ofMillis(300))
                .handshakeTimeout(Waits.PATIENCE.multipliedBy(4)).handle(connection -> {
                    accepted.add(connection);
                    return Mono.never();
                }).bindNow();
        identity = new ConnectionIdentity(address(rudeResources));
        client = SocketPeer.connect(server.port());
        HandshakePair.Said said = new HandshakePair.Said();
        ClientHandshake handshake = new ClientHandshake(
                HandshakePair.facts(ErrorMode.PEER, ByteOrder.nativeOrder(), 0, 11), identity, ControlFields.NONE, null,
                HandshakePair.IMMEDIATE, "the server", said);
        handshake.start();
        client.send(said.frames.remove().toBytes());
        handshake.received(client.nextControl());
        assertThat(said.peer).isNotNull();
        BindFrame address = Objects.requireNonNull(BindFrame.parse(client.next()));
        assertThat(address.isAddress(identity.ownToken())).isTrue();
        assertThat(identity.isAddressOfPeer(address.address())).isTrue();
    }

    private static UcxResources resources() {
        return UcxResources.builder().transports("posix", "tcp").build();
    }

    private static byte[] address(UcxResources of) {
        return Objects.requireNonNull(of.workerAddress(0).block(Waits.PATIENCE));
    }

    @AfterEach
    void close() {
        if (client != null) {
            client.close();
        }
        if (otherResources != null) {
            rudeResources.disposeNow();
            otherResources.disposeNow();
            serverResources.disposeNow();
        }
    }

    private void assertRefused() {
        client.awaitEnd();
        await().atMost(Waits.PATIENCE).until(() -> serverResources.openConnections() == 0);
        assertThat(accepted).isEmpty();
    }

    @Test
    void addressOfAnotherWorkerEndsTheSocket() {
        client.send(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken(), 0, address(otherResources)).toBytes());

        assertRefused();
    }

    @Test
    void addressWithAnotherTokenEndsTheSocket() {
        client.send(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken() + 1, 0, address(rudeResources))
                .toBytes());

        assertRefused();
    }

    @Test
    void bindOfAnotherWorkerEndsTheConnection() {
        UcxClient.create(otherResources).raw(true).remoteWorkerAddress(address(serverResources)).connectNow();

        // The other worker binds itself, which is a pair of endpoints like any other but for the handshake.
        RawFrames.send(otherResources, ReservedMessageIds.PAIRING,
                new BindFrame(BindFrame.Type.BIND, identity.peerToken(), 0, address(otherResources)).toBytes());

        assertThat(client.nextControl().type()).isEqualTo(ControlFrame.Type.REJECT);
        assertRefused();
    }

    /** Each endpoint costs the engine time, and others wait for it. */
    @Test
    void bindOfAFarEndpointEndsTheConnectionAndMakesNone() {
        identity.bindAs(true);
        UcxClient.create(rudeResources).raw(true).remoteWorkerAddress(address(serverResources)).connectNow();

        RawFrames.send(rudeResources, ReservedMessageIds.PAIRING,
                new BindFrame(BindFrame.Type.BIND, identity.peerToken(), 200, address(rudeResources)).toBytes());

        ControlFrame rejected = client.nextControl();
        assertThat(rejected.type()).isEqualTo(ControlFrame.Type.REJECT);
        assertThat(rejected.reason()).contains("number 200");
        assertRefused();
        assertThat(EngineCall.mono(serverResources.engines().getFirst(), worker -> worker.endpoints().size())
                .block(Waits.PATIENCE)).isZero();
    }

    @Test
    void bindWithAnotherTokenIsDropped() {
        UcxClient.create(rudeResources).raw(true).remoteWorkerAddress(address(serverResources)).connectNow();

        RawFrames.send(rudeResources, ReservedMessageIds.PAIRING,
                new BindFrame(BindFrame.Type.BIND, identity.ownToken(), 0, address(rudeResources)).toBytes());

        await().atMost(Waits.PATIENCE).until(() -> serverResources.droppedMessages(DropReason.WRONG_TOKEN) == 1);
        assertThat(serverResources.pendingHandshakes()).as("the client may still bind").isEqualTo(1);
        assertThat(accepted).isEmpty();
    }
}
