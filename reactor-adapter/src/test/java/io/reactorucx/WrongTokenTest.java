package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.ucp.ActiveMessageRouter;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages that name the endpoint of a connection and do not carry its token, as another process sends them that
 * guesses the number of an endpoint: they are dropped and counted, and the connection goes on.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_WORKER_ADDRESS"})
class WrongTokenTest implements NeedsUcx {

    private static final int ID = 7;

    @Parameter
    private Route route;
    private Peers peers;
    private Inbox inbox;

    /** What stands where the token should. */
    enum Forgery {
        ONE_BIT_WRONG {
            @Override
            byte[] of(byte[] token) {
                token[7] ^= 1;
                return token;
            }
        },
        ZERO {
            @Override
            byte[] of(byte[] token) {
                return new byte[token.length];
            }
        },
        SHORT {
            @Override
            byte[] of(byte[] token) {
                return new byte[3];
            }
        },
        MISSING {
            @Override
            byte[] of(byte[] token) {
                return new byte[0];
            }
        };

        abstract byte[] of(byte[] token);
    }

    /** What the message would do if it were believed. */
    enum Kind {
        ENDS_THE_CONNECTION(ReservedMessageIds.CONTROL, new byte[0],
                ControlFrame.of(ControlFrame.Type.FIN).toBytes()),
        VIOLATES_THE_PROTOCOL_OF_MESSAGES(ReservedMessageIds.MESSAGES, new byte[0],
                ByteBuffer.allocate(13).putInt(0).putInt(0).put(MessageFrameCodec.COMPLETE).putInt(0).array()),
        VIOLATES_THE_PROTOCOL_OF_MEMORY(ReservedMessageIds.MEMORY, new byte[9], new byte[0]),
        SPEAKS_TO_THE_APPLICATION(ReservedMessageIds.APPLICATION,
                ByteBuffer.allocate(6).putShort((short) ID).putInt(1).array(), new byte[] {4, 2});

        private final int id;
        private final byte[] header;
        private final byte[] data;

        Kind(int id, byte[] header, byte[] data) {
            this.id = id;
            this.header = header;
            this.data = data;
        }

        void send(UcxResources from, UnaryOperator<byte[]> token, AmProtocol protocol) {
            RawFrames.send(from, id, token, MemorySegment.ofArray(header), MemorySegment.ofArray(data), protocol,
                    true);
        }
    }

    static Stream<Arguments> forgeries() {
        return Stream.of(Kind.values()).flatMap(kind -> Stream.of(Forgery.values()).flatMap(forgery ->
                Stream.of(AmProtocol.EAGER, AmProtocol.RENDEZVOUS).map(protocol ->
                        Arguments.of(kind, forgery, protocol))));
    }

    @BeforeEach
    void connect() {
        peers = Peers.connect(route);
        inbox = Inbox.of(peers.served(), ID);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private long wrongTokens() {
        return peers.serverResources().droppedMessages(DropReason.WRONG_TOKEN);
    }

    private void assertDroppedAndUnharmed() {
        await().atMost(Waits.PATIENCE).until(() -> wrongTokens() == 1);
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(1);
        peers.assertWorks();
        assertThat(peers.served().isDisposed()).isFalse();
        assertThat(inbox.size()).as("messages that the application got").isZero();
        assertThat(peers.serverResources().messageStatistics().getFirst().violations()).isZero();
        assertThat(peers.serverResources().servedMemory().violations()).isZero();
        assertThat(peers.serverResources().engines().getFirst().counters().heldMessages()).isZero();
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void messageWithoutTheTokenChangesNothing(Kind kind, Forgery forgery, AmProtocol protocol) {
        kind.send(peers.clientResources(), forgery::of, protocol);

        assertDroppedAndUnharmed();
    }

    @Test
    void messageWithTheTokenIsTheConnections() {
        Kind.SPEAKS_TO_THE_APPLICATION.send(peers.clientResources(), UnaryOperator.identity(), AmProtocol.EAGER);

        assertThat(Bytes.array(inbox.next().data())).containsExactly(4, 2);
        assertThat(wrongTokens()).isZero();
    }

    @Test
    void tokenOfTheOtherDirectionIsNotTheConnections() {
        byte[] other = new byte[Long.BYTES];
        EngineCall.mono(peers.serverResources().engines().getFirst(), worker -> {
            ByteBuffer.wrap(other).putLong(peers.serverResources().connecting().connections().stream()
                    .flatMap(each -> each.connections().stream()).findFirst().orElseThrow().peerToken());
            return worker;
        }).block(Waits.PATIENCE);

        Kind.SPEAKS_TO_THE_APPLICATION.send(peers.clientResources(), token -> other, AmProtocol.EAGER);

        assertDroppedAndUnharmed();
    }

    /** Messages of raw peers have plain ids; the connection of a framework peer takes none of them. */
    @Test
    void plainIdIsNotAFrameworkPeers() {
        peers.serverResources().connecting().engines().forEach(each -> EngineCall.mono(each.engine(), worker -> {
            each.protocol(ActiveMessageRouter.class).receive(ID);
            return each;
        }).block(Waits.PATIENCE));

        RawFrames.send(peers.clientResources(), ID, new byte[] {4, 2});

        assertDroppedAndUnharmed();
    }

    @ParameterizedTest
    @EnumSource(BindFrame.Type.class)
    void bindingOfNoConnectionIsDropped(BindFrame.Type type) {
        byte[] address = type.ordinal() < 2 ? new byte[9] : new byte[0];

        RawFrames.send(peers.clientResources(), ReservedMessageIds.PAIRING,
                new BindFrame(type, 4711, 0, address).toBytes());

        assertDroppedAndUnharmed();
    }

    @Test
    void eachConnectionHasTokensOfItsOwn() {
        UcxConnection second = peers.connect();
        UcxConnection servedSecond = peers.nextServed();
        long[] tokens = EngineCall.mono(peers.clientResources().engines().getFirst(), worker ->
                peers.clientResources().connecting().connections().getFirst().connections().stream()
                        .mapToLong(each -> each.peerToken()).toArray()).block(Waits.PATIENCE);

        assertThat(Objects.requireNonNull(tokens)).hasSize(2).doesNotHaveDuplicates();
        Peers.assertWorks(second, servedSecond);
        second.close().block(Waits.PATIENCE);
        servedSecond.onDispose().block(Waits.PATIENCE);
        peers.assertWorks();
    }
}
