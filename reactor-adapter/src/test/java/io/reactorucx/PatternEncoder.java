package io.reactorucx;

import io.reactorucx.codec.MessageEncoder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Encodes a size as a message of so many bytes, and counts what it gets and gives back. */
class PatternEncoder implements MessageEncoder<Integer> {

    /** How often each value was given back, after it was asked for its length. */
    final Map<Integer, Integer> releases = new ConcurrentHashMap<>();

    @Override
    public int length(Integer size) throws Exception {
        releases.merge(size, 0, Integer::sum);
        return size;
    }

    @Override
    public void encode(Integer size, ByteBuffer target) throws Exception {
        target.put(Bytes.array(Bytes.pattern(size, size)));
    }

    @Override
    public void release(Integer size) {
        releases.merge(size, 1, Integer::sum);
    }

    /** Returns the size of a message that such an encoder has written. */
    static int sizeOf(ByteBuffer message) {
        int size = message.remaining();
        Bytes.assertSame(MemorySegment.ofBuffer(message), Bytes.pattern(size, size));
        return size;
    }
}
