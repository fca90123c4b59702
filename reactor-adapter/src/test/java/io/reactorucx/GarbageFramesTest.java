package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.EngineCounters;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that say nonsense on the reserved id: the server goes on, counts it, and no other connection hears of it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class GarbageFramesTest implements NeedsUcx {

    private static final int ECHO = 3;
    private static final Duration SHORT = Duration.ofMillis(300);
    /**
     * So short that the test can wait for it, and so long that those who do say hello have done so, on a busy machine
     * too.
     */
    private static final Duration ENOUGH_FOR_OTHERS = Duration.ofSeconds(3);

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources bystanderResources;
    private UcxResources rudeResources;
    private UcxBoundServer server;
    private UcxConnection bystander;
    private Inbox echoes;
    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        bystanderResources = route.resources().build();
        rudeResources = route.resources().build();
    }

    private void bind(Duration handshakeTimeout) {
        server = UcxServer.create(serverResources).handshakeTimeout(handshakeTimeout).closeTimeout(SHORT)
                .handle(connection -> {
                    accepted.add(connection);
                    ActiveMessages messages = connection.activeMessages();
                    return messages.receive(ECHO).concatMap(message -> messages.send(ECHO, Bytes.array(message.data())))
                            .then();
                }).bindNow();
        bystander = connect(bystanderResources, false);
        echoes = Inbox.of(bystander, ECHO);
    }

    private UcxConnection connect(UcxResources from, boolean raw) {
        return UcxClient.create(from).raw(raw).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    /** Nobody else has noticed anything, the server takes new connections, and all is gone in the end. */
    @AfterEach
    void close() {
        if (rudeResources == null) {
            return;
        }
        try {
            if (bystander != null) {
                assertUnharmed();
            }
        } finally {
            rudeResources.disposeNow();
            bystanderResources.disposeNow();
            serverResources.disposeNow();
        }
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    private void assertUnharmed() {
        assertEchoes(bystander, echoes);
        UcxConnection next = connect(bystanderResources, false);
        assertEchoes(next, Inbox.of(next, ECHO));
        next.close().block(Waits.PATIENCE);
        bystander.close().block(Waits.PATIENCE);
        rudeResources.disposeNow();
        await().atMost(Waits.PATIENCE).until(() -> server.connections() == 0 && serverResources.openConnections() == 0);
        EngineCounters counters = serverResources.engines().getFirst().counters();
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(counters.heldMessages()).as("held messages").isZero();
            assertThat(counters.inFlight()).as("operations in flight").isZero();
        });
    }

    private static void assertEchoes(UcxConnection connection, Inbox inbox) {
        connection.activeMessages().send(ECHO, new byte[] {7, 8, 9}).block(Waits.PATIENCE);
        assertThat(Bytes.array(inbox.next().data())).containsExactly(7, 8, 9);
    }

    private void awaitDropped(long count) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(serverResources.droppedMessages())
                .isEqualTo(count));
    }

    @ParameterizedTest
    @EnumSource(ControlFrameTest.Garbage.class)
    void stormOfNonsenseIsCountedAndTheConnectionGoesOn(ControlFrameTest.Garbage garbage) {
        bind(Waits.PATIENCE);
        UcxConnection rude = connect(rudeResources, false);
        Inbox inbox = Inbox.of(rude, ECHO);
        Random random = new Random(garbage.ordinal());
        int sent = 0;
        while (sent < 500) {
            byte[] bytes = garbage.next(random);
            // What is a frame by chance is no nonsense, and may well end the connection.
            if (ControlFrame.parse(MemorySegment.ofArray(bytes)) == null) {
                RawFrames.send(rudeResources, bytes, random.nextBoolean());
                sent++;
            }
        }

        awaitDropped(sent);
        assertEchoes(rude, inbox);
        assertThat(rude.isDisposed()).isFalse();
        assertThat(server.connections()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(ControlFrameTest.Garbage.class)
    void nonsenseOverTheSocketEndsThatSocketOnly(ControlFrameTest.Garbage garbage) {
        bind(Waits.PATIENCE);
        Random random = new Random(garbage.ordinal());
        for (int i = 0; i < 100; i++) {
            byte[] bytes = garbage.next(random);
            if (ControlFrame.parse(bytes) == null) {
                try (SocketPeer rude = SocketPeer.connect(server.port())) {
                    if (random.nextBoolean()) {
                        rude.send(bytes);
                    } else {
                        rude.sendRaw(bytes);
                    }
                }
            }
        }

        await().atMost(Waits.PATIENCE).until(() -> serverResources.pendingHandshakes() == 0);
        assertThat(accepted).as("given to the handler").hasSize(1);
        assertThat(bystander.isDisposed()).isFalse();
    }

    @Test
    void whoComesPastTheSocketIsNotHeard() {
        bind(Waits.PATIENCE);
        UcxConnection rude = UcxClient.create(rudeResources).raw(true)
                .remoteWorkerAddress(serverResources.workerAddress(0).block(Waits.PATIENCE)).connectNow();
        for (int i = 0; i < 20; i++) {
            RawFrames.send(rudeResources, new byte[i], true);
        }
        awaitDropped(20);
        RawFrames.send(rudeResources, RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.HELLO, ""),
                true);
        for (BindFrame.Type type : BindFrame.Type.values()) {
            byte[] address = type == BindFrame.Type.BIND ? rudeResources.workerAddress(0).block(Waits.PATIENCE)
                    : new byte[0];
            RawFrames.send(rudeResources, ReservedMessageIds.PAIRING, new BindFrame(type, 4711, 0, address).toBytes());
        }
        awaitDropped(20 + BindFrame.Type.values().length);
        rude.close().block(Waits.PATIENCE);

        assertThat(accepted).as("given to the handler").hasSize(1);
        assertThat(bystander.isDisposed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = ControlFrame.Type.class, names = "HELLO", mode = EnumSource.Mode.EXCLUDE)
    void whoBeginsWithAnotherFrameIsToldToSayHello(ControlFrame.Type type) {
        bind(Waits.PATIENCE);
        try (SocketPeer rude = SocketPeer.connect(server.port())) {
            rude.send(RawFrames.frame(ControlFrame.PROTOCOL_VERSION, type, ""));

            ControlFrame answer = rude.nextControl();
            assertThat(answer.type()).isEqualTo(ControlFrame.Type.REJECT);
            assertThat(answer.reason()).startsWith("the first frame was").endsWith(", not HELLO");
            rude.awaitEnd();
        }
        // The bystander, whose handler may run a little later than its connect.
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(accepted).hasSize(1));
    }

    @ParameterizedTest
    @EnumSource(value = ControlFrame.Type.class, names = {"FIN"}, mode = EnumSource.Mode.EXCLUDE)
    void frameOutOfTurnChangesNothing(ControlFrame.Type type) {
        bind(Waits.PATIENCE);
        UcxConnection rude = connect(rudeResources, false);
        Inbox inbox = Inbox.of(rude, ECHO);

        for (int version = 1; version <= ControlFrame.PROTOCOL_VERSION; version += ControlFrame.PROTOCOL_VERSION - 1) {
            RawFrames.send(rudeResources, RawFrames.frame(version, type, "once more"), true);
            // Without a reply endpoint nobody knows whose it is.
            RawFrames.send(rudeResources, RawFrames.frame(version, type, "once more"), false);
        }

        assertEchoes(rude, inbox);
        assertThat(server.connections()).isEqualTo(2);
        assertThat(accepted).hasSize(2);
        // Of the version before only what ends a handshake in words is a frame.
        boolean readOfAnyVersion = type == ControlFrame.Type.HELLO || type == ControlFrame.Type.REJECT;
        assertThat(serverResources.droppedMessages()).isEqualTo(readOfAnyVersion ? 0 : 2);
    }

    @Test
    void unaskedFinEndsThatConnectionOnly() {
        bind(Waits.PATIENCE);
        UcxConnection rude = connect(rudeResources, false);

        for (int i = 0; i < 3; i++) {
            RawFrames.send(rudeResources, RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.FIN, "bye"),
                    true);
        }

        // It is told that its end is taken note of; it says no more, so its connection is closed when the time for that
        // is over.
        rude.onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> server.connections() == 1);
    }

    /** What was sent and has not come was lost, and that is no graceful end. */
    @Test
    void finThatCountsMoreMessagesThanHaveComeIsALoss() throws InterruptedException {
        bind(Waits.PATIENCE);
        assertThat(accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("the bystander's").isNotNull();
        UcxConnection rude = connect(rudeResources, false);
        UcxConnection served = accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(served).isNotNull();
        PendingOperation receive = PendingOperation.of(served.activeMessages().receive(ECHO + 1).then());
        Waits.engineOf(served);

        RawFrames.send(rudeResources, ControlFrame.of(ControlFrame.Type.FIN,
                ControlFields.NONE.with(ControlFields.Key.MESSAGE_NUMBER, 1)).toBytes(), true);

        assertThat(receive.failure()).hasMessageContaining("of 1 active messages of the peer 0 have come")
                .isInstanceOfSatisfying(UcxException.class, lost -> assertThat(lost.isConnectionLost()).isTrue());
        rude.onDispose().block(Waits.PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, ControlFrame.MAX_BYTES, ControlFrame.MAX_BYTES + 1, 4 * Bytes.MIB})
    void sizeAndProtocolDoNotMatter(int size) {
        bind(Waits.PATIENCE);
        UcxConnection rude = connect(rudeResources, false);
        Inbox inbox = Inbox.of(rude, ECHO);
        MemorySegment header = MemorySegment.ofArray(new byte[rude.maxHeaderBytes()]);

        int sent = 0;
        for (AmProtocol protocol : AmProtocol.values()) {
            for (boolean replyable : new boolean[] {true, false}) {
                // A rendezvous is answered, so it has to say where.
                if (replyable || protocol == AmProtocol.EAGER) {
                    RawFrames.send(rudeResources, Bytes.zeroed(0), Bytes.pattern(sent, size), protocol, replyable);
                    RawFrames.send(rudeResources, header, Bytes.pattern(sent, size), protocol, replyable);
                    sent += 2;
                }
            }
        }

        awaitDropped(sent);
        assertEchoes(rude, inbox);
    }

    @Test
    void offeredFrameIsGivenUpUnseen() {
        bind(Waits.PATIENCE);
        UcxConnection rude = connect(rudeResources, false);
        Inbox inbox = Inbox.of(rude, ECHO);
        byte[] fin = RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.FIN, "");

        RawFrames.send(rudeResources, MemorySegment.NULL, MemorySegment.ofArray(fin), AmProtocol.RENDEZVOUS, true);

        awaitDropped(1);
        assertEchoes(rude, inbox);
        await().atMost(Waits.PATIENCE).until(() -> rudeResources.engines().getFirst().counters().inFlight() == 0);
        assertThat(rude.isDisposed()).isFalse();
    }
}
