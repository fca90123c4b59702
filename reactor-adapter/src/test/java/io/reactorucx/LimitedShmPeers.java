package io.reactorucx;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.OverflowPolicy;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The process of {@link SharedMemoryFullTest}: a client and a server that have to do with the shared memory that there
 * is.
 */
final class LimitedShmPeers {

    static final String CONNECTED = "connected ";
    static final String MOVED = "moved ";
    static final String REFUSED = "refused ";
    static final String HELD = "held ";
    static final String ENDED = "ended";

    private static final int HELD_MESSAGES = 3000;
    private static final int HELD_BYTES = 8000;

    private LimitedShmPeers() {
    }

    /**
     * The process.
     *
     * @param transports the transports
     */
    public static void main(String[] transports) {
        try {
            UcxResources there = UcxResources.builder().transports(transports).build();
            try {
                UcxResources here = UcxResources.builder().transports(transports).build();
                try {
                    move(here, there);
                } finally {
                    here.disposeNow();
                }
            } finally {
                there.disposeNow();
            }
        } catch (UcxException | UcxUnavailableException e) {
            System.out.println(REFUSED + e.getMessage());
        }
        System.out.println(ENDED);
    }

    private static void move(UcxResources here, UcxResources there) {
        UcxBoundServer server = UcxServer.create(there).handle(connection -> connection.activeMessages().receive(1)
                .concatMap(message -> message.fetch(there.buffers()).flatMap(buffer -> connection.activeMessages()
                        .send(2, MemorySegment.NULL, buffer.segment()).doFinally(signal -> buffer.release())))
                .then().and(held(connection))).receiveQueue(HELD_MESSAGES,
                        (long) HELD_MESSAGES * HELD_BYTES, OverflowPolicy.ERROR).bindNow();
        UcxConnection connection = UcxClient.create(here).remoteAddress("127.0.0.1", server.port()).connectNow();
        System.out.println(CONNECTED + connection.transports());
        byte[] sent = Bytes.array(Bytes.pattern(3, Bytes.MIB));
        byte[] back = connection.activeMessages().receive(2).next().flatMap(message -> message.fetch(here.buffers()))
                .map(buffer -> {
                    byte[] bytes = Bytes.array(buffer.segment());
                    buffer.release();
                    return bytes;
                }).mergeWith(connection.activeMessages().send(1, sent).then(Mono.empty())).blockFirst(Waits.PATIENCE);
        System.out.println(MOVED + Arrays.equals(sent, back));
        hold(connection);
    }

    private static Mono<Void> held(UcxConnection connection) {
        connection.activeMessages().receive(3).subscribe(new BaseSubscriber<ActiveMessage>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // No demand.
            }

            @Override
            protected void hookOnError(Throwable end) {
                // The process ends, and the connection before the message is asked for.
            }
        });
        return Mono.empty();
    }

    /** Messages that nobody asks for yet stay where UCX has put them, in shared memory that grows with them. */
    private static void hold(UcxConnection connection) {
        Mono<Void> send = connection.activeMessages().send(3, Bytes.pattern(4, HELD_BYTES));
        Long sent = Flux.range(0, HELD_MESSAGES)
                .flatMap(number -> send.thenReturn(number).onErrorResume(UcxException.class, error -> Mono.empty()), 64)
                .count().block(Waits.PATIENCE);
        System.out.println(HELD + sent);
    }
}
