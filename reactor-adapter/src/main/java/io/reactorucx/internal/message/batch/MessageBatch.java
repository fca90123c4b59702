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
 * <p>Frames are written into an array, which is copied when the batch is sent, to native memory where UCX carries it:
 * that takes less time than to write small frames to native memory. Thread: engine.
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

    /** Completes the batch, to be sent with the peer's token under a sequence number. */
    public void finish(long token, int sequence, int acknowledged) {
        writeRunCount();
        MessageFrameCodec.putPreamble(bytes, token, sequence, acknowledged);
    }

    /** Returns the array whose first {@link #byteSize()} bytes are the finished batch. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns native memory of the batch's own with the finished batch. */
    public MemorySegment toNative() {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, size);
        if (filled.byteSize() != size) {
            filled = memory.asSlice(0, size);
        }
        return filled;
    }

    /** Begins a frame with so many bytes of fields, and returns their offset. */
    private int frame(byte type, int stream, int fieldBytes) {
        writeRunCount();
        runCountAt = 0;
        lastStream = NO_STREAM;
        int fields = size + MessageFrameCodec.FRAME_BYTES;
        bytes[size] = type;
        FrameBytes.putInt(bytes, size + 1, stream);
        size = fields + fieldBytes;
        return fields;
    }

    /** Writes the number of messages in the run, once for all of them. */
    private void writeRunCount() {
        if (runCountAt != 0) {
            FrameBytes.putShort(bytes, runCountAt, (short) runCount);
        }
    }

    public void data(int stream, byte[] message) {
        header(stream, message.length);
        FrameBytes.copy(message, 0, bytes, size, message.length);
        size += message.length;
    }

    /**
     * Writes the header of a message, or counts it into a run: a message that follows one of the same stream and length
     * begins a run with those behind it.
     */
    private void header(int stream, int length) {
        if (stream != lastStream || length != lastLength || runCountAt != 0 && runCount == MessageFrameCodec.MAX_RUN) {
            FrameBytes.putInt(bytes, frame(MessageFrameCodec.DATA, stream, Integer.BYTES), length);
            lastStream = stream;
            lastLength = length;
            return;
        }
        if (runCountAt == 0) {
            int fields = frame(MessageFrameCodec.RUN, stream, Integer.BYTES + Short.BYTES);
            FrameBytes.putInt(bytes, fields, length);
            lastStream = stream;
            runCountAt = fields + Integer.BYTES;
            runCount = 0;
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
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, 0, bytes, size, length);
        size += length;
    }

    /** Writes a message of a send: an array, a lease, or a message in other memory. */
    public void message(int stream, Object message) {
        switch (message) {
            case byte[] array -> data(stream, array);
            case UcxBuffer lease -> data(stream, lease.segment());
            default -> data(stream, (OutgoingMessage) message);
        }
    }

    /**
     * Writes an OPEN.
     *
     * @param credit the first one, of messages, and so many bytes
     * @param head what the payload begins with
     * @param rest an array, or other memory
     */
    public void open(int stream, int credit, int creditBytes, byte[] head, Object rest) {
        int length = rest instanceof byte[] array ? array.length : (int) ((MemorySegment) rest).byteSize();
        int fields = frame(MessageFrameCodec.OPEN, stream, 3 * Integer.BYTES);
        FrameBytes.putInt(bytes, fields, credit);
        FrameBytes.putInt(bytes, fields + Integer.BYTES, creditBytes);
        FrameBytes.putInt(bytes, fields + 2 * Integer.BYTES, head.length + length);
        FrameBytes.copy(head, 0, bytes, size, head.length);
        size += head.length;
        if (rest instanceof byte[] array) {
            FrameBytes.copy(array, 0, bytes, size, length);
        } else {
            MemorySegment.copy((MemorySegment) rest, ValueLayout.JAVA_BYTE, 0, bytes, size, length);
        }
        size += length;
    }

    public void credit(int stream, int messages, int messageBytes) {
        int fields = frame(MessageFrameCodec.CREDIT, stream, 2 * Integer.BYTES);
        FrameBytes.putInt(bytes, fields, messages);
        FrameBytes.putInt(bytes, fields + Integer.BYTES, messageBytes);
    }

    /** Writes a frame that consists of its type. */
    public void signal(byte type, int stream) {
        frame(type, stream, 0);
    }

    public void error(int stream, int code, String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(encoded.length, MessageFrameCodec.MAX_TEXT_BYTES);
        int fields = frame(MessageFrameCodec.ERROR, stream, Integer.BYTES + Short.BYTES);
        FrameBytes.putInt(bytes, fields, code);
        FrameBytes.putShort(bytes, fields + Integer.BYTES, (short) length);
        System.arraycopy(encoded, 0, bytes, size, length);
        size += length;
    }

    public void settings(long maxMessageBytes, int maxStreams) {
        int fields = frame(MessageFrameCodec.SETTINGS, 0, Long.BYTES + Integer.BYTES);
        FrameBytes.putLong(bytes, fields, maxMessageBytes);
        FrameBytes.putInt(bytes, fields + Long.BYTES, maxStreams);
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        whenCompleted.accept(this);
    }
}
