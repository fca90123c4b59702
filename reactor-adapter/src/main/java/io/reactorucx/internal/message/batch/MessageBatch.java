package io.reactorucx.internal.message.batch;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Completion;
import io.reactorucx.internal.codec.OutgoingMessage;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.transport.frame.FrameBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Frames that travel in one active message. A batch has memory of its own, which is filled, sent, and filled again.
 *
 * <p>Frames are written into an array, which is copied to native memory when the batch is sent: that takes less time
 * than to write small frames to native memory. Thread: engine.
 */
public final class MessageBatch implements Completion {

    private static final Consumer<MessageBatch> NO_CALLBACK = batch -> { };
    private static final int NO_STREAM = 1;

    private final byte[] bytes;
    private final MemorySegment memory;
    /** The part of the memory that was sent last; the next batch often has the same size. */
    private MemorySegment filled = MemorySegment.NULL;
    private Consumer<MessageBatch> whenCompleted = NO_CALLBACK;
    private int usualBytes;
    private int size;
    /** Of the message that was written last, until another frame follows; no stream has the id 1. */
    private int lastStream = NO_STREAM;
    private int lastLength;
    /** Offset of the run's count, 0 if the last message is not part of a run. */
    private int runCountAt;
    private int runCount;

    /** Idle batches of an engine. The one used last is taken first: the same few stay in the processor's cache. */
    public static final class Pool {

        private static final int MAX_IDLE = 64;

        private final Deque<MessageBatch> idle = new ArrayDeque<>();

        /** Returns an empty batch that is sent when it has about {@code usualBytes}. */
        public MessageBatch take(Consumer<MessageBatch> whenCompleted, int usualBytes, int maxInlineBytes) {
            MessageBatch last = idle.poll();
            MessageBatch batch = last != null && last.bytes.length >= capacity(usualBytes, maxInlineBytes) ? last
                    : new MessageBatch(capacity(usualBytes, maxInlineBytes));
            batch.clear(whenCompleted, usualBytes);
            return batch;
        }

        public void give(MessageBatch batch) {
            // The callback keeps the batch's last connection reachable.
            batch.whenCompleted = NO_CALLBACK;
            if (idle.size() < MAX_IDLE) {
                idle.push(batch);
            }
        }
    }

    private MessageBatch(int capacity) {
        // An automatic arena: UCX may read from the memory long after the connection has ended.
        this.memory = Arena.ofAuto().allocate(capacity, Long.BYTES);
        this.bytes = new byte[(int) memory.byteSize()];
    }

    /** Returns the size of a batch that has room for its usual bytes, and for a message of the largest inline size. */
    private static int capacity(int usualBytes, int maxInlineBytes) {
        int control = MessageFrameCodec.PREAMBLE_BYTES + MessageFrameCodec.OPEN_FRAME_BYTES
                + MessageFrameCodec.FRAME_BYTES + Integer.BYTES
                + Short.BYTES + MessageFrameCodec.MAX_TEXT_BYTES;
        return Math.max(usualBytes, control + maxInlineBytes);
    }

    private void clear(Consumer<MessageBatch> callback, int usual) {
        whenCompleted = callback;
        usualBytes = usual;
        lastStream = NO_STREAM;
        runCountAt = 0;
        size = MessageFrameCodec.PREAMBLE_BYTES;
    }

    public boolean isEmpty() {
        return size == MessageFrameCodec.PREAMBLE_BYTES;
    }

    public int byteSize() {
        return size;
    }

    /** Returns whether the batch takes so many more bytes; an empty one takes any inline message. */
    public boolean hasRoom(int bytes) {
        return size + bytes <= usualBytes || isEmpty();
    }

