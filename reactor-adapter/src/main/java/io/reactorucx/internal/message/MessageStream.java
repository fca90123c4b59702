package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageDecoder.InboundBatch;
import io.reactorucx.transport.buffer.LeakRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One of the message streams that share a connection. Each direction has its own credit and its own end.
 *
 * <p><b>Threading:</b> {@link #receive}, {@link #send}, {@link #complete}, {@link #fail} and {@link #cancel} from any
 * thread, the other methods on the engine's. <b>Ownership:</b> the side that opened or accepted a stream ends both
 * directions, or the stream keeps its place among {@code maxStreams}: the outgoing one by {@link #complete} or
 * {@link #fail}; the incoming one by receiving its end, by cancelling its subscription, or by {@link #cancel}.
 */
public final class MessageStream extends MultiplexedStream {

    private static final byte[] EMPTY = new byte[0];

    private final MessageMultiplexer mux;
    private final InboundStream input;
    private final OutboundStream output;
    private byte[] openPayload = EMPTY;
    private boolean openDue;
    private boolean closed;
    private boolean refused;

    /**
     * A message in memory of the application, which is copied once: into a batch, or into registered memory when it is
     * its turn. Until then it waits in the application's memory alone.
     *
     * <p>Thread: engine, {@link #length} and {@link #release} aside, which are called on any.
     */
    public interface OutgoingMessage {

        /** {@return the number of bytes, which stays the same} */
        int length();

        /** Copies all bytes; {@link IllegalStateException} if the application has given the memory back. */
        void copyTo(byte[] target, int offset);

        /** Copies all bytes, as many as remain in the target. */
        void copyTo(ByteBuffer target);

        /** Gives the memory back, once: the message was copied, or will not be sent. */
        void release();
    }

    /**
     * The publisher that {@link MessageStream#receive()} returns. A module that decodes messages in a way of its own
     * finds the stream in it.
     */
    public static final class Received<T> extends Flux<T> {

        private final MessageStream stream;
        private final MessageDecoder<T> decoder;
        private final @Nullable Object receiver;
        private final @Nullable LeakRecord place;

        private Received(MessageStream stream, MessageDecoder<T> decoder, @Nullable Object receiver,
                @Nullable LeakRecord place) {
            this.stream = stream;
            this.decoder = decoder;
            this.receiver = receiver;
            this.place = place;
        }

        /** Returns the stream whose messages a connection's facade has returned. */
        public static MessageStream streamOf(Flux<?> received) {
            return ((Received<?>) received).stream;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            new ReceiveSubscription<>(stream.input, decoder, actual, receiver == null ? actual : receiver, place)
                    .subscribe();
        }
    }

    /** How one side ends what it sends on a stream: complete without a text, else with an error. */
    record Termination(int code, @Nullable String text) {

        static final Termination COMPLETE = new Termination(0, null);
        /** The connection is closed before the stream is complete. */
        static final Termination INTERRUPTED = new Termination(MessageFrameCodec.CONNECTION_CLOSED, "");

        int textBytes() {
            return text == null ? 0 : Math.min(text.getBytes(StandardCharsets.UTF_8).length,
                    MessageFrameCodec.MAX_TEXT_BYTES);
        }

        void write(MessageBatch batch, int stream) {
            if (text == null) {
                batch.signal(MessageFrameCodec.COMPLETE, stream);
            } else {
                batch.error(stream, code, text);
            }
        }
    }

    /** Creates a stream. Frames of this side name it by {@code id}, frames of the peer by {@link #peerId}. */
    MessageStream(MessageMultiplexer mux, int id) {
        super(id);
        this.mux = mux;
        this.input = new InboundStream(this, mux);
        this.output = new OutboundStream(this, mux);
    }

    /** Converts a stream's id between the two sides: each sets the lowest bit for the streams that it opened. */
    static int peerId(int id) {
        return id == 0 ? 0 : id ^ 1;
    }

    /**
     * Sends messages that the encoder turns into {@link UcxBuffer}, {@code byte[]} or {@link OutgoingMessage}.
     * Completes when all of them have been sent; the stream stays open.
     */
    public <T> Mono<Void> send(Publisher<? extends T> messages, Function<? super T, Object> encoder) {
        return SendSubscriber.mono(output, messages, encoder);
    }

    public Mono<Void> send(Publisher<? extends UcxBuffer> messages) {
        return send(messages, buffer -> buffer);
    }

    /** Sends as {@link #send(Publisher, Function)} does, subscribed at once and without an operator. */
    public <T> void send(Publisher<? extends T> messages, Function<? super T, Object> encoder,
            CoreSubscriber<Void> whenSent) {
        SendSubscriber.send(output, messages, encoder, whenSent);
    }

    /** {@return messages of the peer as the decoder gives them, for one subscriber at a time} */
    public <T> Flux<T> receive(MessageDecoder<T> decoder) {
        return receive(decoder, null, mux.pool().place());
    }

    /**
     * Receives as {@link #receive(MessageDecoder)} does.
     *
     * @param receiver the handler that the report of a leak names; null for the subscriber
     * @param place where the application asked for the messages, for the report of a leak
     */
    public <T> Flux<T> receive(MessageDecoder<T> decoder, @Nullable Object receiver, @Nullable LeakRecord place) {
        return new Received<>(this, decoder, receiver, place);
    }

    /** {@return the name of the peer} */
    public String peer() {
        return mux.connection().peer();
    }

    /** Returns what the peer sends on this stream, for the report of a leak. */
    String received() {
        return isDefault() ? "a message of inbound() from" : isOpenedHere() ? "a response from" : "a request from";
    }

    /** {@return messages of the peer, each a lease that the subscriber releases} */
    public Flux<UcxBuffer> receive() {
        return receive(MessageDecoder.BUFFERS);
    }

    /** Ends the outgoing direction after the messages of the sends that are subscribed to. */
    public void complete() {
        terminate(Termination.COMPLETE);
    }

    /** Ends the outgoing direction with an error: the peer's subscriber gets {@link StreamErrorException}. */
    public void fail(int code, String text) {
        terminate(new Termination(code, text));
    }

    private void terminate(Termination how) {
        if (mux.isEngineThread()) {
            output.terminate(how);
        } else {
            mux.execute(() -> output.terminate(how));
        }
    }

    /** Takes no more messages of the peer, whose sends are cancelled. */
    public void cancel() {
        if (mux.isEngineThread()) {
            input.cancel();
        } else {
            mux.execute(input::cancel);
        }
    }

    /** Ends both directions of a stream of the peer, which nothing has taken. */
    void refuse(String text) {
        refused = true;
        fail(MessageFrameCodec.STREAM_REFUSED, text);
        cancel();
    }

    boolean isRefused() {
        return refused;
    }

    /** Tries again what failed for want of memory or of a slot of the engine. */
    void retry() {
        input.drain();
        output.ready();
    }

    /** Announces the stream to the peer before anything else, with a payload that needs no credit. */
    void open(byte[] payload) {
        try (var _ = mux.flushScope()) {
            openPayload = payload;
            openDue = true;
            output.ready();
        }
    }

    /** Writes OPEN if it is due. Returns false if the batch has no room for it. */
    boolean writeOpen(MessageBatch batch) {
        if (openDue) {
            if (!batch.hasRoom(MessageFrameCodec.OPEN_FRAME_BYTES + openPayload.length)) {
                return false;
            }
            openDue = false;
            input.writeOpen(batch, openPayload);
            openPayload = EMPTY;
        }
        return true;
    }

    /** Forgets the stream if both directions have ended and no frame about it is due. */
    void closeIfEnded() {
        boolean unannounced = openDue && !mux.isEnded();
        if (!closed && !isDefault() && !unannounced && output.hasEnded() && input.hasEnded()) {
            closed = true;
            mux.streams().closed(this);
        }
    }

    boolean isClosed() {
        return closed;
    }

    boolean isDefault() {
        return id() == 0;
    }

    @Override
    public void data(InboundBatch batch, int offset, int length, int count) {
        input.arrived(batch, offset, length, count);
    }

    @Override
    protected void grant(int messages, int bytes) {
        output.grant(messages, bytes);
    }

    @Override
    protected void endedByPeer(@Nullable RuntimeException error) {
        input.endByPeer(error);
    }

    @Override
    protected void cancelledByPeer() {
        output.cancelledByPeer();
    }

    @Override
    protected MessageStream general() {
        return this;
    }

    @Override
    public void closing(UcxClosedException reason) {
        output.closing(reason);
        if (isDefault()) {
            input.closing();
        } else {
            input.end(reason);
        }
    }

    @Override
    protected void peerFinished(UcxException unfinished, UcxException unsent) {
        // The input first: a send whose source is what is received completes with it, before it can fail.
        input.end(isDefault() ? null : unfinished);
        output.peerFinished(unsent);
    }

    @Override
    protected void connectionEnded(@Nullable UcxException loss, UcxClosedException reason, boolean delivered) {
        output.end(loss == null ? reason : loss);
        // A graceful close completes the default stream. The others end only when their sender ends them.
        UcxException unfinished = loss != null || isDefault() && delivered ? loss : reason;
        input.abandon(unfinished, mux.closed("receive", "the connection is closed"));
    }

    public InboundStream input() {
        return input;
    }

    OutboundStream output() {
        return output;
    }

    @Override
    public String toString() {
        return isDefault() ? "the default stream" : "stream " + Integer.toUnsignedString(id());
    }
}
