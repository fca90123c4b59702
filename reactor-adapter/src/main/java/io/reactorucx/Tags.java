package io.reactorucx;

import io.reactorucx.core.UcpData;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import io.reactorucx.internal.operation.SingleCallMono;
import io.reactorucx.internal.ucp.LeasedTagReceive;
import io.reactorucx.message.TagInfo;
import io.reactorucx.message.TaggedBuffer;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Tagged messages ({@code ucp_tag_send_nbx}, {@code ucp_tag_recv_nbx}).
 *
 * <p>UCX matches tags for a whole worker: a receive takes the next matching message of any connection on the same
 * engine. Give each connection tags of its own where that matters.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> memory has to stay alive until the
 * Mono completes, after an error or a cancel until {@link UcxConnection#onDispose()}. <b>Errors:</b>
 * {@link io.reactorucx.core.error.UcxException}; a message that is longer than the destination ends a receive as
 * {@code MESSAGE_TRUNCATED}.
 */
public final class Tags {

    private static final long ALL_BITS = -1L;

    private final ConnectionCore connection;
    private final LeasePool pool;

    Tags(ConnectionCore connection, LeasePool pool) {
        this.connection = connection;
        this.pool = pool;
    }

    /**
     * Sends a message.
     *
     * @param tag all 64 bits
     * @param payload native memory
     * @return completes when the payload is free again
     */
    public Mono<Void> send(long tag, MemorySegment payload) {
        Objects.requireNonNull(payload, "payload");
        return SingleCallMono.of(connection, OperationKind.TAG_SEND, payload.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.tagSend(payload, null, tag, whenDone));
    }

    /**
     * Sends segments that make one message, in their order, without a copy.
     *
     * @param tag all 64 bits
     * @param payload native memory, 1 to {@value UcpData#MAX_SEGMENTS} segments
     * @return completes when the payload is free again
     */
    public Mono<Void> send(long tag, List<MemorySegment> payload) {
        UcpData data = UcpData.ofSegments(Objects.requireNonNull(payload, "payload"));
        return SingleCallMono.of(connection, OperationKind.TAG_SEND, data.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.dataOperations().tagSend(data, tag, Set.of(), whenDone)
                .isImmediate());
    }

    /**
     * Looks for a message that has arrived and that no receive has taken; it stays where it is.
     *
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @return tag and size of the oldest message that matches; empty when there is none
     */
    public Mono<TagInfo> probe(long tag, long mask) {
        return EngineCall.mono(connection.engine(), worker -> {
            connection.endpointFor(OperationKind.TAG_RECEIVE);
            return worker.tags().probe(tag, mask).map(found -> new TagInfo(found.tag(), found.length()));
        }).flatMap(Mono::justOrEmpty);
    }

    /**
     * Receives all messages whose tag matches, as many as are requested: the others wait in UCX for the next receive.
     *
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @param maxBytes size of the largest message; a longer one ends the Flux as {@code MESSAGE_TRUNCATED}
     * @return the messages in leases of the pool, each the subscriber's to release; completes after a graceful
     *     close, fails when the connection is lost
     */
    public Flux<TaggedBuffer> receiveAll(long tag, long mask, int maxBytes) {
        if (maxBytes < 0 || maxBytes > pool.maxBytes()) {
            throw new IllegalArgumentException("maxBytes " + maxBytes + ": must be in 0.." + pool.maxBytes()
                    + ", the limit of the pool");
        }
        return new LeasedTagReceive(connection, tag, mask, maxBytes, pool).repeat()
                .onErrorResume(UcxClosedException.class, refusal -> EndMono.afterEnd(connection, refusal));
    }

    /**
     * Sends a message and waits for the peer to match it ({@code ucp_tag_send_sync_nbx}).
     *
     * @param tag all 64 bits
     * @param payload native memory
     * @return completes when a receive of the peer took the message
     */
    public Mono<Void> sendSync(long tag, MemorySegment payload) {
        Objects.requireNonNull(payload, "payload");
        return SingleCallMono.of(connection, OperationKind.TAG_SEND_SYNC, payload.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.tagSendSync(payload, null, tag, whenDone));
    }

    /**
     * Receives the next message with a tag.
     *
     * @param tag the whole tag
     * @param destination native memory
     * @return the message; a cancel gives the receive up if nothing has matched it
     */
    public Mono<TaggedMessage> receive(long tag, MemorySegment destination) {
        return receive(tag, ALL_BITS, destination);
    }

    /**
     * Receives the next message whose tag matches.
     *
     * @param tag the tag
     * @param mask bits of the tag that have to match
     * @param destination native memory
     * @return the message; a cancel gives the receive up if nothing has matched it
     */
    public Mono<TaggedMessage> receive(long tag, long mask, MemorySegment destination) {
        Objects.requireNonNull(destination, "destination");
        return new TagReceive(connection, tag, mask, destination);
    }

    @Override
    public String toString() {
        return "Tags[" + connection.peer() + "]";
    }

    private static final class TagReceive extends OperationMono<TaggedMessage> {

        private final long tag;
        private final long mask;
        private final MemorySegment destination;
        /** Thread: engine. */
        private @Nullable TaggedMessage last;

        TagReceive(ConnectionCore connection, long tag, long mask, MemorySegment destination) {
            super(connection, OperationKind.TAG_RECEIVE);
            this.tag = tag;
            this.mask = mask;
            this.destination = destination;
        }

        /** Returns the result: the same object as the last time if it is equal, as in most receives of one Mono. */
        TaggedMessage message(long senderTag, long bytes) {
            TaggedMessage known = last;
            if (known == null || known.tag() != senderTag || known.data().byteSize() != bytes) {
                known = new TaggedMessage(senderTag, bytes == destination.byteSize() ? destination
                        : destination.asSlice(0, bytes));
                last = known;
            }
            return known;
        }

        @Override
        public OperationSubscription<TaggedMessage> operation(CoreSubscriber<? super TaggedMessage> actual) {
            return new TagReceiveOperation(this, actual);
        }
    }

    private static final class TagReceiveOperation extends OperationSubscription<TaggedMessage> {

        TagReceiveOperation(TagReceive wanted, CoreSubscriber<? super TaggedMessage> actual) {
            super(wanted, actual);
        }

        private TagReceive wanted() {
            return (TagReceive) mono;
        }

        @Override
        public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            TagReceive wanted = wanted();
            worker.tags().receive(wanted.destination, null, wanted.tag, wanted.mask, this);
            return false;
        }

        @Override
        public void cancelled(UcpWorker worker) {
            worker.tags().cancel(this);
        }

        @Override
        public @Nullable TaggedMessage result(long receivedLength, long senderTag) {
            return wanted().message(senderTag, receivedLength);
        }

        @Override
        protected long bytes(long receivedLength) {
            return receivedLength;
        }
    }
}
