package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A publisher of the application that signals without onSubscribe fails what it was given to: nothing waits for it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class UnsubscribedSourceTest implements NeedsUcx {

    private Peers peers;

    /** The signal that comes first. */
    enum Signal {
        NEXT {
            @Override
            <T> void to(Subscriber<? super T> subscriber, Supplier<T> value) {
                subscriber.onNext(value.get());
                subscriber.onComplete();
            }
        },
        COMPLETE {
            @Override
            <T> void to(Subscriber<? super T> subscriber, Supplier<T> value) {
                subscriber.onComplete();
            }
        },
        ERROR {
            @Override
            <T> void to(Subscriber<? super T> subscriber, Supplier<T> value) {
                subscriber.onError(new IllegalArgumentException("of the source"));
            }
        };

        abstract <T> void to(Subscriber<? super T> subscriber, Supplier<T> value);

        <T> Publisher<T> publisher(Supplier<T> value) {
            return subscriber -> to(subscriber, value);
        }
    }

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private UcxBuffer lease() {
        return peers.clientResources().buffers().acquire(10);
    }

    private static void assertFails(Signal signal, Mono<?> operation) {
        assertThat(PendingOperation.of(operation).failure()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("rule 1.9")
                .satisfies(error -> assertThat(error.getCause() != null).isEqualTo(signal == Signal.ERROR));
    }

    @ParameterizedTest
    @EnumSource
    void sourceOfASend(Signal signal) {
        UcxOutbound outbound = peers.client().outbound();

        assertFails(signal, outbound.send(signal.publisher(this::lease)));
        assertFails(signal, outbound.sendByteArrays(signal.publisher(() -> new byte[1])));
        assertFails(signal, outbound.sendStrings(Flux.from(signal.publisher(() -> "text"))));
        peers.assertWorks();
    }

    @ParameterizedTest
    @EnumSource
    void requestsOfAChannel(Signal signal) {
        peers.served().respond(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
                return requests;
            }
        }).subscribe();

        assertFails(signal, peers.client().requester().requestChannel(signal.publisher(this::lease))
                .doOnNext(UcxBuffer::release).then());
        peers.assertWorks();
    }

    @ParameterizedTest
    @EnumSource
    void responses(Signal signal) {
        peers.served().respond(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                request.release();
                return Flux.from(signal.publisher(() -> peers.serverResources().buffers().acquire(10)));
            }
        }).subscribe();

        assertThat(PendingOperation.of(peers.client().requester().requestStream(lease())
                .doOnNext(UcxBuffer::release).then()).failure()).isInstanceOf(UcxRequestException.class);
        peers.assertWorks();
    }

    @ParameterizedTest
    @EnumSource
    void sourceOfAPut(Signal signal) {
        UcxMemoryWindow window = peers.serverResources().exportMemory(Arena.ofAuto().allocate(1_000),
                EnumSet.allOf(MemoryRight.class));
        RemoteMemory remote = peers.client().memory(WindowDescriptor.fromBytes(window.descriptor().toBytes()));

        assertFails(signal, remote.putFlux(0, signal.publisher(this::lease), 2));
        window.revoke().block(Waits.PATIENCE);
        peers.assertWorks();
    }
}
