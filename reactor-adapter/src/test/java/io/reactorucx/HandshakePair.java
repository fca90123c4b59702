package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.security.Authenticator;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ControlFrame.Type;
import io.reactorucx.transport.handshake.AuthenticatorExecutor;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.HandshakeFailure.Kind;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.ServerHandshake;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Two sides of a handshake without any transport: frames are handed over by the test. */
final class HandshakePair {

    static final byte[] SECRET = "sixteen or more bytes".getBytes(StandardCharsets.UTF_8);
    /** Runs the steps of authenticators at once. */
    static final AuthenticatorExecutor IMMEDIATE = (step, first) -> {
        step.run();
        return () -> { };
    };
    static final PeerInfo CLIENT = facts(ErrorMode.PEER, ByteOrder.LITTLE_ENDIAN, 5000, 11);
    static final PeerInfo SERVER = facts(ErrorMode.PEER, ByteOrder.LITTLE_ENDIAN, 3000, 22);

    static final byte[] CLIENT_ADDRESS = {1, 2, 3};
    static final byte[] SERVER_ADDRESS = {4, 5, 6, 7};

    /** What the other side has to say of itself beside its facts. */
    static ControlFields identified(PeerInfo facts) {
        return facts.addTo(ControlFields.NONE).with(Key.TOKEN, 4711).with(Key.WORKER_ADDRESS_DIGEST, new byte[32]);
    }

    static PeerInfo facts(ErrorMode mode, ByteOrder order, int heartbeatMillis, long workerId) {
        return new PeerInfo(new UcxVersion(1, 13, (int) workerId), mode, order, new PeerLimits(1000, 2000, 30, 70_000),
                heartbeatMillis, workerId, new ProcessIdentity(workerId, 5), true);
    }

    static Authenticator secret() {
        return Authenticator.sharedSecret(SECRET);
    }

    /** What one side says, through its bytes, and how it ends. */
    static final class Said implements HandshakeCallbacks {

        final Queue<ControlFrame> frames = new ArrayDeque<>();
        final List<ControlFrame> all = new ArrayList<>();
        final Queue<Runnable> tasks = new ArrayDeque<>();
        @Nullable PeerInfo peer;
        @Nullable HandshakeFailure failure;
        @Nullable Rejection rejection;

        @Override
        public void send(ControlFrame frame) {
            assertOpen();
            ControlFrame arrived = ControlFrame.parse(frame.toBytes());
            assertThat(arrived).isNotNull();
            frames.add(arrived);
            all.add(arrived);
        }

        @Override
        public void connected(PeerInfo facts) {
            assertOpen();
            peer = facts;
        }

        @Override
        public void failed(HandshakeFailure why) {
            assertOpen();
            failure = why;
        }

        private void assertOpen() {
            assertThat(peer).as("peer").isNull();
            assertThat(failure).as("failure").isNull();
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public @Nullable Rejection admit(PeerInfo peer) {
            return rejection;
        }

        boolean runTasks() {
            boolean any = !tasks.isEmpty();
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
            return any;
        }

        void assertFailed(Kind reason, String... words) {
            assertThat(peer).isNull();
            assertThat(failure).isNotNull();
            assertThat(failure.reason()).isEqualTo(reason);
            assertThat(failure.detail()).contains(words);
        }

        List<Type> types() {
            return all.stream().map(ControlFrame::type).toList();
        }
    }

    final Said client = new Said();
    final Said server = new Said();
    ClientHandshake clientSide;
    ServerHandshake serverSide;
    final ConnectionIdentity clientIdentity = new ConnectionIdentity(CLIENT_ADDRESS);
    final ConnectionIdentity serverIdentity = new ConnectionIdentity(SERVER_ADDRESS);

    void between(PeerInfo clientFacts, @Nullable Authenticator ofClient, PeerInfo serverFacts,
            @Nullable Authenticator ofServer) {
        clientSide = new ClientHandshake(clientFacts, clientIdentity, ControlFields.NONE,
                ofClient == null ? null : AuthenticationConfig.of(ofClient), IMMEDIATE, "the server",
                client);
        serverSide = new ServerHandshake(serverFacts, serverIdentity,
                ofServer == null ? null : AuthenticationConfig.of(ofServer),
                IMMEDIATE,
                "the client", server);
    }

    /** Hands over what each has said, until neither says more. */
    void run() {
        boolean any = true;
        while (any) {
            any = client.runTasks() | server.runTasks();
            while (!client.frames.isEmpty()) {
                serverSide.received(client.frames.remove());
                any = true;
            }
            while (!server.frames.isEmpty()) {
                clientSide.received(server.frames.remove());
                any = true;
            }
        }
    }

    void meet(PeerInfo clientFacts, @Nullable Authenticator ofClient, PeerInfo serverFacts,
            @Nullable Authenticator ofServer) {
        between(clientFacts, ofClient, serverFacts, ofServer);
        clientSide.start();
        run();
    }

    void assertConnected() {
        assertThat(client.failure).isNull();
        assertThat(server.failure).isNull();
        assertThat(client.peer).isEqualTo(SERVER);
        assertThat(server.peer).isEqualTo(CLIENT);
        assertThat(clientIdentity.peerToken()).isEqualTo(serverIdentity.ownToken())
                .isNotEqualTo(clientIdentity.ownToken());
        assertThat(serverIdentity.peerToken()).isEqualTo(clientIdentity.ownToken());
        assertThat(clientIdentity.isAddressOfPeer(SERVER_ADDRESS)).isTrue();
        assertThat(serverIdentity.isAddressOfPeer(CLIENT_ADDRESS)).isTrue();
        assertThat(serverIdentity.isAddressOfPeer(SERVER_ADDRESS)).isFalse();
    }
}
