package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageEncoder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.command.ApplicationException;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What an encoder writes arrives, and a bad one ends its send alone. */
@ExtendWith(NoLeaks.class)
class MessageEncoderTest implements NeedsUcx {

    private static final int SMALL = 100;
    private static final int LARGE = 200_000;
    private static final int GOOD = 7;

    private final PatternEncoder good = new PatternEncoder();
    private Peers peers;

    private void connect(Route route) {
        connect(route, UnaryOperator.identity());
    }

    private void connect(Route route, UnaryOperator<UcxServer> server) {
        assumeUcx();
        peers = Peers.connect(route, UnaryOperator.identity(), server, UnaryOperator.identity());
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private CompletableFuture<List<Integer>> receive(int count) {
        return peers.served().inbound().receive(message -> PatternEncoder.sizeOf(message.byteBuffer())).take(count)
                .collectList().toFuture();
    }

    @ParameterizedTest
    @EnumSource(names = "SELF", mode = EnumSource.Mode.EXCLUDE)
    void messagesOfAllSizesArriveInOrder(Route route) {
        connect(route);
        List<Integer> sizes = List.of(0, 1, SMALL, LARGE, 0, 16 << 10, (16 << 10) + 1, 2 * SMALL, 3 * LARGE);
        CompletableFuture<List<Integer>> received = receive(sizes.size());

        peers.client().outbound().send(Flux.fromIterable(sizes), good).block(Waits.PATIENCE);

        assertThat(Waits.get(received)).isEqualTo(sizes);
        assertThat(good.releases).containsEntry(0, 2);
        good.releases.remove(0);
        assertThat(good.releases.values()).containsOnly(1);
    }

    @Test
    void valuesOfAnotherThreadAreEncodedOnTheEngine() {
        connect(Route.POSIX_BY_SOCKET_ADDRESS);
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        MessageEncoder<Integer> noting = new PatternEncoder() {
            @Override
            public void encode(Integer size, ByteBuffer target) throws Exception {
                threads.add(Thread.currentThread().getName());
                super.encode(size, target);
            }
        };
        CompletableFuture<List<Integer>> received = receive(3);

        peers.client().outbound().send(Flux.just(1, SMALL, LARGE).publishOn(Schedulers.parallel()), noting)
                .block(Waits.PATIENCE);

        assertThat(Waits.get(received)).containsExactly(1, SMALL, LARGE);
        assertThat(threads).hasSize(3).allMatch(name -> name.startsWith("reactor-ucx-"));
    }

    /** A bad encoder, and the error that its send ends with. */
    private enum Bad {
        THROWS_AT_LENGTH(IOException.class),
        THROWS(IOException.class),
        THROWS_ERROR_OF_THE_JVM(ApplicationException.class),
        NEGATIVE_LENGTH(IllegalArgumentException.class),
        WRITES_TOO_LITTLE(IllegalStateException.class),
        WRITES_TOO_MUCH(BufferOverflowException.class),
        FLIPS(IllegalStateException.class),
        SAYS_THAT_IT_WROTE_LESS(IllegalStateException.class);

        private final Class<? extends Throwable> error;

        Bad(Class<? extends Throwable> error) {
            this.error = error;
        }
    }

    /** Does wrong with all sizes but the good one. */
    private static final class BadEncoder extends PatternEncoder {

        private final Bad bad;

        BadEncoder(Bad bad) {
            this.bad = bad;
        }

        @Override
        public int length(Integer size) throws Exception {
            int length = super.length(size);
            if (size != GOOD && bad == Bad.THROWS_AT_LENGTH) {
                throw new IOException("planted");
            }
            return size != GOOD && bad == Bad.NEGATIVE_LENGTH ? -1 : length;
        }

        @Override
        public void encode(Integer size, ByteBuffer target) throws Exception {
            if (size != GOOD) {
                wrong(target);
            }
            if (target.hasRemaining()) {
                super.encode(size, target);
            }
        }

        private void wrong(ByteBuffer target) throws IOException {
            switch (bad) {
                case THROWS -> throw new IOException("planted");
                case THROWS_ERROR_OF_THE_JVM -> throw new NoClassDefFoundError("planted");
                case WRITES_TOO_LITTLE -> target.put((byte) 1).limit(1);
                case WRITES_TOO_MUCH -> target.put(new byte[target.remaining()]).put((byte) 1);
                case FLIPS -> target.put((byte) 1).rewind().limit(0);
                default -> {
                    // As it has to be.
                }
            }
        }

        @Override
        public int encode(Integer size, byte[] target, int offset, int length) throws Exception {
            int written = super.encode(size, target, offset, length);
            return size != GOOD && bad == Bad.SAYS_THAT_IT_WROTE_LESS ? written - 1 : written;
        }
    }

    private static Stream<Arguments> badOnes() {
        return Stream.of(Bad.values()).flatMap(bad -> Stream.of(SMALL, LARGE)
                .filter(size -> bad != Bad.SAYS_THAT_IT_WROTE_LESS || size == SMALL)
                .flatMap(size -> Stream.of(false, true).map(queued ->
                        Arguments.of(bad, size, queued))));
    }

    /** What stands before the bad message is sent, what stands behind it is given back, and other sends go on. */
    @ParameterizedTest
    @MethodSource("badOnes")
    void aBadEncoderEndsItsSendAlone(Bad bad, int size, boolean queued) {
        connect(Route.POSIX_BY_SOCKET_ADDRESS);
        BadEncoder encoder = new BadEncoder(bad);
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        Disposable receiving = peers.served().inbound().receive(message ->
                PatternEncoder.sizeOf(message.byteBuffer())).subscribe(received::add);
        Flux<Integer> values = Flux.just(GOOD, size, SMALL + 1, LARGE + 1);

        assertThatThrownBy(() -> peers.client().outbound()
                .send(queued ? values.publishOn(Schedulers.parallel()) : values, encoder)
                .onErrorMap(IOException.class, IllegalCallerException::new).block(Waits.PATIENCE))
                .isInstanceOf(bad.error == IOException.class ? IllegalCallerException.class : bad.error);
        peers.client().outbound().send(Flux.just(1, 2), good).block(Waits.PATIENCE);

        Waits.soon().untilAsserted(() -> assertThat(received).containsExactly(GOOD, 1, 2));
        assertThat(encoder.releases).containsKeys(GOOD, size);
        assertThat(encoder.releases.values()).containsOnly(1);
        receiving.dispose();
        peers.assertWorks();
    }

    /** A target that is kept for longer than its call throws once its memory is freed, and does not end the process. */
    @Test
    void aKeptTargetEndsNothing() {
        connect(Route.POSIX_BY_SOCKET_ADDRESS);
        Queue<ByteBuffer> kept = new ConcurrentLinkedQueue<>();
        MessageEncoder<Integer> keeping = new PatternEncoder() {
            @Override
            public void encode(Integer size, ByteBuffer target) throws Exception {
                super.encode(size, target);
                kept.add(target);
            }
        };
        CompletableFuture<List<Integer>> received = receive(2);
        peers.client().outbound().send(Flux.just(SMALL, LARGE), keeping).block(Waits.PATIENCE);
        assertThat(Waits.get(received)).containsExactly(SMALL, LARGE);

        assertThat(kept).hasSize(2).allSatisfy(target -> assertThat(target.put(0, (byte) 1).get(0)).isOne());
        peers.close();

        assertThat(kept).filteredOn(ByteBuffer::isDirect).singleElement().satisfies(target ->
                assertThatThrownBy(() -> target.put(0, (byte) 2)).isInstanceOf(IllegalStateException.class));
        peers = null;
    }

    @Test
    void anEncoderThatThrowsWhenItReleasesSendsOn() {
        connect(Route.POSIX_BY_SOCKET_ADDRESS);
        MessageEncoder<Integer> throwing = new PatternEncoder() {
            @Override
            public void release(Integer size) {
                throw new IllegalStateException("planted");
            }
        };
        CompletableFuture<List<Integer>> received = receive(3);

        peers.client().outbound().send(Flux.just(SMALL, LARGE, 1), throwing).block(Waits.PATIENCE);

        assertThat(Waits.get(received)).containsExactly(SMALL, LARGE, 1);
    }

    @Test
    void whatWaitsWhenASendIsCancelledIsGivenBack() {
        connect(Route.POSIX_BY_SOCKET_ADDRESS, server -> server.messageWindow(10, 64 << 10));
        Sinks.One<Boolean> never = Sinks.one();
        Disposable receiving = peers.served().inbound().receive(EncodedMessage::length)
                .concatMap(length -> never.asMono(), 10).subscribe();
        Disposable sending = peers.client().outbound()
                .send(Flux.range(LARGE, 100).publishOn(Schedulers.parallel()), good).subscribe();
        Waits.soon().untilAsserted(() -> assertThat(good.releases).hasSizeGreaterThanOrEqualTo(10));

        sending.dispose();

        Waits.soon().untilAsserted(() -> assertThat(good.releases.values()).containsOnly(1));
        receiving.dispose();
    }

    @Test
    void theLengthOfAMessageIsTheEncodersMatter() {
        connect(Route.POSIX_BY_SOCKET_ADDRESS, server -> server.maxMessageBytes(1000));
        AtomicInteger released = new AtomicInteger();
        MessageEncoder<String> counting = encoder(4, released, (text, target) -> target.putInt(text.length()));
        CompletableFuture<List<Integer>> received = peers.served().inbound().receive(message ->
                message.byteBuffer().getInt()).take(1).collectList().toFuture();

        peers.client().outbound().send(Mono.just("x".repeat(5000)), counting).block(Waits.PATIENCE);

        assertThat(Waits.get(received)).containsExactly(5000);
        assertThat(released).hasValue(1);
    }

    @Test
    void aMessageThatThePeerDoesNotTakeFails() {
        connect(Route.POSIX_BY_SOCKET_ADDRESS, server -> server.maxMessageBytes(1000));
        Queue<Long> received = new ConcurrentLinkedQueue<>();
        Disposable receiving = peers.served().inbound().receive(EncodedMessage::length).subscribe(received::add);

        StepVerifier.create(peers.client().outbound().send(Flux.just(1, LARGE, 2), good))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("1000")).verify(Waits.PATIENCE);

        Waits.soon().untilAsserted(() -> assertThat(received).containsExactly(1L));
        assertThat(good.releases.values()).containsOnly(1);
        receiving.dispose();
    }

    /** What an encoder writes into a target. */
    private interface Writing<T> {

        void write(T value, ByteBuffer target);
    }

    private static <T> MessageEncoder<T> encoder(int length, AtomicInteger released, Writing<T> writing) {
        return new MessageEncoder<>() {
            @Override
            public int length(T value) {
                return length;
            }

            @Override
            public void encode(T value, ByteBuffer target) {
                writing.write(value, target);
            }

            @Override
            public void release(T value) {
                released.incrementAndGet();
            }
        };
    }
}
