package io.reactorucx.transport.connection;

import io.reactorucx.transport.frame.ApplicationHeader;
import io.reactorucx.transport.frame.FrameBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The header of the next active message of a connection: the peer's token, and what a protocol adds. One buffer is
 * filled again for each message, because UCX's wrapper copies a header when it posts the message.
 *
 * <p>Thread: engine.
 */
public final class HeaderBuffer {

    static final int TOKEN_BYTES = Long.BYTES;

    private byte[] bytes = new byte[64];
    private MemorySegment whole = MemorySegment.ofArray(bytes);
    /** The part that was used last; the next header often has the same size. */
    private MemorySegment filled = whole;

    /** Returns a header that is valid until the next call. */
    MemorySegment of(long token, MemorySegment rest) {
        int length = (int) rest.byteSize();
        MemorySegment header = ofSize(TOKEN_BYTES + length);
        FrameBytes.putLong(bytes, 0, token);
        MemorySegment.copy(rest, ValueLayout.JAVA_BYTE, 0, bytes, TOKEN_BYTES, length);
        return header;
    }

    /** Returns the header of an application's message, valid until the next call. */
    MemorySegment ofApplication(long token, int id, int number, MemorySegment own) {
        requireAccess(own);
        int length = (int) own.byteSize();
        MemorySegment header = ofSize(ApplicationHeader.BYTES + length);
        FrameBytes.putLong(bytes, 0, token);
        ApplicationHeader.put(bytes, id, number);
        if (length > 0) {
            MemorySegment.copy(own, ValueLayout.JAVA_BYTE, 0, bytes, ApplicationHeader.BYTES, length);
        }
        return header;
    }

    /** The header is read here, so it is checked here, with the words of the core's check. */
    private static void requireAccess(MemorySegment own) {
        if (!own.scope().isAlive()) {
            throw new IllegalArgumentException("header: the arena of these " + own.byteSize() + " bytes is closed");
        }
        if (!own.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalArgumentException("header: " + own.byteSize()
                    + " bytes of another thread's confined arena; use a shared or automatic arena");
        }
    }

    private MemorySegment ofSize(int size) {
        if (size > bytes.length) {
            bytes = new byte[Integer.highestOneBit(size) << 1];
            whole = MemorySegment.ofArray(bytes);
            filled = whole;
        }
        if (filled.byteSize() != size) {
            filled = whole.asSlice(0, size);
        }
        return filled;
    }

    /** Returns what a protocol has put behind the token, which was checked. */
    public static MemorySegment behindToken(MemorySegment header) {
        return header.byteSize() < TOKEN_BYTES ? header : header.asSlice(TOKEN_BYTES);
    }
}
