package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.internal.message.MessageStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import reactor.core.publisher.Flux;

/**
 * Receives messages of the peer, as many as are requested: demand travels to the peer, whose source emits no more than
 * that. The connection's window limits the demand that the peer sees at once.
 *
 * <p>A subscriber that requests messages one by one waits a round trip for each: {@code limitRate} or {@code publishOn}
 * requests many at once.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> one subscriber at a time, of any
 * of these methods; its cancel ends the peer's sends, and drops the messages in flight. <b>Errors:</b> the loss of the
 * connection; a second subscriber fails with {@link IllegalStateException}. After a graceful close the Flux ends behind
 * the last message that was sent before. It completes only if the peer had completed: no send of the peer was
 * interrupted; its handler, if the peer is a server, did not fail; and no handler that had sent was cut off by the
 * server's stop. Else it fails, when the peer has closed with an {@link io.reactorucx.core.error.UcxException} that
 * {@link io.reactorucx.core.error.UcxException#isConnectionLost()}, when this side has closed with
 * {@link io.reactorucx.core.error.UcxClosedException}, as it always does after a close by force.
 */
public final class UcxInbound {

    private final MessageStream stream;

    UcxInbound(MessageStream stream) {
        this.stream = stream;
    }

    /** {@return the messages, each a lease that the subscriber releases} */
    public Flux<UcxBuffer> receive() {
        return stream.receive();
    }

    /** {@return the messages, copied to the Java heap: the fastest way for small ones} */
    public Flux<byte[]> receiveByteArrays() {
        return stream.receive(EncodedMessage::toByteArray);
    }

    /** {@return the messages as text in UTF-8} */
    public Flux<String> receiveStrings() {
        return stream.receive(message -> message.toString(StandardCharsets.UTF_8));
    }

    /**
     * Receives messages as values that a decoder makes of them: protobuf, SBE, JSON, or a buffer of another library. It
     * reads each where it has arrived, on the engine's thread, and copies what it keeps.
     *
     * @param decoder makes the values
     * @param <T> type of the values
     * @return the values; what the decoder throws is the error, and cancels what the peer sends, as a cancel does
     */
    public <T> Flux<T> receive(MessageDecoder<? extends T> decoder) {
        return stream.receive(Objects.requireNonNull(decoder, "decoder"));
    }

    @Override
    public String toString() {
        return "UcxInbound[" + stream.peer() + "]";
    }
}
