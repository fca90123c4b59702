package io.reactorucx.message;

import io.reactorucx.buffer.Discardable;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.internal.ucp.ReceivedMessage;
import io.reactorucx.transport.LeakDetection;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An active message that a connection received.
 *
 * <p>{@link #hasData()} tells how to take its data. Small data is part of the message: {@link #data()} returns it, and
 * there is nothing to release. Larger data is <em>offered</em>: it is still with UCX, or with the sender of a
 * rendezvous, which waits. Each offer needs one subscription to {@code fetch} or {@code read}, or a
 * {@link #discard()}. A fetch that is cancelled gives the data up; a fetch that fails before it has begun, because the
 * pool is empty, leaves it open for another.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> offered data as above. <b>Errors:</b> a second fetch ends with
 * {@link IllegalStateException}, too small a destination with {@link IllegalArgumentException} and the offer still
 * open.
 */
public abstract sealed class ActiveMessage implements Discardable permits ReceivedMessage {

    /** For the implementation. */
    protected ActiveMessage() {
    }

    /** {@return id of the message} */
    public abstract int id();

    /** {@return the header, on the Java heap, empty when there is none} */
    public abstract MemorySegment header();

    /** {@return size of the data in bytes} */
    public abstract long length();

    /**
     * {@return whether {@link #data()} returns the data; if not, the data is offered and has to be fetched or
     * discarded}
     */
    public abstract boolean hasData();

    /**
     * {@return whether the data is still with the sender}
     *
     * <p>False does not mean that {@link #data()} returns the data: what a sender sent eagerly is offered as well when
     * it is large. Ask {@link #hasData()} for that.
     */
    public abstract boolean isRendezvous();

    /**
     * {@return the data, on the Java heap; {@link IllegalStateException} unless {@link #hasData()}}
     */
    public abstract MemorySegment data();

    /**
     * Moves the data into memory of the caller.
     *
     * @param destination native memory of at least {@link #length()} bytes, alive until the Mono gives it; after an
     *     error or a cancel until the connection's {@code onDispose()}
     * @return the part of the destination that was filled
     */
    public abstract Mono<MemorySegment> fetch(MemorySegment destination);

    /**
     * Moves the data into memory of a pool.
     *
     * <p>As with every Mono of something to release, a subscriber that cancels in the very moment of the delivery may
     * drop the lease: Reactor then hands it to {@code doOnDiscard}, or to the {@code onNextDropped} hook if the last
     * subscriber of the chain dropped it. Give {@link UcxBuffer#discard(Object)} to both; without that
     * {@link LeakDetection} decides whether the lease comes back. {@code publishOn} reports neither of the values that
     * wait for its thread when it is cancelled: change threads in a {@code flatMap} whose inner publisher releases.
     *
     * @param pool pool of the lease
     * @return the lease, which the subscriber has to release
     */
    public abstract Mono<UcxBuffer> fetch(UcxBufferPool pool);

    /**
     * Has a function read the data where it is, without a copy: in memory that the sender has written and this process
     * has mapped ({@link UcxBufferPool}), in UCX's, or in the message. Only data that is in neither, as after a
     * rendezvous of UCX, is moved to the pool first. The sender's memory is free again when the function returns.
     *
     * <p>The function runs on the engine's thread, and other connections of the engine wait for it; data that is in the
     * message ({@link #hasData()}) is read on the subscriber's thread. A sender that misbehaves may change the data
     * while it is read; whoever checks what he reads copies it before, as {@code fetch} does.
     *
     * @param pool pool of a lease, if it is needed
     * @param reader gets read-only memory, and returns the value, or null for none. The memory is valid during the call
     *     and for its thread: an access afterwards throws {@link IllegalStateException}, one by another thread {@link
     *     WrongThreadException}, unless the data is in the message
     * @param <T> type of the value
     * @return the value, once; what the function throws; {@code CONNECTION_RESET} if the sender has meanwhile used the
     *     memory for something else, because its side of the connection has ended
     */
    public abstract <T> Mono<T> read(UcxBufferPool pool,
            Function<? super MemorySegment, ? extends @Nullable T> reader);

    /** Gives offered data up. Does nothing when there is no offer, or when it was fetched or discarded before. */
    public abstract void discard();

    /**
     * Sends an active message to the peer that sent this one.
     *
     * @param id id that the peer listens on
     * @param header at most the connection's {@code maxHeaderBytes()}
     * @param payload native memory, alive until the Mono ends
     * @return completes when the payload is free again
     */
    public abstract Mono<Void> reply(int id, MemorySegment header, MemorySegment payload);

    /** As {@link #discard()}. */
    @Override
    public final void dispose() {
        discard();
    }

    /** {@return whether there is no offered data, or it was fetched or discarded} */
    @Override
    public abstract boolean isDisposed();
}
