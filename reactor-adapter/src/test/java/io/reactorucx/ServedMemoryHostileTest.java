package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.connection.HeaderBuffer;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
import reactor.core.publisher.Mono;

/** Peers that violate the protocol for memory lose their connection, and no other connection is affected. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class ServedMemoryHostileTest implements NeedsUcx {

    private static final int WINDOW_BYTES = 8 * Bytes.MIB;
    private static final MemorySegment NOTHING = Bytes.zeroed(0);

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources bystanderResources;
    private UcxResources rudeResources;
    private UcxBoundServer server;
    private UcxConnection bystander;
    private UcxConnection rude;
    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();
    private MemorySegment memory;
    private UcxMemoryWindow window;
    private RemoteMemory ofBystander;

    @BeforeEach
    void open() {
        assumeUcx();
        serverResources = resources();
        bystanderResources = resources();
        rudeResources = resources();
        server = UcxServer.create(serverResources).closeTimeout(Duration.ofSeconds(1)).handle(connection -> {
            accepted.add(connection);
            return Mono.never();
        }).bindNow();
        bystander = UcxClient.create(bystanderResources).remoteAddress("127.0.0.1", server.port()).connectNow();
        rude = UcxClient.create(rudeResources).closeTimeout(Duration.ofSeconds(1))
                .remoteAddress("127.0.0.1", server.port()).connectNow();
        // A client is connected before the server's handler runs.
        await().atMost(Waits.PATIENCE).until(() -> accepted.size() == 2);
        memory = Bytes.pattern(1, WINDOW_BYTES);
        window = serverResources.exportMemory(memory, EnumSet.allOf(MemoryRight.class));
        ofBystander = bystander.memory(window.descriptor());
    }

    private UcxResources resources() {
        return route.resources().remoteMemoryAccess(false).remoteAtomics(false)
                .servedMemory(ServedMemoryConfig.DEFAULT.withMaxRequests(8).withRevokeTimeout(Duration.ofMillis(200)))
                .build();
    }

    @AfterEach
    void otherConnectionsAreNotAffected() {
        if (window == null) {
            return;
        }
        if (!window.isDisposed()) {
            Bytes.assertSame(Objects.requireNonNull(ofBystander.get(0, Bytes.zeroed(WINDOW_BYTES))
                    .block(Waits.PATIENCE)), memory);
        }
        assertThat(bystander.isDisposed()).isFalse();
        rudeResources.disposeNow();
        window.revoke().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(serverResources.openConnections()).as("server's connections").isEqualTo(1);
            assertThat(serverResources.engines().getFirst().counters().inFlight()).as("in flight").isZero();
            assertThat(serverResources.engines().getFirst().counters().heldMessages()).as("held messages").isZero();
        });
        bystanderResources.disposeNow();
        serverResources.disposeNow();
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    private void send(MemorySegment header, MemorySegment data, AmProtocol protocol) {
        RawFrames.send(rudeResources, ReservedMessageIds.MEMORY, header, data, protocol, true);
    }

    private void awaitClosed() {
        rude.onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(serverResources.servedMemory().violations())
                .isEqualTo(1));
    }

    private WindowKey key() {
        return WindowKey.of(window.descriptor());
    }

    /**
     * From now on what the server sends to the rude peer on the id of memory comes here, and nothing is fetched or
     * released.
     */
    private BlockingQueue<UcpActiveMessage> listen() {
        BlockingQueue<UcpActiveMessage> messages = new LinkedBlockingQueue<>();
        EngineCall.mono(rudeResources.engines().getFirst(), worker -> {
            worker.activeMessages().handler(ReservedMessageIds.MEMORY, message -> messages.add(message.keep()));
            return worker;
        }).block(Waits.PATIENCE);
        return messages;
    }

    private static MemoryFrame.Reply next(BlockingQueue<UcpActiveMessage> messages) {
        try {
            UcpActiveMessage message = Objects.requireNonNull(messages.poll(Waits.PATIENCE.toSeconds(),
                    TimeUnit.SECONDS), "no reply");
            return (MemoryFrame.Reply) Objects.requireNonNull(MemoryFrame.parse(
                    HeaderBuffer.behindToken(message.header()), message.length()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What is no frame. */
    enum Nonsense {
        EMPTY, SHORT, LONG, RANDOM, UNKNOWN_TYPE, READ_WITH_DATA, ATOMIC_UNKNOWN, REPLY_TO_NOTHING, REPLY_UNKNOWN_STATUS
    }

    @ParameterizedTest
    @EnumSource(Nonsense.class)
    void nonsenseEndsTheConnection(Nonsense nonsense) {
        byte[] random = new byte[MemoryFrame.MAX_BYTES];
        new Random(7).nextBytes(random);
        random[0] = 77;
        byte[] read = Bytes.array(new MemoryFrame.Read(1, key(), 0, 10).toSegment());
        byte[] atomic = new byte[MemoryFrame.MAX_BYTES];
        atomic[0] = MemoryFrame.ATOMIC;
        atomic[1] = 6;
        byte[] header = switch (nonsense) {
            case EMPTY -> new byte[0];
            case SHORT -> new byte[] {MemoryFrame.READ};
            case LONG -> new byte[MemoryFrame.MAX_BYTES + 1];
            case RANDOM, UNKNOWN_TYPE -> random;
            case READ_WITH_DATA -> read;
            case ATOMIC_UNKNOWN -> atomic;
            case REPLY_TO_NOTHING -> Bytes.array(new MemoryFrame.Reply(5, MemoryReplyStatus.OK, 8, 0).toSegment());
            case REPLY_UNKNOWN_STATUS -> {
                byte[] reply = Bytes.array(new MemoryFrame.Reply(5, MemoryReplyStatus.OK, 8, 0).toSegment());
                reply[1] = (byte) MemoryReplyStatus.values().length;
                yield reply;
            }
        };

        send(MemorySegment.ofArray(header), nonsense == Nonsense.READ_WITH_DATA ? Bytes.zeroed(1) : NOTHING,
                AmProtocol.EAGER);

        awaitClosed();
    }

    @ParameterizedTest
    @EnumSource(AmProtocol.class)
    void dataOfNonsenseIsGivenUp(AmProtocol protocol) {
        send(MemorySegment.ofArray(new byte[20]), Bytes.zeroed(4 * Bytes.MIB), protocol);

        awaitClosed();
    }

    @Test
    void rangesThatOverflowAreRefusedAndNothingElse() {
        BlockingQueue<UcpActiveMessage> replies = listen();
        long[] bad = {-1, -8, WINDOW_BYTES, Long.MAX_VALUE, Long.MAX_VALUE - 8, Long.MIN_VALUE, Long.MIN_VALUE + 8};
        int id = 0;
        for (long offset : bad) {
            for (long length : new long[] {1, 8, WINDOW_BYTES, WINDOW_BYTES + 1L, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
                send(new MemoryFrame.Read(++id, key(), offset, length).toSegment(), NOTHING, AmProtocol.EAGER);
                assertThat(next(replies)).isEqualTo(new MemoryFrame.Reply(id, MemoryReplyStatus.OUT_OF_BOUNDS, 8, 0));
            }
            send(new MemoryFrame.Write(++id, key(), offset, 0).toSegment(), Bytes.zeroed(8), AmProtocol.EAGER);
            assertThat(next(replies).status()).isEqualTo(MemoryReplyStatus.OUT_OF_BOUNDS);
            send(new MemoryFrame.Write(++id, key(), offset, 0).toSegment(), Bytes.zeroed(Bytes.MIB),
                    AmProtocol.RENDEZVOUS);
            assertThat(next(replies).status()).isEqualTo(MemoryReplyStatus.OUT_OF_BOUNDS);
        }
        for (long length : new long[] {-1, WINDOW_BYTES + 1L, Long.MAX_VALUE, Long.MIN_VALUE}) {
            send(new MemoryFrame.Read(++id, key(), 0, length).toSegment(), NOTHING, AmProtocol.EAGER);
            assertThat(next(replies).status()).isEqualTo(MemoryReplyStatus.OUT_OF_BOUNDS);
        }
        assertThat(rude.isDisposed()).isFalse();
        // A request is counted when UCX says that its reply has left, which may be after the reply is here.
        int all = id;
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(serverResources.servedMemory().refused())
                .isEqualTo(all));
        assertThat(serverResources.servedMemory().violations()).isZero();
    }

    @Test
    void readsThatAreNeverFetchedEndTheConnectionWhenTheyAreTooMany() {
        listen();
        for (int i = 0; i < 17; i++) {
            send(new MemoryFrame.Read(i, key(), 0, Bytes.MIB).toSegment(), NOTHING, AmProtocol.EAGER);
        }

        await().atMost(Waits.PATIENCE).until(() -> serverResources.servedMemory().violations() == 1);
        await().atMost(Waits.PATIENCE).until(() -> serverResources.openConnections() == 1);
    }

    @Test
    void floodOfReadsByOneThatNeverProgressesEndsItsConnection() {
        RawFrames.flood(rudeResources, ReservedMessageIds.MEMORY,
                new MemoryFrame.Read(1, key(), 0, Bytes.MIB).toSegment(), 2000,
                () -> serverResources.servedMemory().violations() > 0);

        awaitClosed();
    }

    @Test
    void readThatIsNeverFetchedKeepsNoWindowFromBeingRevoked() {
        BlockingQueue<UcpActiveMessage> replies = listen();
        send(new MemoryFrame.Read(1, key(), 0, Bytes.MIB).toSegment(), NOTHING, AmProtocol.EAGER);
        assertThat(next(replies).status()).isEqualTo(MemoryReplyStatus.OK);

        window.revoke().block(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).until(() -> serverResources.openConnections() == 1);
        assertThat(serverResources.servedMemory().violations()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, Bytes.MIB})
    void ownerThatRepliesWithAnotherLengthLosesTheConnection(long length) {
        UcxMemoryWindow ofRude = rudeResources.exportMemory(Bytes.zeroed(100), EnumSet.allOf(MemoryRight.class));
        BlockingQueue<UcpActiveMessage> requests = listen();
        PendingOperation get = PendingOperation.of(accepted.stream().skip(1).findFirst().orElseThrow()
                .memory(ofRude.descriptor()).get(0, Bytes.zeroed(10)));
        await().atMost(Waits.PATIENCE).until(() -> !requests.isEmpty());
        MemoryFrame.Read read = (MemoryFrame.Read) MemoryFrame.parse(
                HeaderBuffer.behindToken(requests.remove().header()), 0);

        send(new MemoryFrame.Reply(Objects.requireNonNull(read).id(), MemoryReplyStatus.OK, 8, 0).toSegment(),
                Bytes.zeroed(length),
                AmProtocol.AUTO);

        assertThat(get.failure()).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.IO_ERROR));
        awaitClosed();
    }

    @Test
    void ownerThatNeverRepliesCostsOnlyWhatWasAskedOfIt() {
        UcxMemoryWindow ofRude = rudeResources.exportMemory(Bytes.zeroed(100), EnumSet.allOf(MemoryRight.class));
        listen();
        UcxConnection toRude = accepted.stream().skip(1).findFirst().orElseThrow();
        RemoteMemory remote = toRude.memory(ofRude.descriptor());
        PendingOperation waiting = PendingOperation.of(remote.get(0, Bytes.zeroed(10)));
        PendingOperation late = PendingOperation.of(remote.get(0, Bytes.zeroed(10)).timeout(Duration.ofMillis(50)));
        assertThat(late.failure()).isInstanceOf(TimeoutException.class);
        waiting.assertPending();

        toRude.close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(waiting.failure()).isInstanceOf(UcxException.class);
    }
}
