package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.message.MessageStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Messages to the peer, no more than it asks for: a source is asked for as many as the peer takes, and waits when that
 * is none. Small ones that are here at the same moment travel together, large ones stay here until the peer fetches
 * them.
 *
 * <p>Messages of several sends at once alternate; those of one send stay in order.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> as the methods say. <b>Errors:</b>
 * of the source, after what it gave before has gone; the loss of the connection;
 * {@link io.reactorucx.core.UcxClosedException} when the peer's receiver cancels or a side closes;
 * {@link IllegalArgumentException} for a message that is larger than the peer takes.
 */
public final class UcxOutbound {

    private final MessageStream stream;

    UcxOutbound(MessageStream stream) {
        this.stream = stream;
    }

    /**
     * Sends leases without a copy where they are large.
     *
     * @param messages leases, which are this side's from then on: each is released when UCX is done with it, or when it
     * cannot be sent
     * @return completes when the source has completed and all its messages have gone, large ones to the peer and small
     * ones to UCX
     */
    public Mono<Void> send(Publisher<? extends UcxBuffer> messages) {
        return stream.send(Objects.requireNonNull(messages, "messages"));
    }

    /**
     * Sends bytes.
     *
     * @param messages arrays, not to be changed afterwards
     * @return completes when the source has completed and all its messages have gone
     */
    public Mono<Void> sendByteArrays(Publisher<byte[]> messages) {
        return stream.send(Objects.requireNonNull(messages, "messages"), bytes -> bytes);
    }

    /**
     * Sends text in UTF-8.
     *
     * @param messages the texts
     * @return completes when the source has completed and all its messages have gone
     */
    public Mono<Void> sendStrings(Publisher<String> messages) {
        return stream.send(Objects.requireNonNull(messages, "messages"), text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
