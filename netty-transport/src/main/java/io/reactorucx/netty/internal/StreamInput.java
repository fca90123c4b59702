package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.netty.buffer.BufferMemory;
import io.reactorucx.netty.counter.LoopCount;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a byte stream: what has come, what is being fetched, and how much more may come.
 *
 * <p>Thread: loop.
 */
final class StreamInput {

    /** The smallest data that the peer may offer: as much as this side offers at least. */
    private static final int MIN_OFFERED_BYTES = StreamOutput.SHARED_FROM;

    private final StreamContext context;
    private final int window;
    private final LoopRounds.Turn turn;
    private final Consumer<IOException> broken;
    private final ArrivalQueue arrivals;
    private @Nullable LinkMessages link;
    /** Offers for whose fetch the link has no room; made for the first one. */
    private @Nullable Queue<Offer> offers;
    /** The offset up to which the peer was allowed to send, modulo 2^32. */
    private int granted;
    private int toldBefore;
    private boolean finished;
    private int end;
    private boolean shut;
    private boolean cleared;
    private int fetching;
    private boolean fetchesGivenUp;

    /**
     * What nothing has come for.
     *
     * @param window how many bytes the peer may be ahead of the reader
     * @param turn of the stream
     * @param broken ends the stream when data is lost
     */
    StreamInput(StreamContext context, int window, LoopRounds.Turn turn, Consumer<IOException> broken) {
        this.context = context;
        this.window = window;
        this.turn = turn;
        this.broken = broken;
        this.arrivals = new ArrivalQueue(window);
    }

    /** Data that is still with the peer. */
    private record Offer(UcpActiveMessage message, Object place, int length) {
    }

    /** Sets the link over which data comes. */
    void fetchOver(LinkMessages over) {
        link = over;
    }

    private LinkMessages link() {
        return Objects.requireNonNull(link);
    }

    /** Returns the credit that goes with the next frame: a window behind what was read. */
    int grant() {
        toldBefore = granted;
        granted = arrivals.read() + window;
        return granted;
    }

    /** The frame of the last grant could not be sent: the peer knows the one before. */
    void notTold() {
        granted = toldBefore;
    }

    /** Returns whether so much was read that the peer should know. */
    boolean owesCredit() {
        return arrivals.read() + window - granted >= window / 2 && !finished;
    }

    /** Takes data, and returns false if it may not come. */
    boolean data(UcpActiveMessage message, int offset, ByteBufAllocator allocator) {
        long length = message.length();
        if (length > window || message.isRendezvous() && length < MIN_OFFERED_BYTES
                || !arrivals.accepts(offset, (int) length, granted)
                || finished && offset + (int) length - end > 0) {
            return false;
        }
        int bytes = (int) length;
        context.counters().add(LoopCount.RECEIVED_BYTES, bytes);
        if (message.isInline()) {
            arrivals.copy(offset, message.readInPlace(), message.headerBytes(), bytes, allocator);
            return true;
        }
        ByteBuf placed = link().take(message);
        if (placed != null) {
            arrivals.add(offset, placed);
        } else {
            fetching++;
            Offer offer = new Offer(message, arrivals.reserve(offset, bytes), bytes);
            if (!fetch(offer, allocator)) {
                fetchLater(offer);
            }
        }
        return true;
    }

    /** Releases what UCX holds of a message that is not taken. */
    void drop(UcpActiveMessage message) {
        link().drop(message);
    }

