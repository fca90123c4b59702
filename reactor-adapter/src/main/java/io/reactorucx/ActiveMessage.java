package io.reactorucx;

import io.reactorucx.core.UcpActiveMessage;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * An active message that a connection received.
 *
 * <p>Small data is inline: {@link #data()}, with nothing to release. Larger data is offered: one subscription to one of the {@code fetch}
 * methods, or {@link #discard()}, is due, and until then the sender of a rendezvous waits.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> offered data as above. <b>Errors:</b> a second fetch ends with
 * {@link IllegalStateException}, too small a destination with {@link IllegalArgumentException} and the offer still open.
 */
public final class ActiveMessage implements Disposable {

    private final ConnectionCore connection;
    private final UcpActiveMessage message;
    private final AtomicBoolean taken = new AtomicBoolean();

    ActiveMessage(ConnectionCore connection, UcpActiveMessage message) {
        this.connection = connection;
        this.message = message;
    }

    /** {@return id of the message} */
    public int id() {
        return message.id();
    }

    /** {@return the header, on the Java heap, empty when there is none} */
    public MemorySegment header() {
        return message.header();
    }

    /** {@return size of the data in bytes} */
    public long length() {
        return message.length();
    }

    /** {@return whether the data is here already} */
    public boolean isInline() {
        return message.isInline();
    }

    /** {@return whether the data is still with the sender} */
    public boolean isRendezvous() {
        return message.isRendezvous();
    }

    /** {@return inline data, on the Java heap; {@link IllegalStateException} when the data is offered} */
    public MemorySegment data() {
        return message.payload();
    }

    /**
     * Moves the data into memory of the caller.
     *
     * @param destination native memory of at least {@link #length()} bytes, alive until the Mono gives it; after an error or a cancel until
     *     {@link UcxConnection#onDispose()}
     * @return the part of the destination that was filled
     */
    public Mono<MemorySegment> fetch(MemorySegment destination) {
        if (destination.byteSize() < message.length()) {
            return Mono.error(new IllegalArgumentException("destination of " + destination.byteSize() + " bytes: the message has "
                    + message.length()));
        }
        if (destination.isReadOnly()) {
            return Mono.error(new IllegalArgumentException("destination: it is read-only"));
        }
        MemorySegment filled = destination.asSlice(0, message.length());
        if (message.isInline()) {
            return Mono.fromSupplier(() -> filled.copyFrom(message.payload()));
        }
        return mono(actual -> new FetchOperation.IntoSegment(connection, this, actual, filled));
    }

    /**
     * Moves the data into memory of a pool.
     *
     * <p>As with every Mono of something to release, a subscriber that cancels in the very moment of the delivery may drop the lease: Reactor
     * then hands it to {@code doOnDiscard}, or to the {@code onNextDropped} hook where the last subscriber is the one that dropped it.
     *
     * @param pool where to lease
     * @return the lease, which is the subscriber's to release
     */
    public Mono<UcxBuffer> fetch(UcxBufferPool pool) {
        Objects.requireNonNull(pool, "pool");
        if (message.isInline()) {
            return Mono.fromSupplier(() -> {
                UcxBuffer buffer = pool.acquire(message.length());
                buffer.segment().copyFrom(message.payload());
                return buffer;
            });
        }
        return mono(actual -> new FetchOperation.IntoPool(connection, this, actual, pool));
    }

    private static <T> Mono<T> mono(Function<CoreSubscriber<? super T>, FetchOperation<T>> operation) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                actual.onSubscribe(operation.apply(actual));
            }
        };
    }

    /** Gives the data up. Does nothing when it is inline, or fetched or discarded before. */
    public void discard() {
        if (!message.isInline() && taken.compareAndSet(false, true)) {
            connection.execute(worker -> connection.release(this));
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
        return new ActiveMessages(connection).send(id, header, payload);
    }

    @Override
    public void dispose() {
        discard();
    }

    @Override
    public boolean isDisposed() {
        return message.isInline() || taken.get();
    }

    /** Claims offered data for a fetch or for a release, once. */
    boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** A fetch did not come about: the offer is still open. */
    void giveBack() {
        taken.set(false);
    }

    UcpActiveMessage message() {
        return message;
    }
}
