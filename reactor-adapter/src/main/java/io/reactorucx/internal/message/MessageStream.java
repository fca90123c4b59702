package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One of the streams of messages that share a connection: each direction has its own credit and its own end.
 *
 * <p><b>Threading:</b> {@link #receive}, {@link #send}, {@link #complete}, {@link #fail} and {@link #cancel} from any
 * thread, all else on the engine's. <b>Ownership:</b> whoever opened or accepted a stream ends both directions, or its
 * place is not given to another: the outgoing one by {@link #complete} or {@link #fail}, the incoming one by receiving
 * its end, by cancelling what receives, or by {@link #cancel}.
 */
public final class MessageStream {

    private static final byte[] NOTHING = new byte[0];

    private final MessageMultiplexer mux;
    private final int id;
    private final boolean ours;
    private final InboundStream input;
    private final OutboundStream output;
    private byte[] first = NOTHING;
    private boolean openDue;
    private boolean ready;
    private boolean closed;

    /** A stream that frames of this side call by an id, and frames of the peer by {@link #peerId}. */
    MessageStream(MessageMultiplexer mux, int id, boolean ours) {
        this.mux = mux;
        this.id = id;
        this.ours = ours;
        this.input = new InboundStream(this, mux);
        this.output = new OutboundStream(this, mux);
    }

    /** The same stream in the other side's words. */
    static int peerId(int id) {
        return id == 0 ? 0 : id ^ 1;
    }

    /** Tells the peer of the stream, with a first payload that needs no credit, before anything else. */
    void open(byte[] payload) {
        first = payload;
        openDue = true;
        ready();
    }

    /** As {@link #send} when it is subscribed to, without an operator. */
    public <T> void send(Publisher<? extends T> messages, Function<? super T, Object> encoder,
            CoreSubscriber<Void> whenSent) {
        SendSubscriber.send(output, messages, encoder, whenSent);
    }

    /** Messages of the peer, for one subscriber at a time; the decoder says as what. */
    public <T> Flux<T> receive(MessageDecoder<T> decoder) {
        return ReceiveSubscription.flux(input, decoder);
    }

    /** Messages of the peer, each a lease that the subscriber releases. */
    public Flux<UcxBuffer> receive() {
        return receive(MessageDecoder.BUFFERS);
    }

    /**
     * Sends messages that the encoder makes {@link UcxBuffer} or {@code byte[]}; completes when all have gone. Does not
     * end the stream.
     */
    public <T> Mono<Void> send(Publisher<? extends T> messages, Function<? super T, Object> encoder) {
        return SendSubscriber.mono(output, messages, encoder);
    }

    public Mono<Void> send(Publisher<? extends UcxBuffer> messages) {
        return send(messages, buffer -> buffer);
    }

    /** Ends what this side sends, after the messages of those that send now. */
    public void complete() {
        end(StreamTermination.COMPLETE);
    }

    /** As {@link #complete}, for a reason that the peer's receiver gets as a {@link StreamErrorException}. */
    public void fail(int code, String text) {
        end(new StreamTermination(code, text));
    }

    private void end(StreamTermination how) {
        if (!mux.isHere()) {
            mux.execute(() -> output.endWith(how));
            return;
        }
        mux.enter();
        try {
            output.endWith(how);
        } finally {
            mux.leave();
        }
    }

    /** Wants no more messages of the peer, whose sender hears of it. */
    public void cancel() {
        if (!mux.isHere()) {
            mux.execute(input::cancel);
            return;
        }
        mux.enter();
        try {
            input.cancel();
        } finally {
            mux.leave();
        }
    }

    /** Puts into a batch what this stream has to say, and then messages. */
    SendScheduler.Turn write(MessageBatch batch) {
        if (openDue) {
            if (!batch.hasRoom(MessageFrameCodec.OPEN_FRAME_BYTES + first.length)) {
                return SendScheduler.Turn.FULL;
            }
            openDue = false;
            int messages = input.takeCredit();
            batch.open(id, messages, messages == 0 ? 0 : input.takeCreditBytes(), first);
            first = NOTHING;
        }
        if (!batch.hasRoom(3 * MessageFrameCodec.CONTROL_FRAME_BYTES)) {
            return SendScheduler.Turn.FULL;
        }
        input.write(batch);
        return output.write(batch);
    }

    void ready() {
        mux.outbox().ready(this);
    }

    /** Takes its place among those that wait for their turn; answers whether it had none. */
    boolean becomesReady() {
        if (ready || closed) {
            return false;
        }
        ready = true;
        return true;
    }

    void takesTurn() {
        ready = false;
    }

    /** Forgets the stream when both directions have ended and nothing has to be said of it. */
    void maybeClosed() {
        boolean untold = openDue && !mux.isEnded();
        if (!closed && !isDefault() && !untold && output.hasEnded() && input.hasEnded()) {
            closed = true;
            mux.streams().closed(this);
        }
    }

    boolean isDefault() {
        return id == 0;
    }

    /** Whether this side opened it. */
    boolean isOurs() {
        return ours;
    }

    int id() {
        return id;
    }

    public InboundStream input() {
        return input;
    }

    OutboundStream output() {
        return output;
    }
}