    /** Begins a fetch, and returns false if it has to wait. */
    private boolean fetch(Offer offer, ByteBufAllocator allocator) {
        LinkMessages over = link();
        if (offer.message.isRendezvous() && !over.room().isFreeForFetch()) {
            return false;
        }
        ByteBuf data = over.isShared() ? context.buffers().forShared(offer.length, allocator)
                : allocator.directBuffer(offer.length, offer.length);
        boolean done;
        try {
            done = over.fetch(offer.message, BufferMemory.of(data, 0, offer.length),
                    (status, bytes, tag) -> {
                        over.room().fetchEnded();
                        fetched(offer, data, status);
                        context.rounds().ready(turn);
                    });
        } catch (OutOfMemoryError e) {
            data.release();
            throw e;
        } catch (RuntimeException e) {
            data.release();
            if (e instanceof UcxException refused && refused.isRetryable()) {
                return false;
            }
            fetching--;
            over.drop(offer.message);
            context.rounds().later(() -> broken.accept(new IOException("Connection reset by peer", e)));
            return true;
        }
        if (done) {
            fetched(offer, data, 0);
        } else {
            over.room().fetchStarted();
        }
        return true;
    }

    private void fetchLater(Offer offer) {
        Queue<Offer> waiting = offers;
        if (waiting == null) {
            waiting = new ArrayDeque<>();
            offers = waiting;
        }
        waiting.add(offer);
        link().room().await(turn);
    }

    /** Begins the fetches that had to wait, as far as there is room. */
    void fetchWaiting(ByteBufAllocator allocator) {
        Queue<Offer> waiting = offers;
        if (waiting == null) {
            return;
        }
        for (Offer next = waiting.peek(); next != null; next = waiting.peek()) {
            if (!fetch(next, allocator)) {
                link().room().await(turn);
                return;
            }
            waiting.poll();
        }
    }

    /** Gives up what has not been fetched yet. */
    void dropOffers() {
        Queue<Offer> waiting = offers;
        if (waiting != null) {
            fetching -= waiting.size();
            waiting.forEach(offer -> drop(offer.message));
            waiting.clear();
        }
    }

    private void fetched(Offer offer, ByteBuf data, int status) {
        fetching--;
        if (cleared || status < 0) {
            data.release();
            if (status < 0) {
                broken.accept(new IOException("Connection reset by peer: data of " + offer.length
                        + " bytes was not fetched", new UcxException(status, "am_recv_data", null)));
            }
            return;
        }
        data.writerIndex(offer.length);
        arrivals.arrived(offer.place, data);
    }

    /** The peer sends nothing behind an offset. Returns false if that cannot be. */
    boolean finish(int offset) {
        if (finished && offset != end || offset - arrivals.end() < 0 || offset - granted > 0) {
            return false;
        }
        finished = true;
        end = offset;
        return true;
    }

    /** The peer has closed before it could send anything. */
    void finishUnopened() {
        finished = true;
        end = arrivals.next();
    }

    /** Returns whether all that the peer sends is here. */
    boolean isComplete() {
        return finished && !arrivals.isWaitingBefore(end);
    }

    @Nullable ByteBuf read(int most) {
        return arrivals.read(most);
    }

    /** Returns the offset behind the last byte that was read, modulo 2^32. */
    int position() {
        return arrivals.read();
    }

    boolean hasBytes() {
        return arrivals.readyBytes() > 0;
    }

    /** Returns whether all that the peer sends was read. */
    boolean isAtEnd() {
        return isComplete() && !hasBytes();
    }

    /** The peer is gone, and what is being fetched has not come in time. */
    void giveUpFetches() {
        fetchesGivenUp = true;
    }

    /** Returns whether data has come that was not read, or is being fetched. */
    boolean isUnread() {
        return hasBytes() || fetching > 0 && !fetchesGivenUp;
    }

    boolean isFetching() {
        return fetching > 0;
    }

    /** Drops all data that comes from now on. */
    void shut() {
        shut = true;
    }

    boolean isShut() {
        return shut;
    }

    /** Drops what has come, as if it had been read. Returns whether there was something. */
    boolean skip() {
        return arrivals.skip();
    }

    /** Drops all, for ever. */
    void clear() {
        cleared = true;
        dropOffers();
        arrivals.clear();
    }

    @Override
    public String toString() {
        return "arrived=" + arrivals.next() + ", read=" + arrivals.read() + ", granted=" + granted + ", fetching="
                + fetching + (finished ? ", ends at " + end : "");
    }
}
