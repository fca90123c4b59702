package io.reactorucx.codec;

import java.nio.ByteBuffer;

/**
 * Turns values into messages. It writes each straight into the memory from which it is sent: a small one into the batch
 * that carries the messages of the moment, one above the rendezvous size into registered memory, from which the peer
 * fetches it. Until then the value waits, and not its bytes.
 *
 * <p><b>Threading:</b> {@link #length} on the source's thread, the others on the engine's, which they must not block;
 * {@link #release} on either. <b>Ownership:</b> a value is the encoder's from {@link #length} to {@link #release},
 * which follows once, whatever happens. Values that a send drops before, because it has ended, go to Reactor's hook
 * for what is discarded. <b>Errors:</b> what the methods throw, and an {@link IllegalStateException} for a message that
 * has not the length that it was said to have, ends its send with that error, after the messages before it have been
 * sent. Of that message nothing is sent. The connection and its other sends go on.
 *
 * @param <T> type of the values
 */
public interface MessageEncoder<T> {

    /**
     * Returns the size of a message; once for each value.
     *
     * @param value to be sent
     * @return the number of bytes that {@link #encode} is going to write, may be 0
     * @throws Exception if the value cannot be encoded
     */
    int length(T value) throws Exception;

    /**
     * Writes a message. May be called again for the same value, when UCX did not take the message.
     *
     * @param value to be sent
     * @param target exactly as many bytes as the message has, all of which are to be written, within this call; its
     * position is 0, its order big-endian. Nothing else may use it later: other messages go through the same memory
     * @throws Exception if the value cannot be encoded
     */
    void encode(T value, ByteBuffer target) throws Exception;

    /**
     * Writes a small message into an array. By default {@link #encode(Object, ByteBuffer)} does so through a view; an
     * encoder that can write into arrays saves that view.
     *
     * @param value to be sent
     * @param target an array in which other messages stand as well
     * @param offset of the first byte of the message
     * @param length of the message
     * @return the number of bytes written, which has to be the length
     * @throws Exception if the value cannot be encoded
     */
    default int encode(T value, byte[] target, int offset, int length) throws Exception {
        ByteBuffer part = ByteBuffer.wrap(target, offset, length).slice();
        encode(value, part);
        return part.position();
    }

    /**
     * Gives a value back, whose message was written, or will not be sent. What it throws is logged, and changes nothing
     * else. Does nothing by default.
     *
     * @param value that {@link #length} was asked about
     */
    default void release(T value) {
        // Values of most types belong to the garbage collector.
    }
}
