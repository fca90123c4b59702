package io.reactorucx;

import io.reactorucx.core.Completion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Frames that travel in one active message: memory of its own, filled, sent, and filled again. On the engine's thread. */
final class MessageBatch implements Completion {

    private final Consumer<MessageBatch> whenSent;
    private final MemorySegment memory;
    private final int usualBytes;
    private int size;

    /** One that is sent when it has about so many bytes, but holds at least one message of the largest inline size. */
    MessageBatch(Consumer<MessageBatch> whenSent, int usualBytes, int largestInline) {
        this.whenSent = whenSent;
        this.usualBytes = usualBytes;
        int control = MessageFrames.PREAMBLE_BYTES + MessageFrames.OPEN_FRAME_BYTES + MessageFrames.FRAME_BYTES + Integer.BYTES
                + Short.BYTES + MessageFrames.MAX_TEXT_BYTES;
        // The collector frees it: UCX may read from it when its connection has long ended.
        this.memory = Arena.ofAuto().allocate(Math.max(usualBytes, control + largestInline), Long.BYTES);
    }

    void clear() {
        size = MessageFrames.PREAMBLE_BYTES;
    }

    boolean isEmpty() {
        return size == MessageFrames.PREAMBLE_BYTES;
    }

    /** Whether so many bytes may still go with the others; into an empty one all that is inline fits. */
    boolean hasRoom(int bytes) {
        return size + bytes <= usualBytes || isEmpty();
    }

    MemorySegment finish(int sequence, int acknowledged) {
        memory.set(MessageFrames.INT, 0, sequence);
        memory.set(MessageFrames.INT, Integer.BYTES, acknowledged);
        return memory.asSlice(0, size);
    }

    private void frame(byte type, int stream) {
        memory.set(ValueLayout.JAVA_BYTE, size, type);
        memory.set(MessageFrames.INT, size + 1, stream);
        size += MessageFrames.FRAME_BYTES;
    }

    private void add(int value) {
        memory.set(MessageFrames.INT, size, value);
        size += Integer.BYTES;
    }

    private void add(byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, size, bytes.length);
        size += bytes.length;
    }

    void data(int stream, byte[] message) {
        frame(MessageFrames.DATA, stream);
        add(message.length);
        add(message);
    }

    void data(int stream, MemorySegment message) {
        frame(MessageFrames.DATA, stream);
        int length = (int) message.byteSize();
        add(length);
        MemorySegment.copy(message, 0, memory, size, length);
        size += length;
    }

    void open(int stream, int messages, int bytes, byte[] payload) {
        frame(MessageFrames.OPEN, stream);
        add(messages);
        add(bytes);
        add(payload.length);
        add(payload);
    }

    void credit(int stream, int messages, int bytes) {
        frame(MessageFrames.CREDIT, stream);
        add(messages);
        add(bytes);
    }

    /** A frame that says all by its type. */
    void signal(byte type, int stream) {
        frame(type, stream);
    }

    void error(int stream, int code, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MessageFrames.MAX_TEXT_BYTES);
        frame(MessageFrames.ERROR, stream);
        add(code);
        memory.set(MessageFrames.SHORT, size, (short) length);
        size += Short.BYTES;
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, size, length);
        size += length;
    }

    void settings(long maxMessageBytes, int maxStreams) {
        frame(MessageFrames.SETTINGS, 0);
        memory.set(MessageFrames.LONG, size, maxMessageBytes);
        size += Long.BYTES;
        add(maxStreams);
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        whenSent.accept(this);
    }
}