    /** Returns the batch's memory, to be sent with the peer's token under a sequence number. */
    public MemorySegment finish(long token, int sequence, int acknowledged) {
        writeRunCount();
        MessageFrameCodec.putPreamble(bytes, token, sequence, acknowledged);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, size);
        if (filled.byteSize() != size) {
            filled = memory.asSlice(0, size);
        }
        return filled;
    }

    private void frame(byte type, int stream) {
        writeRunCount();
        runCountAt = 0;
        lastStream = NO_STREAM;
        bytes[size] = type;
        FrameBytes.putInt(bytes, size + 1, stream);
        size += MessageFrameCodec.FRAME_BYTES;
    }

    private void add(int value) {
        FrameBytes.putInt(bytes, size, value);
        size += Integer.BYTES;
    }

    /** Adds to the payload of the OPEN that was written last. */
    public void append(byte[] more) {
        add(more);
    }

    /** Adds to the payload of the OPEN that was written last. */
    public void append(MemorySegment more) {
        int length = (int) more.byteSize();
        MemorySegment.copy(more, ValueLayout.JAVA_BYTE, 0, bytes, size, length);
        size += length;
    }

    private void add(byte[] more) {
        FrameBytes.copy(more, 0, bytes, size, more.length);
        size += more.length;
    }

    /** Writes the number of messages in the run, once for all of them. */
    private void writeRunCount() {
        if (runCountAt != 0) {
            FrameBytes.putShort(bytes, runCountAt, (short) runCount);
        }
    }

    public void data(int stream, byte[] message) {
        header(stream, message.length);
        add(message);
    }

    /**
     * Writes the header of a message, or counts it into a run: a message that follows one of the same stream and length
     * begins a run with those behind it.
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

    /** Writes a message of the application; nothing is written if it throws. */
    public void data(int stream, OutgoingMessage message) {
        int length = message.length();
        message.copyTo(bytes, size + headerBytes(stream, length));
        header(stream, length);
        size += length;
    }

    /** Returns how many bytes {@link #header} writes for the same message. */
    private int headerBytes(int stream, int length) {
        if (stream != lastStream || length != lastLength || runCountAt != 0 && runCount == MessageFrameCodec.MAX_RUN) {
            return MessageFrameCodec.FRAME_BYTES + Integer.BYTES;
        }
        return runCountAt == 0 ? MessageFrameCodec.FRAME_BYTES + Integer.BYTES + Short.BYTES : 0;
    }

    public void data(int stream, MemorySegment message) {
        int length = (int) message.byteSize();
        header(stream, length);
        append(message);
    }

    /** Writes a message of a send: an array, a lease, or a message in other memory. */
    public void message(int stream, Object message) {
        switch (message) {
            case byte[] array -> data(stream, array);
            case UcxBuffer lease -> data(stream, lease.segment());
            default -> data(stream, (OutgoingMessage) message);
        }
    }

    public void open(int stream, int messages, int bytes, byte[] payload) {
        open(stream, messages, bytes, payload.length);
        add(payload);
    }

    /** Writes an OPEN with a payload of a length, which has to be appended. */
    public void open(int stream, int messages, int bytes, int length) {
        frame(MessageFrameCodec.OPEN, stream);
        add(messages);
        add(bytes);
        add(length);
    }

    public void credit(int stream, int messages, int bytes) {
        frame(MessageFrameCodec.CREDIT, stream);
        add(messages);
        add(bytes);
    }

    /** Writes a frame that consists of its type. */
    public void signal(byte type, int stream) {
        frame(type, stream);
    }

    public void error(int stream, int code, String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(encoded.length, MessageFrameCodec.MAX_TEXT_BYTES);
        frame(MessageFrameCodec.ERROR, stream);
        add(code);
        FrameBytes.putShort(bytes, size, (short) length);
        size += Short.BYTES;
        System.arraycopy(encoded, 0, bytes, size, length);
        size += length;
    }

    public void settings(long maxMessageBytes, int maxStreams) {
        frame(MessageFrameCodec.SETTINGS, 0);
        FrameBytes.putLong(bytes, size, maxMessageBytes);
        size += Long.BYTES;
        add(maxStreams);
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        whenCompleted.accept(this);
    }
}
