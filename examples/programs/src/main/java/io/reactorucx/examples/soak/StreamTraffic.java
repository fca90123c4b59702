package io.reactorucx.examples.soak;

import io.reactorucx.ByteStream;
import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.examples.soak.Tally.End;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** Sends bytes by the connection's byte stream, one exchange after the other; the server sends all bytes back. */
final class StreamTraffic implements Traffic {

    static final String NAME = "byte stream";

    private static final int MAX_BYTES = 1 << 20;

    private final ByteStream stream;
    private final UcxBufferPool buffers;
    private final Tally tally;

    StreamTraffic(UcxConnection connection, Tally tally) {
        this.stream = connection.streams();
        this.buffers = connection.resources().buffers();
        this.tally = tally;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    /** Returns the length of an exchange: a stream has no empty ones. */
    static int length(int bytes) {
        return Math.max(1, bytes);
    }

    @Override
    public Mono<Void> exchange(long number, int bytes) {
        int length = length(bytes);
        return Mono.using(() -> buffers.acquire(length), sent -> {
            Pattern.fill(sent.segment(), number);
            return Mono.when(stream.send(sent.segment()), echo(sent.segment()));
        }, UcxBuffer::release);
    }

    /** Takes pieces of any length until all bytes are there. */
    private Mono<Void> echo(MemorySegment sent) {
        return stream.receive().scan(0L, (from, piece) -> {
            long to = from + piece.length();
            if (to > sent.byteSize() || sent.asSlice(from, piece.length()).mismatch(piece.segment()) >= 0) {
                tally.ended(End.CORRUPT);
            }
            piece.release();
            return to;
        }).takeUntil(received -> received >= sent.byteSize()).then();
    }

    /** The server's side of this traffic. */
    static Mono<Void> serve(UcxConnection connection) {
        return connection.streams().receive().concatMap(piece -> connection.streams().send(piece)
                .doFinally(signal -> piece.release()), 1).doOnDiscard(UcxBuffer.class, UcxBuffer::dispose).then();
    }
}
