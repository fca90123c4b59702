package io.reactorucx.examples.soak;

import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import reactor.core.publisher.Mono;

/** Exchanges plain active messages, eager or by rendezvous as UCX chooses; the server sends each back. */
final class ActiveMessageTraffic implements Traffic {

    static final String NAME = "active message";
    static final int ECHO = 1;
    static final int ECHOED = 2;

    private final UcxConnection connection;
    private final UcxResources resources;
    private final Echoes echoes;

    ActiveMessageTraffic(UcxConnection connection, Tally tally) {
        this.connection = connection;
        this.resources = connection.resources();
        this.echoes = new Echoes(tally, connection);
        connection.activeMessages().receive(ECHOED).flatMap(this::arrived)
                .doOnDiscard(ActiveMessage.class, ActiveMessage::discard).subscribe(ignored -> { }, error -> { });
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxBytes() {
        return 16 << 20;
    }

    @Override
    public Mono<Void> exchange(long number, int bytes) {
        return Mono.using(() -> resources.buffers().acquire(bytes), buffer -> {
            Pattern.fill(buffer.segment(), number);
            MemorySegment header = MemorySegment.ofArray(new long[] {number});
            return echoes.await(number, bytes,
                    connection.activeMessages().send(ECHO, header, buffer, AmProtocol.AUTO));
        }, UcxBuffer::release);
    }

    private Mono<Void> arrived(ActiveMessage message) {
        long number = message.header().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        if (message.hasData()) {
            echoes.arrived(number, message.data());
            return Mono.empty();
        }
        return message.fetch(resources.buffers()).doOnNext(buffer -> {
            echoes.arrived(number, buffer.segment());
            buffer.release();
        }).doOnDiscard(UcxBuffer.class, UcxBuffer::dispose).then().onErrorResume(error -> {
            echoes.failed(number, error);
            message.discard();
            return Mono.empty();
        });
    }

    /** The server's side of this traffic. */
    static Mono<Void> serve(UcxConnection connection) {
        UcxResources resources = connection.resources();
        return connection.activeMessages().receive(ECHO).flatMap(message -> {
            MemorySegment header = message.header();
            if (message.hasData()) {
                return Mono.using(() -> resources.buffers().acquire(message.length()), buffer -> {
                    buffer.segment().copyFrom(message.data());
                    return connection.activeMessages().send(ECHOED, header, buffer, AmProtocol.AUTO);
                }, UcxBuffer::release);
            }
            return message.fetch(resources.buffers()).doOnError(error -> message.discard())
                    .flatMap(buffer -> connection.activeMessages().send(ECHOED, header, buffer, AmProtocol.AUTO)
                            .doFinally(signal -> buffer.release())).doOnDiscard(UcxBuffer.class, UcxBuffer::dispose);
        }).doOnDiscard(ActiveMessage.class, ActiveMessage::discard).then();
    }
}
