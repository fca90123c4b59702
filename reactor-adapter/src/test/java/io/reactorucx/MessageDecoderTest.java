package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.command.ApplicationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Decoders see each message where it has come, for the call alone, and a bad one ends its receive alone. */
@ExtendWith(NoLeaks.class)
class MessageDecoderTest implements NeedsUcx {

    private static final int SMALL = 100;
    private static final int LARGE = 200_000;
    private static final long POOL = 8L * Bytes.MIB;

    private final PatternEncoder encoder = new PatternEncoder();
    private Peers peers;

    @BeforeEach
    void connect() {
        assumeUcx();
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, resources -> resources.maxBufferBytes(POOL),
                UnaryOperator.identity(), UnaryOperator.identity());
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private void send(Integer... sizes) {
        peers.client().outbound().send(Flux.fromArray(sizes), encoder).block(Waits.PATIENCE);
    }

    private List<UcxBuffer> leaseAll() {
        List<UcxBuffer> all = new ArrayList<>();
        for (long leased = 0; leased < POOL; leased += Bytes.MIB) {
            all.add(peers.serverResources().buffers().acquire(Bytes.MIB));
        }
        return all;
    }

    private <T> CompletableFuture<List<T>> receive(int count, MessageDecoder<T> decoder) {
        return peers.served().inbound().receive(decoder).take(count).collectList().toFuture();
    }

    /** A way in which a message comes to its decoder. */
    private enum Way {
        AT_ONCE(SMALL), AFTER_A_WAIT(SMALL), FETCHED(LARGE);

        private final int size;

        Way(int size) {
            this.size = size;
        }
    }

    /** Receives messages in that way, and returns what the subscriber gets. */
    private <T> CompletableFuture<T> receive(Way way, MessageDecoder<T> decoder) {
        CompletableFuture<T> first = new CompletableFuture<>();
        BaseSubscriber<T> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                requestUnbounded();
            }

            @Override
            protected void hookOnNext(T value) {
                first.complete(value);
                cancel();
            }

