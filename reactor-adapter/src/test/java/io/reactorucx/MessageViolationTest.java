package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Peers that violate the protocol of messages: each is counted and loses its connection, and no other is affected. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class MessageViolationTest implements NeedsUcx {

    private static final int CREDIT = 5;
    private static final int WINDOW_BYTES = FlowControlConfig.DEFAULT.windowBytes();
    private static final Duration SHORT = Duration.ofMillis(300);

    private UcxResources serverResources;
    private UcxResources bystanderResources;
    private UcxResources rudeResources;
    private UcxBoundServer server;
    private UcxConnection bystander;
    private final BlockingQueue<CompletableFuture<Void>> ends = new LinkedBlockingQueue<>();

    /** What a peer does that has credit for {@value #CREDIT} messages and has sent nothing before. */
    enum Violation {
        NO_PREAMBLE("less than a preamble") {
            @Override
            ByteBuffer batch() {
                return ByteBuffer.allocate(3).position(3);
            }
        },
        UNKNOWN_TYPE("frame of the type 99") {
            @Override
            ByteBuffer batch() {
                return begin().put((byte) 99).putInt(0);
            }
        },
        CUT_FRAME("needs 5 bytes") {
            @Override
            ByteBuffer batch() {
                return begin().put(MessageFrameCodec.CREDIT).putShort((short) 0);
            }
        },
        LENGTH_PAST_THE_END("needs 1000 bytes") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.DATA, 0).putInt(1000);
            }
        },
        NEGATIVE_LENGTH("payload of 4294967295 bytes") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.DATA, 0).putInt(-1);
            }
        },
        NUMBER_OUT_OF_THE_WINDOW("number 1024 when 0") {
            @Override
            ByteBuffer batch() {
                return begin().putInt(0, SequenceWindow.WINDOW);
            }
        },
        NUMBER_OF_THE_PAST("number -1 when 0") {
            @Override
            ByteBuffer batch() {
                return begin().putInt(0, -1);
            }
        },
        ACKNOWLEDGES_WHAT_WAS_NEVER_SENT("1000000 acknowledged of 1") {
            @Override
            ByteBuffer batch() {
                return begin().putInt(4, 1_000_000);
            }
        },
        MORE_MESSAGES_THAN_CREDIT("credit for 0") {
            @Override
            ByteBuffer batch() {
                ByteBuffer out = begin();
                for (int i = 0; i <= CREDIT; i++) {
                    out.put(MessageFrameCodec.DATA).putInt(0).putInt(0);
                }
                return out;
            }
        },
        MESSAGE_OF_A_STREAM_THAT_WAS_NEVER_OPENED("stream 3, which was never opened") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.DATA, 3).putInt(0);
            }
        },
        MESSAGE_OF_A_STREAM_THAT_WE_NEVER_OPENED("stream 2, which was never opened") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.DATA, 2).putInt(0);
            }
        },
        OPENS_A_STREAM_IN_OUR_NAME("stream 2 cannot be opened") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.OPEN, 2).putInt(0).putInt(0).putInt(0);
            }
        },
        OPENS_A_STREAM_TWICE("stream 3 cannot be opened") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.OPEN, 3).putInt(0).putInt(0).putInt(0)
                        .put(MessageFrameCodec.OPEN).putInt(3).putInt(0).putInt(0).putInt(0);
            }
        },
        FLOOD_OF_STREAMS("1044 streams, 20 are allowed") {
            @Override
            ByteBuffer batch() {
                ByteBuffer out = begin();
                for (int i = 0; i < 1100; i++) {
                    out.put(MessageFrameCodec.OPEN).putInt(2 * i + 3).putInt(0).putInt(0).putInt(0);
                }
                return out;
            }
        },
        CREDIT_OVERFLOW("credit for 2147483648 messages") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.CREDIT, 0).putInt(MessageFrameCodec.MAX_CREDIT).putInt(1)
                        .put(MessageFrameCodec.CREDIT).putInt(0)
                        .putInt(MessageFrameCodec.MAX_CREDIT).putInt(1);
            }
        },
        NEGATIVE_CREDIT("credit of 4294967295") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.CREDIT, 0).putInt(-1).putInt(0);
            }
        },
        END_OF_THE_DEFAULT_STREAM("end of the default stream") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.COMPLETE, 0);
            }
        },
        ANSWER_TO_A_CANCEL_THAT_WAS_NONE("RESET of a stream") {
            @Override
            ByteBuffer batch() {
                return frame(MessageFrameCodec.RESET, 0);
            }
        },
        LARGE_MESSAGE_WITH_A_STRANGE_HEADER("header of a large message has 17") {
            @Override
            ByteBuffer batch() {
                return ByteBuffer.allocate(100).position(100);
            }

            @Override
            byte[] header() {
                return new byte[9];
            }
        },
        LARGE_MESSAGE_OF_NO_STREAM("stream 7, which") {
            @Override
            ByteBuffer batch() {
                return ByteBuffer.allocate(100).position(100);
            }

            @Override
            byte[] header() {
                return new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
            }
        },
        LARGE_MESSAGE_THAT_IS_TOO_LARGE("message of 200000 bytes, at most 100000") {
            @Override
            ByteBuffer batch() {
                return ByteBuffer.allocate(200_000).position(200_000);
            }

            @Override
            byte[] header() {
                return new byte[12];
            }
        };

        private final String words;

        Violation(String words) {
            this.words = words;
        }

        abstract ByteBuffer batch();

        /** Sends the violation as a large message. */
        byte[] header() {
            return new byte[0];
        }

        static ByteBuffer begin() {
            return ByteBuffer.allocate(32 << 10).putInt(0).putInt(0);
        }

        static ByteBuffer frame(byte type, int stream) {
            return begin().put(type).putInt(stream);
        }
    }

    @BeforeEach
    void open() {
        serverResources = resources();
        bystanderResources = resources();
        rudeResources = resources();
        server = UcxServer.create(serverResources).closeTimeout(SHORT).maxMessageBytes(100_000).maxStreams(20)
                .handle((in, out) -> {
                    Sinks.Many<byte[]> echoes = Sinks.many().unicast().onBackpressureBuffer();
                    CompletableFuture<Void> end = new CompletableFuture<>();
                    ends.add(end);
                    in.receiveByteArrays().subscribe(new BaseSubscriber<>() {
                        @Override
                        protected void hookOnSubscribe(Subscription subscription) {
                            subscription.request(CREDIT);
                        }

                        @Override
                        protected void hookOnNext(byte[] message) {
                            echoes.tryEmitNext(message);
                        }

                        @Override
                        protected void hookOnError(Throwable error) {
                            end.completeExceptionally(error);
                        }
                    });
                    return out.sendByteArrays(echoes.asFlux());
                }).bindNow();
        bystander = UcxClient.create(bystanderResources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    private static UcxResources resources() {
        return UcxResources.builder().transports("posix", "tcp").build();
    }

    @AfterEach
    void close() {
        if (server == null) {
            return;
        }
        bystander.close().block(Waits.PATIENCE);
        rudeResources.disposeNow();
        bystanderResources.disposeNow();
        serverResources.disposeNow();
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void violationEndsTheConnectionOfThatPeerOnly(Violation violation) throws InterruptedException {
        UcxConnection rude = UcxClient.create(rudeResources).remoteAddress("127.0.0.1", server.port()).connectNow();
        ends.take();
        CompletableFuture<Void> end = ends.take();
        // The API of the violating side has sent nothing: the violation is its first message.
        await().atMost(Waits.PATIENCE).until(() -> rudeResources.messageStatistics().getFirst().sendCredit() == CREDIT);
        ByteBuffer batch = violation.batch();
        boolean large = violation.header().length > 0;
        Supplier<MessageStatistics> counters = () -> serverResources.messageStatistics().getFirst();

        RawFrames.send(rudeResources, ReservedMessageIds.MESSAGES, MemorySegment.ofArray(violation.header()),
                MemorySegment.ofArray(batch.array()).asSlice(0, batch.position()), large ? AmProtocol.RENDEZVOUS
                : AmProtocol.EAGER, true);

        assertThat(Waits.failure(end)).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.IO_ERROR);
            assertThat(error).hasMessageContaining("does not keep to the protocol")
                    .hasMessageContaining(violation.words);
        });
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(counters.get().violations()).isEqualTo(1));
        await().atMost(Waits.PATIENCE).until(() -> server.connections() == 1);
        rude.onDispose().block(Waits.PATIENCE);
        assertThat(serverResources.engines().getFirst().counters().heldMessages()).isZero();
        assertThat(counters.get().openStreams()).as("open streams").isZero();
        assertThat(counters.get().sendCredit()).as("credit of peers that are gone").isZero();
        assertEchoes();
    }

    @Test
    void batchesThatComeTooEarlyAreKeptUpToTheWindowOnly() throws InterruptedException {
        UcxConnection rude = UcxClient.create(rudeResources).remoteAddress("127.0.0.1", server.port()).connectNow();
        ends.take();
        CompletableFuture<Void> end = ends.take();
        await().atMost(Waits.PATIENCE).until(() -> rudeResources.messageStatistics().getFirst().sendCredit() == CREDIT);
        Supplier<MessageStatistics> counters = () -> serverResources.messageStatistics().getFirst();
        int batchBytes = MessageFrameCodec.MAX_BATCH_BYTES;
        int tokenBytes = Long.BYTES;
        int fits = WINDOW_BYTES / batchBytes + 1;

        for (int i = 1; i <= fits; i++) {
            sendEarly(i, batchBytes - tokenBytes);
        }
        await().atMost(Waits.PATIENCE).until(() -> counters.get().bufferedBytes() == (long) fits * batchBytes);
        assertThat(counters.get().violations()).as("violations within the window").isZero();
        sendEarly(fits + 1, batchBytes - tokenBytes);

        assertThat(Waits.failure(end)).isInstanceOf(UcxException.class).hasMessageContaining("come too early");
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(counters.get().violations()).isEqualTo(1));
        rude.onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> server.connections() == 1);
        assertThat(counters.get().bufferedBytes()).as("bytes kept of a peer that is gone").isZero();
        assertEchoes();
    }

    private void sendEarly(int number, int bytes) {
        ByteBuffer batch = ByteBuffer.allocate(bytes).putInt(number);
        RawFrames.send(rudeResources, ReservedMessageIds.MESSAGES, MemorySegment.NULL,
                MemorySegment.ofArray(batch.array()), AmProtocol.EAGER, true);
    }

    /** A peer may open streams in place of those that it has ended, even before this side has ended them. */
    @Test
    void streamsThatEndInTheBatchThatOpensThemAreNotLimited() throws InterruptedException {
        UcxConnection hasty = UcxClient.create(rudeResources).remoteAddress("127.0.0.1", server.port()).connectNow();
        ends.take();
        ends.take();
        await().atMost(Waits.PATIENCE).until(() -> rudeResources.messageStatistics().getFirst().sendCredit() == CREDIT);
        Supplier<MessageStatistics> counters = () -> serverResources.messageStatistics().getFirst();
        ByteBuffer batch = Violation.begin();
        for (int i = 0; i < 1100; i++) {
            int stream = 2 * i + 3;
            batch.put(MessageFrameCodec.OPEN).putInt(stream).putInt(0).putInt(0).putInt(0)
                    .put(MessageFrameCodec.CANCEL).putInt(stream).put(MessageFrameCodec.COMPLETE).putInt(stream);
        }
        batch.put(MessageFrameCodec.DATA).putInt(0).putInt(0);

        RawFrames.send(rudeResources, ReservedMessageIds.MESSAGES, MemorySegment.NULL,
                MemorySegment.ofArray(batch.array()).asSlice(0, batch.position()), AmProtocol.EAGER, true);

        await().atMost(Waits.PATIENCE).until(() -> counters.get().received() == 1);
        assertThat(counters.get().violations()).as("violations").isZero();
        assertThat(counters.get().openStreams()).as("open streams").isZero();
        assertThat(server.connections()).isEqualTo(2);
        hasty.close().block(Waits.PATIENCE);
    }

    private void assertEchoes() {
        Flux<String> echoes = bystander.inbound().receiveStrings().take(1);
        assertThat(echoes.mergeWith(bystander.outbound().sendStrings(Mono.just("still here")).then(Mono.empty()))
                .collectList()
                .block(Waits.PATIENCE)).containsExactly("still here");
    }
}
