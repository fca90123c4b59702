package io.reactorucx.internal.ucp;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.SingleCallMono;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.Lease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The implementation of {@link ActiveMessage}. */
public final class ReceivedMessage extends ActiveMessage {

    private static final ValueLayout.OfLong LITTLE_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final MemorySegment EMPTY = MemorySegment.ofArray(new byte[0]).asReadOnly();

    private final ActiveMessageProtocol protocol;
    /**
     * A {@link RendezvousOffer}, or a {@link UcpActiveMessage} that is inline. Null for a message of one word, so that
     * the smallest messages, which come in the greatest numbers, take one object each.
     */
    private final @Nullable Object content;
    private final long word;
    private final byte wordLength;
    private final char id;

    private ReceivedMessage(ActiveMessageProtocol protocol, UcpActiveMessage message, int id,
            @Nullable Object content) {
        this.protocol = protocol;
        this.content = content;
        this.word = content == null ? message.dataWord() : 0;
        this.wordLength = content == null ? (byte) message.length() : 0;
        this.id = (char) id;
    }

    /**
     * Returns a message that has arrived for a receiver, and adds its offer to those of the connection. Thread: engine.
     *
     * @param id the application's id
     * @param place where the application asked for the messages, for the report of a leak
     */
    static ReceivedMessage of(ActiveMessageProtocol protocol, UcpActiveMessage message, int id,
            @Nullable LeakRecord place) {
        if (message.isInline()) {
            boolean isWord = message.isWord()
                    || message.length() <= Long.BYTES && !protocol.hasHeader(message);
            return new ReceivedMessage(protocol, message, id, isWord ? null : message.keep());
        }
        RendezvousOffer offer = new RendezvousOffer(protocol.connection(), protocol.offers(), protocol.leaks(),
                message, id);
        ReceivedMessage received = new ReceivedMessage(protocol, message, id, offer);
        if (protocol.leaks().watchesOffers()) {
            offer.watch(received, place);
        }
        protocol.offers().add(offer);
        return received;
    }

    private @Nullable RendezvousOffer offer() {
        return content instanceof RendezvousOffer offer ? offer : null;
    }

    /** Returns the message of the core, null for a message of one word. */
    private @Nullable UcpActiveMessage message() {
        return content instanceof RendezvousOffer offer ? offer.message() : (UcpActiveMessage) content;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public MemorySegment header() {
        UcpActiveMessage message = message();
        return message == null ? EMPTY : protocol.headerOf(message);
    }

    @Override
    public long length() {
        UcpActiveMessage message = message();
        return message == null ? wordLength : message.length();
    }

    @Override
    public boolean hasData() {
        return offer() == null;
    }

    @Override
    public boolean isRendezvous() {
        UcpActiveMessage message = message();
        return message != null && message.isRendezvous();
    }

    @Override
    public MemorySegment data() {
        UcpActiveMessage message = message();
        if (message != null) {
            return message.payload();
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[Long.BYTES]);
        bytes.set(LITTLE_ENDIAN, 0, word);
        return bytes.asSlice(0, wordLength).asReadOnly();
    }

    @Override
    public Mono<MemorySegment> fetch(MemorySegment destination) {
        if (destination.byteSize() < length()) {
            return Mono.error(new IllegalArgumentException("destination of " + destination.byteSize()
                    + " bytes: the message has " + length()));
        }
        if (destination.isReadOnly()) {
            return Mono.error(new IllegalArgumentException("destination: it is read-only"));
        }
        MemorySegment filled = destination.asSlice(0, length());
        RendezvousOffer open = offer();
        if (open == null) {
            return Mono.fromSupplier(() -> filled.copyFrom(data()));
        }
        return OperationMono.of(protocol.connection(), OperationKind.AM_FETCH,
                (mono, actual) -> new FetchOperation.IntoSegment(mono, this, open, actual, filled));
    }

    @Override
    public Mono<UcxBuffer> fetch(UcxBufferPool pool) {
        LeasePool into = LeasePool.of(Objects.requireNonNull(pool, "pool"));
        LeakRecord place = into.place();
        RendezvousOffer open = offer();
        if (open == null) {
            return Mono.fromSupplier(() -> {
                UcxBuffer buffer = into.acquire(length(), place);
                buffer.segment().copyFrom(data());
                Lease.addOrigin(buffer, FetchOperation.RECEIVED, protocol.connection().peer(), this,
                        ReceiverName::of, place);
                return buffer;
            });
        }
        return OperationMono.of(protocol.connection(), OperationKind.AM_FETCH,
                (mono, actual) -> new FetchOperation.IntoPool(mono, this, open, actual, into, place));
    }

    @Override
    public <T> Mono<T> read(UcxBufferPool pool, Function<? super MemorySegment, ? extends @Nullable T> reader) {
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(reader, "reader");
        RendezvousOffer open = offer();
        if (open == null) {
            return Mono.fromSupplier(() -> reader.apply(data()));
        }
        if (open.message().isLocal()) {
            return OperationMono.of(protocol.connection(), OperationKind.AM_FETCH,
                    (mono, actual) -> new FetchOperation.InPlace<T>(mono, this, open, actual, reader));
        }
        return fetch(pool).<T>mapNotNull(moved -> {
            try (Arena call = Arena.ofConfined()) {
                return reader.apply(NativeBytes.lend(moved.segment(), call));
            } finally {
                moved.release();
            }
        }).doOnDiscard(UcxBuffer.class, UcxBuffer::discard);
    }

    /** Gives the data up and tells the sender, unless the application has taken it. Thread: engine. */
    void refuse() {
        RendezvousOffer open = offer();
        if (open != null && open.take()) {
            protocol.refuse(open);
        }
    }

    @Override
    public void discard() {
        RendezvousOffer open = offer();
        if (open != null) {
            open.discard();
        }
    }

    @Override
    public Mono<Void> reply(int replyId, MemorySegment header, MemorySegment payload) {
        ActiveMessageArguments.check(protocol.connection(), replyId, header, AmProtocol.AUTO);
        Objects.requireNonNull(payload, "payload");
        return SingleCallMono.of(protocol.connection(), OperationKind.AM_SEND,
                payload.byteSize(), (worker, endpoint, whenDone) ->
                protocol.send(endpoint, replyId, header, payload, null, AmProtocol.AUTO, whenDone));
    }

    @Override
    public boolean isDisposed() {
        RendezvousOffer open = offer();
        return open == null || open.isTaken();
    }

    @Override
    public String toString() {
        return "ActiveMessage[" + id() + " of " + protocol.connection().peer() + ", " + length() + " bytes"
                + (offer() == null ? "]" : isDisposed() ? ", offer, taken]" : ", offer]");
    }
}
