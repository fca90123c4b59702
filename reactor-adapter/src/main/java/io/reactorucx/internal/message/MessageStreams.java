package io.reactorucx.internal.message;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.internal.message.send.OutboundStream;
import io.reactorucx.internal.message.send.SendScheduler;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection: the default one, those that this side opens, and those that it accepts.
 *
 * <p>Thread: engine.
 */
public final class MessageStreams {

    /** A first payload may have so many bytes where all messages are large: the head of a request always goes along. */
    private static final int MIN_FIRST_BYTES = 64;

    private final StreamContext context;
    private final SendScheduler scheduler;
    private final MessageStream defaultStream;
    private final StreamTable table = new StreamTable();
    private final Deque<Opening> waiting = new ArrayDeque<>();
    private boolean openingWaiting;
    private Openings openings = Openings.TAKEN;
    private @Nullable StreamAcceptor acceptor;
    private String refusal = "this client answers no requests: UcxConnection.respond(..)";
    private int lastOpened;
    private int lastAccepted;
    private int opened;
    private int accepted;
    /** How many of the accepted ones were refused. */
    private int refused;
    /** How many requests go on whose streams may have ended. */
    private int held;
    /** The text that the peer is told once no further streams are accepted. */
    private @Nullable String stop;
    private @Nullable Runnable whenDone;
    private boolean peerReady;
    private int maxOpened = FlowControlConfig.DEFAULT.maxStreams();

    MessageStreams(StreamContext context, SendScheduler scheduler) {
        this.context = context;
        this.scheduler = scheduler;
        this.defaultStream = general(0);
    }

    /** Returns a new stream, which has to be added. */
    MessageStream general(int id) {
        return new MessageStream(this, context, scheduler, id);
    }

    /** Whether either side opens streams. */
    private enum Openings {
        TAKEN,
        /** The peer begins to close, and takes no more; it may still open some. */
        REFUSED_BY_PEER,
        /** Either side has closed. */
        REFUSED
    }

    /** Accepts the streams that the peer opens. */
    @FunctionalInterface
    public interface StreamAcceptor {

        /** The peer has opened a stream; from now on the acceptor has to end it. */
        void opened(MessageStream stream, byte[] first);

        /**
         * As {@link #opened}, before a stream is made for it: a stream of the acceptor's own may be registered by
         * {@link #accepted} in its place.
         *
         * @param id the stream's id
         * @param messages the first credit, as {@code bytes}
         * @param offset of the first payload in the batch
         * @return whether one was; otherwise {@link #opened} follows
         */
        default boolean opened(int id, int messages, int bytes, InboundBatch batch, int offset, int length) {
            return false;
        }
    }

    /** The opening of a stream, at once or when the peer takes another one. */
    public interface Opening {

        /** There is room for a stream: {@link #open(byte[])} opens one. */
        void open();

        /** There will be none. */
        void refused(RuntimeException error);
    }

    /** Sets what accepts streams; without it they are refused. Returns false if there is an acceptor already. */
    public boolean accept(StreamAcceptor listener) {
        if (acceptor != null) {
            return false;
        }
        acceptor = listener;
        return true;
    }

    /** Sets what the peer is told when there is no acceptor. */
    public void refuseWith(String text) {
        refusal = text;
    }

    /** Refuses further streams of the peer, while those that are accepted go on. */
    public void stopAccepting(String text) {
        stop = text;
        doneIfLast();
    }

    /** A request goes on until {@link #release}, also when its stream has ended. */
    public void hold() {
        held++;
    }

    /** A request that was held is over. */
    public void release() {
        held--;
        doneIfLast();
    }

    /**
     * Calls back once, when no further streams are accepted and no stream and no request is left; the last call of this
     * counts.
     */
    public void whenDone(Runnable action) {
        whenDone = action;
        doneIfLast();
    }

    private void doneIfLast() {
        Runnable action = whenDone;
        if (action != null && stop != null && accepted == refused && held == 0) {
            whenDone = null;
            action.run();
        }
    }

    public void removeAcceptor(StreamAcceptor listener) {
        if (acceptor == listener) {
            acceptor = null;
        }
    }

    public MessageStream defaultStream() {
        return defaultStream;
    }

