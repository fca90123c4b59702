package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.message.MessageDecoder;
import io.reactorucx.internal.message.MessageStream;
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
 * the last message that the peer sent before. It completes if this side has closed, or if the peer has completed: no
 * send of the peer was interrupted, its handler, if it is a server, did not fail, and a handler that sends was not
 * interrupted by the server's stop. Else it fails with an {@link io.reactorucx.core.UcxException} that
 * {@link io.reactorucx.core.UcxException#isConnectionLost()}. So it does, or fails with
 * {@link io.reactorucx.core.UcxClosedException} here, after a close by force.
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