            @Override
            protected void hookOnError(Throwable error) {
                first.completeExceptionally(error);
            }
        };
        UcxInbound inbound = peers.served().inbound();
        if (way == Way.AFTER_A_WAIT) {
            // It stands behind a large message, for which there is no memory.
            List<UcxBuffer> all = leaseAll();
            inbound.receive(message -> message.isLeased() ? Optional.<T>empty() : Optional.of(decoder.decode(message)))
                    .<T>handle((each, sink) -> each.ifPresent(sink::next)).subscribe(subscriber);
            peers.client().outbound().send(Flux.just(LARGE, way.size), encoder).subscribe(sent -> { }, error -> { });
            Waits.soon().untilAsserted(() -> assertThat(peers.serverResources().messageStatistics())
                    .anyMatch(each -> each.bufferedBytes() == way.size));
            all.forEach(UcxBuffer::release);
        } else {
            inbound.receive(decoder).subscribe(subscriber);
            peers.client().outbound().send(Flux.just(way.size), encoder).subscribe(sent -> { }, error -> { });
        }
        return first;
    }

    @ParameterizedTest
    @EnumSource
    void theMessageIsSeenInEachForm(Way way) {
        String text = Waits.get(receive(way, message -> {
            byte[] expected = Bytes.array(Bytes.pattern(way.size, way.size));
            assertThat(message.length()).isEqualTo(way.size);
            assertThat(PatternEncoder.sizeOf(message.byteBuffer())).isEqualTo(way.size);
            assertThat(message.toByteArray()).isEqualTo(expected).isNotSameAs(message.toByteArray());
            assertThat(message.toString(StandardCharsets.ISO_8859_1))
                    .isEqualTo(new String(expected, StandardCharsets.ISO_8859_1));
            assertThat(message.isLeased()).isEqualTo(way == Way.FETCHED);
            UcxBuffer first = message.lease();
            UcxBuffer second = message.lease();
            Bytes.assertSame(first.segment(), Bytes.pattern(way.size, way.size));
            first.release();
            Bytes.assertSame(second.segment(), Bytes.pattern(way.size, way.size));
            second.release();
            return "seen";
        }));

        assertThat(text).isEqualTo("seen");
    }

    @Test
    void emptyMessagesAreMessages() {
        CompletableFuture<List<Integer>> received = receive(2, message -> message.byteBuffer().remaining()
                + message.toByteArray().length + (int) message.length());

        send(0, 0);

        assertThat(Waits.get(received)).containsExactly(0, 0);
    }

    @ParameterizedTest
    @EnumSource
    void aKeptLeaseOutlivesTheCall(Way way) {
        UcxBuffer lease = Waits.get(receive(way, EncodedMessage::lease));

        Bytes.assertSame(lease.segment(), Bytes.pattern(way.size, way.size));
        lease.release();
    }

    @ParameterizedTest
    @EnumSource
    void theMessageEndsWithTheCall(Way way) {
        EncodedMessage kept = Waits.get(receive(way, message -> message));
        List<MessageDecoder<?>> uses = List.of(EncodedMessage::length, EncodedMessage::byteBuffer,
                EncodedMessage::toByteArray, message -> message.toString(StandardCharsets.UTF_8),
                EncodedMessage::isLeased, EncodedMessage::lease);

        assertThat(uses).allSatisfy(use -> assertThatThrownBy(() -> use.decode(kept))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("call of its decoder"));
    }

    @Test
    void anotherThreadDoesNotSeeTheMessage() {
        CompletableFuture<List<Throwable>> seen = receive(1, message -> {
            CompletableFuture<Throwable> other = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> {
                try {
                    other.completeExceptionally(new AssertionError("" + message.length()));
                } catch (Throwable t) {
                    other.complete(t);
                }
            }).join();
            return other.join();
        });

        send(SMALL);

        assertThat(Waits.get(seen)).singleElement().isInstanceOf(IllegalStateException.class);
    }

    /** A view that is kept for longer than its call throws once its memory is freed, and does not end the process. */
    @Test
    void aKeptViewEndsNothing() {
        Queue<ByteBuffer> kept = new ConcurrentLinkedQueue<>();
        CompletableFuture<List<Boolean>> received = receive(2, message -> kept.add(message.byteBuffer()));
        send(SMALL, LARGE);
        assertThat(Waits.get(received)).hasSize(2);

        assertThat(kept).hasSize(2).allSatisfy(view -> assertThat(view.get(view.limit() - 1)).isNotNull());
        peers.close();

        assertThat(kept).filteredOn(ByteBuffer::isDirect).singleElement().satisfies(view ->
                assertThatThrownBy(() -> view.get(0)).isInstanceOf(IllegalStateException.class));
    }

    /** A bad decoder, and the error that its receive ends with. */
    private enum Bad {
        THROWS(IOException.class),
        THROWS_WHAT_COULD_BE_TRIED_AGAIN(UcxException.class),
        THROWS_ERROR_OF_THE_JVM(ApplicationException.class),
        RETURNS_NULL(NullPointerException.class);

        private final Class<? extends Throwable> error;

        Bad(Class<? extends Throwable> error) {
            this.error = error;
        }

        @Nullable Object decode() throws IOException {
            return switch (this) {
                case THROWS -> throw new IOException("planted");
                case THROWS_WHAT_COULD_BE_TRIED_AGAIN -> throw new UcxException(
                        UcxStatus.NO_RESOURCE, "planted", null, "of the application");
                case THROWS_ERROR_OF_THE_JVM -> throw new NoClassDefFoundError("planted");
                case RETURNS_NULL -> null;
            };
        }
    }

    private static Stream<Arguments> badOnes() {
        return Arrays.stream(Bad.values()).flatMap(bad -> Arrays.stream(Way.values())
                .map(way -> Arguments.of(bad, way)));
    }

    @ParameterizedTest
    @MethodSource("badOnes")
    void aBadDecoderEndsItsReceiveAlone(Bad bad, Way way) {
        AtomicInteger calls = new AtomicInteger();

        CompletableFuture<Object> received = receive(way, message -> {
            calls.incrementAndGet();
            return bad.decode();
        });

        assertThat(Waits.failure(received)).isInstanceOf(bad.error);
        assertThat(calls).hasValue(1);
        assertNextReceives();
    }

    /** What is sent before the peer knows of the failure is dropped, so this sends until something arrives. */
    private void assertNextReceives() {
        CompletableFuture<List<Integer>> next = receive(2, message -> PatternEncoder.sizeOf(message.byteBuffer()));
        Disposable sending = Flux.interval(Duration.ofMillis(20)).onBackpressureDrop().concatMap(tick -> peers.client()
                .outbound().send(Flux.just(SMALL, LARGE), encoder).onErrorComplete()).subscribe();
        assertThat(Waits.get(next)).containsExactly(SMALL, LARGE);
        sending.dispose();
        peers.assertWorks();
    }

    @Test
    void aFailureCancelsWhatThePeerSends() {
        CompletableFuture<Void> sending = peers.client().outbound().send(Flux.range(1, 1_000_000), encoder).toFuture();

        StepVerifier.create(peers.served().inbound().receive(message -> {
            if (message.length() == 3) {
                throw new IOException("planted");
            }
            return message.length();
        })).expectNext(1L, 2L).expectErrorMessage("planted").verify(Waits.PATIENCE);

        assertThat(Waits.failure(sending)).isInstanceOf(UcxClosedException.class);
        Waits.soon().untilAsserted(() -> assertThat(encoder.releases.values()).containsOnly(1));
    }

    /** The pool gives no lease at first. A decoder may wrap what it throws, and is called again in either case. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLeaseWaitsForMemory(boolean wraps) {
        List<UcxBuffer> all = leaseAll();
        AtomicInteger refused = new AtomicInteger();
        CompletableFuture<List<UcxBuffer>> received = receive(2, message -> {
            try {
                return message.lease();
            } catch (UcxException e) {
                refused.incrementAndGet();
                throw wraps ? new IOException("wrapped", e) : e;
            }
        });

        send(SMALL, SMALL + 1);
        Waits.soon().untilAsserted(() -> assertThat(refused).hasPositiveValue());
        assertThat(received).isNotDone();
        all.forEach(UcxBuffer::release);

        assertThat(Waits.get(received)).extracting(UcxBuffer::length).containsExactly((long) SMALL, SMALL + 1L);
        Waits.get(received).forEach(lease -> {
            Bytes.assertSame(lease.segment(), Bytes.pattern(lease.length(), lease.length()));
            lease.release();
        });
    }
}