    /** Calls an opening at once, or when the peer takes another stream. Returns whether it waits. */
    public boolean request(Opening opening) {
        if (openings != Openings.TAKEN) {
            opening.refused(closed());
            return false;
        }
        if (hasRoom() && waiting.isEmpty()) {
            opening.open();
            return false;
        }
        int max = context.limits().maxWaitingRequests();
        if (maxOpened == 0 || waiting.size() >= max) {
            opening.refused(noRoom("; " + waiting.size() + " requests wait, maxWaitingRequests is " + max));
            return false;
        }
        waiting.add(opening);
        context.counters().waitingRequests(1);
        return true;
    }

    private UcxException closed() {
        return context.closed("open", "the connection is closed");
    }

    private boolean hasRoom() {
        return opened < maxOpened;
    }

    private UcxException noRoom(String more) {
        return new UcxException(UcxStatus.EXCEEDS_LIMIT, "open", context.connection().peer(),
                "the peer takes " + maxOpened + " streams at once, and " + opened + " are open" + more);
    }

    /** Forgets an opening that waits; returns false if it does not. */
    public boolean forget(Opening opening) {
        boolean waited = waiting.remove(opening);
        if (waited) {
            context.counters().waitingRequests(-1);
        }
        return waited;
    }

    /** Calls the openings for which there is room; one of them may make room for the next. */
    private void openWaiting() {
        if (openingWaiting) {
            return;
        }
        openingWaiting = true;
        try {
            // Once no more are opened, they are refused.
            while (openings == Openings.TAKEN && hasRoom() && !waiting.isEmpty()) {
                context.counters().waitingRequests(-1);
                waiting.remove().open();
            }
        } finally {
            openingWaiting = false;
        }
    }

    /** The peer begins to close. */
    void peerCloses() {
        if (openings == Openings.TAKEN) {
            openings = Openings.REFUSED_BY_PEER;
        }
    }

    /** Either side has closed. */
    void close() {
        openings = Openings.REFUSED;
    }

    /** No more streams will be opened. */
    void refuseWaiting(RuntimeException error) {
        for (Opening next = waiting.poll(); next != null; next = waiting.poll()) {
            context.counters().waitingRequests(-1);
            next.refused(error);
        }
    }

    StreamContext context() {
        return context;
    }

    /** Returns how many large messages the connections of the engine may have in flight together. */
    int maxOffers() {
        return scheduler.maxOffers();
    }

    /** Returns how many openings wait. */
    int waiting() {
        return waiting.size();
    }

    /** Returns a number that each stream that is opened changes. */
    int opened() {
        return lastOpened;
    }

    /**
     * Opens a stream with a first payload of at most the inline size. Fails with {@link UcxStatus#EXCEEDS_LIMIT} if the
     * peer takes no more streams.
     */
    public MessageStream open(byte[] first) {
        int maxBytes = Math.max(context.limits().rendezvousBytes(), MIN_FIRST_BYTES);
        if (openings != Openings.TAKEN) {
            throw closed();
        }
        if (first.length > maxBytes) {
            throw new IllegalArgumentException("first of " + first.length + " bytes: must be at most " + maxBytes);
        }
        if (!hasRoom()) {
            throw noRoom("");
        }
        MessageStream stream = general(0);
        addOpened(stream);
        stream.open(first);
        return stream;
    }

    /** Gives a stream that this side opens the next id. */
    void addOpened(MultiplexedStream stream) {
        do {
            lastOpened++;
        } while (lastOpened << 1 == 0 || table.get(lastOpened << 1 | 1) != null);
        stream.id(lastOpened << 1 | 1);
        table.add(stream);
        opened++;
        context.counters().streams(1);
    }

    /** Registers an acceptor's own stream in place of the one that the peer is opening. */
    public void accepted(MultiplexedStream stream, int id, int messages) {
        stream.id(id);
        table.add(stream);
        accepted++;
        context.counters().streams(1);
        context.counters().credit(messages);
    }

    void replace(MessageStream stream) {
        table.replace(stream);
    }

    boolean isOpen(MultiplexedStream stream) {
        return table.get(stream.id()) == stream;
    }

