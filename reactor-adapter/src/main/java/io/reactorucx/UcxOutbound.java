package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.MessageEncoder;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.request.ObservedPublisher;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Sends messages to the peer, no more than its subscriber requests: the peer's demand becomes demand of the source.
 * Small messages that are ready at the same time travel together; large ones stay on this side until the peer fetches
 * them.
 *
 * <p>Messages of several sends at once alternate; those of one send stay in order.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> as the methods say. <b>Errors:</b>
 * of the source, after the messages before it have been sent; the loss of the connection, as which a close by the peer
 * counts; {@link io.reactorucx.core.error.UcxClosedException} when the peer's subscriber cancels or this side closes,
 * which the peer's subscriber gets as an error;
 * {@link IllegalArgumentException} for a message that is larger than the peer takes.
 */
public final class UcxOutbound {

    private final MessageStream stream;
    private final String peer;
    private final @Nullable UcxObserver observer;

    UcxOutbound(MessageStream stream, String peer, @Nullable UcxObserver observer) {
        this.stream = stream;
        this.peer = peer;
        this.observer = observer;
    }

    private Mono<Void> observed(Mono<Void> sending) {
        UcxObserver sees = observer;
        return sees == null ? sending : ObservedPublisher.flux(sees, new Activity(Activity.Kind.SEND, "messages", peer),
                null, span -> sending).then();
    }

    /**
     * Sends leases, large ones without a copy.
     *
     * @param messages leases, each released when UCX has finished with it, or when it cannot be sent
     * @return completes when the source has completed and all its messages have been sent: UCX has taken the small
     * ones, and the peer has fetched the large ones
     */
    public Mono<Void> send(Publisher<? extends UcxBuffer> messages) {
        return observed(stream.send(Objects.requireNonNull(messages, "messages")));
    }

    /**
     * Sends bytes.
     *
     * @param messages arrays, not to be changed afterwards
     * @return completes when the source has completed and all its messages have been sent
     */
    public Mono<Void> sendByteArrays(Publisher<byte[]> messages) {
        return observed(stream.send(Objects.requireNonNull(messages, "messages"), bytes -> bytes));
    }

    /**
     * Sends text in UTF-8.
     *
     * @param messages the texts
     * @return completes when the source has completed and all its messages have been sent
     */
    public Mono<Void> sendStrings(Publisher<String> messages) {
        return observed(stream.send(Objects.requireNonNull(messages, "messages"),
                text -> text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Sends values that an encoder turns into messages: protobuf, SBE, JSON, or buffers of another library. It writes
     * each straight into the memory from which it is sent, when it is its turn, on the engine's thread.
     *
     * @param values what is sent; each is the encoder's from then on
     * @param encoder writes the messages; what it throws is the error of this send
     * @param <T> type of the values
     * @return completes when the source has completed and all its messages have been sent
     */
    public <T> Mono<Void> send(Publisher<? extends T> values, MessageEncoder<? super T> encoder) {
        return observed(stream.send(Objects.requireNonNull(values, "values"),
                Objects.requireNonNull(encoder, "encoder")));
    }

    @Override
    public String toString() {
        return "UcxOutbound[" + peer + "]";
    }
}
