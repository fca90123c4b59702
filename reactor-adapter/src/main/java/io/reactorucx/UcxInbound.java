package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.message.MessageDecoder;
import io.reactorucx.internal.message.MessageStream;
import reactor.core.publisher.Flux;

/**
 * Messages of the peer, as many as are asked for: demand travels to the peer, whose source sends no more than that.
 * What is asked for at once is bounded by the connection's window.
 *
 * <p>Whoever asks for one message after the other waits a round trip for each: {@code limitRate} or {@code publishOn}
 * behind these asks for many at once.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> one subscriber at a time, of any
 * of these methods; one that cancels ends the peer's sends, and what was under way is dropped. <b>Errors:</b> the loss
 * of the connection; a second subscriber ends with {@link IllegalStateException}. A close in good order completes,
 * after all that the peer sent before.
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
        return stream.receive(MessageDecoder.BYTES);
    }

    /** {@return the messages as text in UTF-8} */
    public Flux<String> receiveStrings() {
        return stream.receive(MessageDecoder.STRINGS);
    }
}
