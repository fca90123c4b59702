package io.reactorucx.examples.soak;

import io.reactorucx.Tags;
import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.examples.soak.Tally.End;
import io.reactorucx.message.TaggedBuffer;
import reactor.core.publisher.Mono;

/** Exchanges tagged messages; the server sends each back with a tag of its own. */
final class TagTraffic implements Traffic {

    static final String NAME = "tagged message";

    private static final long ECHO = 1L << 62;
    private static final long ECHOED = 1L << 61;
    private static final int MAX_BYTES = 1 << 20;
    private static final int SALT_SHIFT = 32;

    private final Tags tags;
    private final UcxBufferPool buffers;
    private final Tally tally;
    private final long salt;

    /**
     * Creates the traffic of a connection.
     *
     * @param salt tells its tags from those of other connections on the same engine, 0 to 2^28
     */
    TagTraffic(UcxConnection connection, Tally tally, int salt) {
        this.tags = connection.tags();
        this.buffers = connection.resources().buffers();
        this.tally = tally;
        this.salt = (long) salt << SALT_SHIFT;
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
        return Mono.using(() -> buffers.acquire(bytes), sent -> Mono.using(() -> buffers.acquire(bytes), echoed -> {
            Pattern.fill(sent.segment(), number);
            return Mono.when(tags.receive(ECHOED | salt | number, echoed.segment()).doOnNext(message -> {
                if (message.data().byteSize() != bytes || !Pattern.isIn(echoed.segment(), number)) {
                    tally.ended(End.CORRUPT);
                }
            }), tags.send(ECHO | salt | number, sent.segment()));
        }, UcxBuffer::release), UcxBuffer::release);
    }

    /** The server's side of this traffic. */
    static Mono<Void> serve(UcxConnection connection) {
        return connection.tags().receiveAll(ECHO, ECHO, MAX_BYTES).concatMap(message -> connection.tags()
                .send(message.tag() & ~ECHO | ECHOED, message.data().segment())
                .doFinally(signal -> message.data().release()), 1)
                .doOnDiscard(TaggedBuffer.class, TaggedBuffer::dispose).then();
    }
}
