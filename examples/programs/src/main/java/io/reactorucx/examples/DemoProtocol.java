package io.reactorucx.examples;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The protocol between the two processes of the demo: ids of active messages, and their headers. */
final class DemoProtocol {

    /** Client to server, 8 bytes; the server sends them back as {@link #PONG}. */
    static final int PING = 1;
    static final int PONG = 2;
    /** Client to server, header: size of the file. Answered by {@link #ANSWER} without data. */
    static final int BEGIN = 3;
    /** Client to server, header: offset, data by rendezvous. */
    static final int CHUNK = 4;
    /**
     * Client to server: the file is complete. Answered with its SHA-256 and the descriptor of the memory that holds it.
     */
    static final int END = 5;
    /** Client to server, header: offset and length. Answered with the SHA-256 of that part of the memory. */
    static final int DIGEST = 6;
    /** Client to server: requests the peak memory of the server. Answered with the bytes as decimal text. */
    static final int MEMORY = 7;
    /** Server to client: the response to the last request. */
    static final int ANSWER = 8;

    static final int CHUNK_BYTES = 1 << 20;
    static final int WINDOW = 8;
    /** Size of the area behind the file that the client writes by put. */
    static final int SCRATCH_BYTES = 1 << 20;
    static final int DIGEST_BYTES = 32;

    private DemoProtocol() {
    }

    static MemorySegment header(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES);
        for (long value : values) {
            bytes.putLong(value);
        }
        return MemorySegment.ofArray(bytes.array());
    }

    static long header(MemorySegment header, int index) {
        return ByteBuffer.wrap(header.toArray(ValueLayout.JAVA_BYTE)).getLong(index * Long.BYTES);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Adds native memory to a digest. */
    static void update(MessageDigest digest, MemorySegment memory) {
        long chunk = CHUNK_BYTES;
        for (long offset = 0; offset < memory.byteSize(); offset += chunk) {
            digest.update(memory.asSlice(offset, Math.min(chunk, memory.byteSize() - offset)).asByteBuffer());
        }
    }
}
