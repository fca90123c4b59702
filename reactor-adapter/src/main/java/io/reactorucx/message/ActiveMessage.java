package io.reactorucx.message;

import io.reactorucx.ActiveMessages;
import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.LeakDetection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.ucp.ActiveMessageProtocol;
import io.reactorucx.internal.ucp.FetchOperation;
import io.reactorucx.internal.ucp.RendezvousOffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * An active message that a connection received.
 *
 * <p>Small data is inline: {@link #data()}, with nothing to release. Larger data is offered: one subscription to one of
 * the {@code fetch} methods, or {@link #discard()}, is due, and until then the sender of a rendezvous waits. A fetch
 * that is cancelled gives the data up; one that fails before it has begun, because the pool is empty, leaves it open
 * for another.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> offered data as above. <b>Errors:</b> a second fetch ends with
 * {@link IllegalStateException}, too small a destination with {@link IllegalArgumentException} and the offer still
 * open.
 */
public final class ActiveMessage implements Disposable {

    private static final ValueLayout.OfLong LITTLE_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final MemorySegment EMPTY = MemorySegment.ofArray(new byte[0]).asReadOnly();

    private final ActiveMessageProtocol protocol;
    /**
     * An {@link RendezvousOffer}, or a message that is inline; null for one that is a word: these come in great
     * numbers, and take one object each.
     */
    private final @Nullable Object content;
    private final long word;
    private final byte wordLength;
    private final char id;

    private ActiveMessage(ActiveMessageProtocol protocol, UcpActiveMessage message, @Nullable Object content) {
        this.protocol = protocol;
        this.content = content;
        this.word = content == null ? message.word() : 0;
        this.wordLength = content == null ? (byte) message.length() : 0;
        this.id = (char) message.id();
    }

    /** A message that has come, for who subscribed at a place, if that is remembered. On the engine's thread. */
    public static ActiveMessage received(ActiveMessageProtocol protocol, UcpActiveMessage message,
            @Nullable LeakRecord subscribed) {
        if (message.isInline()) {
            return new ActiveMessage(protocol, message, message.isWord() ? null : message.keep());
        }
        RendezvousOffer offer = new RendezvousOffer(protocol, message);
        ActiveMessage received = new ActiveMessage(protocol, message, offer);
        if (protocol.leaks().watchesOffers()) {
            offer.watch(received, subscribed);
        }
        protocol.offers().add(offer);
        return received;
    }

    private @Nullable RendezvousOffer offer() {
        return content instanceof RendezvousOffer offer ? offer : null;
    }

    /** What the core knows of it, unless it is a word. */
    private @Nullable UcpActiveMessage message() {
        return content instanceof RendezvousOffer offer ? offer.message() : (UcpActiveMessage) content;
    }

    /** {@return id of the message} */
    public int id() {
        return id;
    }

    /** {@return the header, on the Java heap, empty when there is none} */
    public MemorySegment header() {
        UcpActiveMessage message = message();
        return message == null ? EMPTY : message.header();
    }

    /** {@return size of the data in bytes} */
    public long length() {
        UcpActiveMessage message = message();
        return message == null ? wordLength : message.length();
    }

    /** {@return whether the data is here already} */
    public boolean isInline() {
        return offer() == null;
    }

    /** {@return whether the data is still with the sender} */
    public boolean isRendezvous() {
        UcpActiveMessage message = message();
        return message != null && message.isRendezvous();
    }

    /** {@return inline data, on the Java heap; {@link IllegalStateException} when the data is offered} */
    public MemorySegment data() {
        UcpActiveMessage message = message();
        if (message != null) {
            return message.payload();
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[Long.BYTES]);
        bytes.set(LITTLE_ENDIAN, 0, word);
        return bytes.asSlice(0, wordLength).asReadOnly();
    }

    /**
     * Moves the data into memory of the caller.
     *
     * @param destination native memory of at least {@link #length()} bytes, alive until the Mono gives it; after an
     *     error or a cancel until {@link UcxConnection#onDispose()}
     * @return the part of the destination that was filled
     */
    public Mono<MemorySegment> fetch(MemorySegment destination) {
        if (destination.byteSize() < length()) {
            return Mono.error(new IllegalArgumentException("destination of " + destination.byteSize()
                    + " bytes: the message has "
                    + length()));
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

    /**
     * Moves the data into memory of a pool.
     *
     * <p>As with every Mono of something to release, a subscriber that cancels in the very moment of the delivery may
     * drop the lease: Reactor then hands it to {@code doOnDiscard}, or to the {@code onNextDropped} hook where the last
     * subscriber is the one that dropped it. Give both {@link UcxBuffer#discard(Object)}; without that
     * {@link LeakDetection} decides whether the lease comes back. {@code publishOn} tells neither of what waits for its
     * thread when it is cancelled: go on elsewhere in a {@code flatMap} whose inner publisher releases.
     *
     * @param pool where to lease
     * @return the lease, which is the subscriber's to release
     */
    public Mono<UcxBuffer> fetch(UcxBufferPool pool) {
        Objects.requireNonNull(pool, "pool");
        RendezvousOffer open = offer();
        if (open == null) {
            return Mono.fromSupplier(() -> {
                UcxBuffer buffer = pool.acquire(length());
                buffer.segment().copyFrom(data());
                return buffer;
            });
        }
        return OperationMono.of(protocol.connection(), OperationKind.AM_FETCH,
                (mono, actual) -> new FetchOperation.IntoPool(mono, this, open, actual, pool));
    }

    /** Gives the data up. Does nothing when it is inline, or fetched or discarded before. */
    public void discard() {
        RendezvousOffer open = offer();
        if (open != null) {
            open.discard();
        }
    }

    /**
     * Sends an active message back to where this one came from.
     *
     * @param id id that the peer listens on
     * @param header at most {@link UcxConnection#maxHeaderBytes()}
     * @param payload native memory, alive until the Mono ends
     * @return completes when the payload is free again
     */
    public Mono<Void> reply(int id, MemorySegment header, MemorySegment payload) {
        return new ActiveMessages(protocol.connection()).send(id, header, payload);
    }

    @Override
    public void dispose() {
        discard();
    }

    @Override
    public boolean isDisposed() {
        RendezvousOffer open = offer();
        return open == null || open.isTaken();
    }
}