    /** The peer has opened a stream: hands it to the acceptor, or refuses it. */
    void openedByPeer(int peerId, int messages, int bytes, InboundBatch batch, int offset, int length) {
        int id = ownId(peerId);
        if (isOpenedHere(id) || id == 0 || !isAhead(id, lastAccepted) || table.get(id) != null) {
            throw new ProtocolViolationException("stream " + Integer.toUnsignedString(peerId) + " cannot be opened");
        }
        lastAccepted = id >>> 1;
        if (openings == Openings.REFUSED) {
            // The peer's frames for this stream have crossed with the end of the connection and are ignored.
            return;
        }
        int max = context.limits().maxStreams();
        // Accepted streams, which this side may still work on when the peer has ended them, and refused ones, which
        // count until the peer takes them for closed: up to the limit, or its default until the peer knows the limit.
        if (accepted >= max + Math.max(max, FlowControlConfig.DEFAULT.maxStreams())) {
            throw new ProtocolViolationException(accepted + " streams, " + max + " are allowed");
        }
        StreamAcceptor listener = stop == null ? acceptor : null;
        if (listener != null && accepted < max && listener.opened(id, messages, bytes, batch, offset, length)) {
            return;
        }
        MessageStream stream = general(id);
        table.add(stream);
        context.counters().streams(1);
        stream.output().grant(messages, bytes);
        if (++accepted > max || listener == null) {
            // Refused at once: the peer may end the stream and open others in the same batch.
            refused++;
            stream.refuse(stop != null ? stop : listener == null ? refusal : "more than " + max + " streams");
        } else {
            listener.opened(stream, batch.copy(offset, length));
        }
    }

    /** Returns the stream of a frame; null if it is closed, so that the frame has crossed with its end. */
    @Nullable MultiplexedStream find(int peerId) {
        int id = ownId(peerId);
        if (id == 0) {
            return defaultStream;
        }
        MultiplexedStream stream = table.get(id);
        if (stream == null && isAhead(id, isOpenedHere(id) ? lastOpened : lastAccepted)) {
            throw new ProtocolViolationException("stream " + Integer.toUnsignedString(peerId)
                    + ", which was never opened");
        }
        return stream;
    }

    /** Converts an id of the peer's frames: each side sets the lowest bit for the streams that it opened. */
    static int ownId(int peerId) {
        return peerId == 0 ? 0 : peerId ^ 1;
    }

    static boolean isOpenedHere(int id) {
        return (id & 1) == 1;
    }

    /** Returns whether an id comes after the last one; ids wrap around. */
    private static boolean isAhead(int id, int last) {
        return (id & ~1) - (last << 1) > 0;
    }

    /** Both directions of a stream have ended. */
    void closed(MultiplexedStream stream) {
        boolean openedHere = isOpenedHere(stream.id());
        table.remove(stream);
        if (openedHere) {
            opened--;
            if (!waiting.isEmpty()) {
                openWaiting();
            }
        } else {
            accepted--;
            if (stream instanceof MessageStream general && general.isRefused()) {
                refused--;
            }
            if (stop != null) {
                doneIfLast();
            }
        }
        context.counters().streams(-1);
    }

    /**
     * Returns whether the peer has said what it takes. What overtakes a connection's establishment at the peer is lost:
     * only after this may a message be sent that the peer has given no credit for.
     */
    public boolean isPeerReady() {
        return peerReady;
    }

    /** Sets how many streams the peer takes at once. */
    void limit(int maxStreams) {
        peerReady = true;
        maxOpened = maxStreams;
        if (maxStreams == 0) {
            refuseWaiting(noRoom(""));
        }
        openWaiting();
    }

    boolean areInputsDrained() {
        return table.allMatch(each -> !(each instanceof MessageStream stream) || stream.input().isDrained())
                && defaultStream.input().isDrained();
    }

    boolean areOutputsDrained() {
        return table.allMatch(each -> !(each instanceof MessageStream stream) || stream.output().isDrained())
                && defaultStream.output().isDrained();
    }

    /** Calls the action, which must not close streams, for the outgoing direction of each stream. */
    void forEachOutput(Consumer<OutboundStream> action) {
        action.accept(defaultStream.output());
        table.allMatch(each -> {
            if (each instanceof MessageStream stream) {
                action.accept(stream.output());
            }
            return true;
        });
    }

    /** Calls the action, which must not close streams, for each stream but the default one. */
    void forEachOpen(Consumer<MultiplexedStream> action) {
        table.allMatch(each -> {
            action.accept(each);
            return true;
        });
    }

    /** Calls the action for each stream; the action may close any of them. */
    void forEach(Consumer<MultiplexedStream> action) {
        action.accept(defaultStream);
        table.forEach(action);
    }
}
