package io.reactorucx.internal.message;

import io.reactorucx.core.Completion;
import io.reactorucx.internal.frame.MessageFrameCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Frames that travel in one active message: memory of its own, filled, sent, and filled again. On the engine's thread.
 *
 * <p>They are put into an array, and copied from there at once when they go: a small frame is written in less time so.
 */
public final class MessageBatch implements Completion {

    private static final Consumer<MessageBatch> NOBODY = batch -> { };
    private static final int NO_STREAM = 1;

    private final byte[] bytes;
    private final MemorySegment memory;
    /** As much of it as went last time: often the same again. */
    private MemorySegment filled = MemorySegment.NULL;
    private Consumer<MessageBatch> whenSent = NOBODY;
    private int usualBytes;
    private int size;
    /** Of the message that was put in last, as long as nothing has come behind it; no stream is called 1. */
    private int lastStream = NO_STREAM;
    private int lastLength;
    /** Where the run says how many it has; 0 as long as the last message is none of a run. */
    private int runCountAt;
    private int runCount;

    /** One with room for so many bytes, and for at least one message of the largest inline size. */
    MessageBatch(int usualBytes, int largestInline) {
        // The collector frees it: UCX may read from it when its connection has long ended.
        this.memory = Arena.ofAuto().allocate(bytes(usualBytes, largestInline), Long.BYTES);
        this.bytes = new byte[(int) memory.byteSize()];
    }

    private static int bytes(int usualBytes, int largestInline) {
        int control = MessageFrameCodec.PREAMBLE_BYTES + MessageFrameCodec.OPEN_FRAME_BYTES
                + MessageFrameCodec.FRAME_BYTES + Integer.BYTES
                + Short.BYTES + MessageFrameCodec.MAX_TEXT_BYTES;
        return Math.max(usualBytes, control + largestInline);
    }

    boolean holds(int usual, int largestInline) {
        return bytes.length >= bytes(usual, largestInline);
    }

    /** Begins anew, for one that sends it when it has about so many bytes. */
    void clear(Consumer<MessageBatch> toldWhenSent, int usual) {
        whenSent = toldWhenSent;
        usualBytes = usual;
        lastStream = NO_STREAM;
        runCountAt = 0;
        size = MessageFrameCodec.PREAMBLE_BYTES;
    }

    /** It waits for its next connection, and keeps the last one from the collector no more. */
    void forget() {
        whenSent = NOBODY;
    }

    boolean isEmpty() {
        return size == MessageFrameCodec.PREAMBLE_BYTES;
    }

    /** Whether so many bytes may still go with the others; into an empty one all that is inline fits. */
    boolean hasRoom(int bytes) {
        return size + bytes <= usualBytes || isEmpty();
    }

    public MemorySegment finish(int sequence, int acknowledged) {
        tellRun();
        MessageFrameCodec.putInt(bytes, 0, sequence);
        MessageFrameCodec.putInt(bytes, Integer.BYTES, acknowledged);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, size);
        if (filled.byteSize() != size) {
            filled = memory.asSlice(0, size);
        }
        return filled;
    }

    private void frame(byte type, int stream) {
        tellRun();
        runCountAt = 0;
        lastStream = NO_STREAM;
        bytes[size] = type;
        MessageFrameCodec.putInt(bytes, size + 1, stream);
        size += MessageFrameCodec.FRAME_BYTES;
    }

    private void add(int value) {
        MessageFrameCodec.putInt(bytes, size, value);
        size += Integer.BYTES;
    }

    private void add(byte[] more) {
        MessageFrameCodec.copy(more, 0, bytes, size, more.length);
        size += more.length;
    }

    /** How many messages the run has so far; told once for all of them. */
    private void tellRun() {
        if (runCountAt != 0) {
            MessageFrameCodec.putShort(bytes, runCountAt, (short) runCount);
        }
    }

    public void data(int stream, byte[] message) {
        header(stream, message.length);
        add(message);
    }

    /**
     * A message that comes behind one of the same stream and length makes a run with those that follow: most streams
     * have only such.
     */
    private void header(int stream, int length) {
        if (stream != lastStream || length != lastLength || runCountAt != 0 && runCount == MessageFrameCodec.MAX_RUN) {
            frame(MessageFrameCodec.DATA, stream);
            add(length);
            lastStream = stream;
            lastLength = length;
            return;
        }
        if (runCountAt == 0) {
            frame(MessageFrameCodec.RUN, stream);
            add(length);
            lastStream = stream;
            runCountAt = size;
            runCount = 0;
            size += Short.BYTES;
        }
        runCount++;
    }

    public void data(int stream, MemorySegment message) {
        int length = (int) message.byteSize();
        header(stream, length);
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, 0, bytes, size, length);
        size += length;
    }

    public void open(int stream, int messages, int bytes, byte[] payload) {
        frame(MessageFrameCodec.OPEN, stream);
        add(messages);
        add(bytes);
        add(payload.length);
        add(payload);
    }

    public void credit(int stream, int messages, int bytes) {
        frame(MessageFrameCodec.CREDIT, stream);
        add(messages);
        add(bytes);
    }

    /** A frame that says all by its type. */
    public void signal(byte type, int stream) {
        frame(type, stream);
    }

    public void error(int stream, int code, String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(encoded.length, MessageFrameCodec.MAX_TEXT_BYTES);
        frame(MessageFrameCodec.ERROR, stream);
        add(code);
        MessageFrameCodec.putShort(bytes, size, (short) length);
        size += Short.BYTES;
        System.arraycopy(encoded, 0, bytes, size, length);
        size += length;
    }

    public void settings(long maxMessageBytes, int maxStreams) {
        frame(MessageFrameCodec.SETTINGS, 0);
        MessageFrameCodec.putLong(bytes, size, maxMessageBytes);
        size += Long.BYTES;
        add(maxStreams);
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        whenSent.accept(this);
    }
}
