package io.reactorucx.examples.soak;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import java.lang.foreign.ValueLayout;
import reactor.core.publisher.Mono;

/** Exchanges flow-controlled messages over outbound and inbound: the number, then the payload. */
final class MessageTraffic implements Traffic {

    static final String NAME = "message";

    private static final int MAX_BYTES = (16 << 20) - Long.BYTES;

    private final UcxConnection connection;
    private final Echoes echoes;

    MessageTraffic(UcxConnection connection, Tally tally) {
        this.connection = connection;
        this.echoes = new Echoes(tally, connection);
        connection.inbound().receive().subscribe(message -> {
            echoes.arrived(message.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
                    message.segment().asSlice(Long.BYTES));
            message.release();
        }, error -> { });
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public Mono<Void> exchange(long number, int bytes) {
        // Made on demand of the peer: a lease that is made before would leak when the waiting sender is cancelled.
        Mono<UcxBuffer> message = connection.resources().buffers().acquireLater((long) Long.BYTES + bytes)
                .doOnNext(lease -> {
                    lease.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
                    Pattern.fill(lease.segment().asSlice(Long.BYTES), number);
                });
        return echoes.await(number, bytes, connection.outbound().send(message))
                .doOnDiscard(UcxBuffer.class, UcxBuffer::dispose);
    }

    /** The server's side of this traffic. */
    static Mono<Void> serve(UcxConnection connection) {
        return connection.outbound().send(connection.inbound().receive());
    }
}
