package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.codec.MessageEncoder;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.codec.OutgoingMessage;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.batch.Termination;
import io.reactorucx.internal.message.context.DuplexStream;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.internal.message.receive.InboundStream;
import io.reactorucx.internal.message.receive.ReceiveSubscription;
import io.reactorucx.internal.message.send.OutboundStream;
import io.reactorucx.internal.message.send.SendScheduler;
import io.reactorucx.internal.message.send.SendSubscriber;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.command.ApplicationException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
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
public final class MessageStream extends MultiplexedStream implements DuplexStream {

    private final MessageStreams streams;
    private final StreamContext context;
    private final InboundStream input;
    private final OutboundStream output;
    /** Of the OPEN that is due. */
    private byte @Nullable [] openPayload;
    private boolean closed;
    private boolean refused;

    /** Creates a stream that frames of this side name by {@code id}, frames of the peer by another one. */
    MessageStream(MessageStreams streams, StreamContext context, SendScheduler scheduler, int id) {
        super(id);
        this.streams = streams;
        this.context = context;
        this.input = new InboundStream(this, context);
        this.output = new OutboundStream(this, context, scheduler);
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

    /** Sends values that an encoder writes when it is their turn. Fails with what the encoder throws. */
    public <T> Mono<Void> send(Publisher<? extends T> values, MessageEncoder<? super T> encoder) {
        Function<T, Object> messages = value -> OutgoingMessage.of(encoder, value);
        return send(hidden(values), messages).onErrorMap(ApplicationException.class,
                standIn -> ApplicationErrors.signal(standIn.thrown()));
    }

    /** Hides a value that is known before it is asked for: how many bytes it makes is the encoder's matter. */
    private static <T> Publisher<? extends T> hidden(Publisher<? extends T> values) {
        return !(values instanceof Fuseable.ScalarCallable<?>) ? values
                : values instanceof Mono<? extends T> mono ? mono.hide() : Flux.<T>from(values).hide();
    }

    /** {@return messages of the peer as the decoder gives them, for one subscriber at a time} */
    public <T> Flux<T> receive(MessageDecoder<? extends T> decoder) {
        return receive(decoder, null, context.pool().place());
    }

    /**
     * Receives as {@link #receive(MessageDecoder)} does.
     *
     * @param receiver the handler that the report of a leak names; null for the subscriber
     * @param place where the application asked for the messages, for the report of a leak
     */
    public <T> Flux<T> receive(MessageDecoder<? extends T> decoder, @Nullable Object receiver,
            @Nullable LeakRecord place) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                new ReceiveSubscription<>(input, decoder, actual, receiver == null ? actual : receiver, place)
                        .subscribe();
            }
        };
    }

    /** {@return the name of the peer} */
    public String peer() {
        return context.connection().peer();
    }

    /** {@return messages of the peer, each a lease that the subscriber releases} */
    public Flux<UcxBuffer> receive() {
        return receive(EncodedMessage::lease);
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
        if (context.isEngineThread()) {
            output.terminate(how);
        } else {
            context.execute(() -> output.terminate(how));
        }
    }

    /** Takes no more messages of the peer, whose sends are cancelled. */
    public void cancel() {
        if (context.isEngineThread()) {
            input.cancel();
        } else {
            context.execute(input::cancel);
        }
    }

    /** Ends both directions of a stream of the peer, which nothing has taken. */
    void refuse(String text) {
        refused = true;
        // It may have announced a message, which has crossed with this.
        giveImpliedCredit();
        fail(MessageFrameCodec.STREAM_REFUSED, text);
        cancel();
    }

    boolean isRefused() {
        return refused;
    }

    /** The peer takes the one message that the opening of the stream announces, without giving credit for it. */
    public void takeImpliedCredit() {
        output.grant(1, MessageFrameCodec.MAX_INLINE_BYTES);
    }

    /** Takes the one message that the opening of the stream announced: the sender knows without being told. */
    public void giveImpliedCredit() {
        // The window has no less than the sender takes, and no frame has to say what is left.
        input.granted(1, context.limits().windowBytes());
    }

    /** Announces the stream to the peer before anything else, with a payload that needs no credit. */
    void open(byte[] payload) {
        try (var _ = context.flushScope()) {
            openPayload = payload;
            output.ready();
        }
    }

    @Override
    public void controlDue() {
        output.ready();
    }

    @Override
    public boolean writeControl(MessageBatch batch) {
        byte[] opening = openPayload;
        if (opening != null) {
            if (!batch.hasRoom(MessageFrameCodec.OPEN_FRAME_BYTES + opening.length)) {
                return false;
            }
            openPayload = null;
            input.writeOpen(batch, opening);
        }
        // CANCEL or CREDIT, and RESET.
        if (!batch.hasRoom(4 * MessageFrameCodec.CONTROL_FRAME_BYTES)) {
            return false;
        }
        input.writeControl(batch);
        return true;
    }

    @Override
    public void closeIfEnded() {
        if (!closed && !isDefault() && openPayload == null && output.hasEnded() && input.hasEnded()) {
            closed = true;
            streams.closed(this);
        }
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
    protected InboundStream inputOfLarge() {
        return input;
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
        // No OPEN is written any more.
        openPayload = null;
        output.end(loss == null ? reason : loss);
        // A graceful close completes the default stream. The others end only when their sender ends them.
        UcxException unfinished = loss != null || isDefault() && delivered ? loss : reason;
        input.connectionEnded(unfinished, context.closed("receive", "the connection is closed"));
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
