package io.reactorucx.codec;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.codec.InboundMessage;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/**
 * The bytes of a message that has arrived, for the call of a {@link MessageDecoder}.
 *
 * <p><b>Threading:</b> the decoder's. <b>Ownership:</b> the library's, and of the call alone: the memory carries other
 * messages afterwards. <b>Errors:</b> {@link IllegalStateException} outside of the call and on other threads.
 */
public sealed interface EncodedMessage permits InboundMessage {

    /** {@return size in bytes} */
    long length();

    /**
     * Shows the bytes where they are: small messages in an array, large ones in native memory. The view is to be read
     * only, and only within the call. A view that is kept shows bytes of other messages, or throws once its memory is
     * freed.
     *
     * @return a view of the bytes, up to 2 GiB, whose position is 0 and whose order is big-endian
     */
    ByteBuffer byteBuffer();

    /** {@return the bytes in an array of the caller's, up to 2 GiB; a message that had to wait is not copied for it} */
    byte[] toByteArray();

    /**
     * Decodes the bytes as text.
     *
     * @param charset their encoding
     * @return the text; bytes that the charset does not map become its replacement character
     */
    String toString(Charset charset);

    /** {@return whether the message has come into a lease, as large ones do: {@link #lease()} copies nothing then} */
    boolean isLeased();

    /**
     * Keeps the message beyond the call. Small messages that arrive together share one block of the pool.
     *
     * @return a lease, of which the caller has a reference for each call, whether decoding succeeds or not
     * @throws UcxException if the pool has no memory. A decoder that lets it through is called again when there is
     */
    UcxBuffer lease();
}
