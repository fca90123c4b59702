package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.netty.io.SocketFrame;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.function.Consumer;

/** What reads bytes that the peer of a channel has made: one line for each, and {@link FrameFuzzTest} feeds it. */
enum FrameParser {

    STREAM(FrameParser::stream),
    ARRIVALS(FrameParser::arrivals),
    SOCKET(FrameParser::socket);

    private static final int HEADER_BYTES = Long.BYTES + StreamFrame.BYTES;
    private static final int WINDOW = 4096;

    private final Consumer<byte[]> reader;

    FrameParser(Consumer<byte[]> reader) {
        this.reader = reader;
    }

    /** Reads, and checks what came of it; whatever this throws is a fault. */
    void read(byte[] bytes) {
        reader.accept(bytes);
    }

    String corpus() {
        return "fuzz/" + name().toLowerCase(Locale.ROOT);
    }

    /** The first byte says how many of the others are the header; the rest is the data. */
    private static void stream(byte[] bytes) {
        if (bytes.length == 0) {
            return;
        }
        int header = Math.min(Byte.toUnsignedInt(bytes[0]), bytes.length - 1);
        byte[] message = Arrays.copyOfRange(bytes, 1, bytes.length);
        UcpActiveMessage received = Messages.of(message, header);
        if (!StreamFrame.isFrame(received)) {
            return;
        }
        StreamFrame.Type type = StreamFrame.type(received);
        byte[] again = new StreamFrame().fill(StreamFrame.channel(received), type, StreamFrame.offset(received),
                StreamFrame.credit(received), StreamFrame.from(received)).toArray(ValueLayout.JAVA_BYTE);
        check(Arrays.equals(again, Arrays.copyOfRange(message, Long.BYTES, HEADER_BYTES)),
                "the frame says what the bytes do not");
        check(StreamFrame.isFrame(Arrays.copyOf(message, header))
                && StreamFrame.channel(message) == StreamFrame.channel(received), "it is placed for another channel");
        check(StreamFrame.isWithoutData(received) == (message.length == header), "it has data, or has none");
    }

    /**
     * Three bytes for each step: the offset of a piece modulo twice the window, and its length; or, if the last is
     * negative, a read. The byte at an offset is the offset.
     */
    private static void arrivals(byte[] bytes) {
        ArrivalQueue queue = new ArrivalQueue(WINDOW);
        BitSet arrived = new BitSet();
        try {
            for (int i = 0; i + 2 < bytes.length; i += 3) {
                int number = (bytes[i] & 0xFF) << 8 | bytes[i + 1] & 0xFF;
                if (bytes[i + 2] < 0) {
                    readInOrder(queue, 1 + number);
                    continue;
                }
                int offset = queue.read() + number % (2 * WINDOW);
                int length = bytes[i + 2] << 3;
                if (queue.accepts(offset, length, queue.read() + WINDOW)) {
                    int known = arrived.nextSetBit(offset);
                    check(known < 0 || known >= offset + length, "bytes were taken twice");
                    arrived.set(offset, offset + length);
                    byte[] piece = new byte[length];
                    for (int j = 0; j < length; j++) {
                        piece[j] = (byte) (offset + j);
                    }
                    queue.copy(offset, piece, 0, length, UnpooledByteBufAllocator.DEFAULT);
                }
                check(queue.end() - queue.read() <= WINDOW, "more than the window has come");
                check(queue.readyBytes() == arrived.nextClearBit(queue.read()) - queue.read(),
                        "other bytes are ready than those that have come without a gap");
            }
            readInOrder(queue, Integer.MAX_VALUE);
        } finally {
            queue.clear();
        }
    }

    private static void readInOrder(ArrivalQueue queue, int most) {
        int at = queue.read();
        ByteBuf data = queue.read(most);
        if (data != null) {
            try {
                check(data.readableBytes() <= most, "more was read than asked for");
                while (data.isReadable()) {
                    check(data.readByte() == (byte) at++, "another byte was read than has come");
                }
            } finally {
                data.release();
            }
        }
    }

    /** Any bytes are frames, or the beginning of one, or nothing of this protocol. */
    private static void socket(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        int before = -1;
        for (SocketFrame frame = SocketFrame.decode(in); frame != null; frame = SocketFrame.decode(in)) {
            check(in.readerIndex() > before, "a frame without bytes");
            before = in.readerIndex();
            if (!(frame instanceof SocketFrame.Unknown) && !(frame instanceof SocketFrame.Reject)) {
                ByteBuf again = frame.encode(UnpooledByteBufAllocator.DEFAULT);
                try {
                    check(frame.equals(SocketFrame.decode(again)) && !again.isReadable(),
                            "the frame says what the bytes do not");
                } finally {
                    again.release();
                }
            }
        }
        check(in.readableBytes() <= SocketFrame.MAX_BYTES + 8, "more is kept than a frame has");
    }

    /** No library: this is done millions of times. */
    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    /** Makes messages as UCX's upcall does, which core keeps to itself. */
    private static final class Messages {

        private static final MethodHandle NEW;
        private static final MethodHandle FILL;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(UcpActiveMessage.class,
                        MethodHandles.lookup());
                NEW = lookup.findConstructor(UcpActiveMessage.class, MethodType.methodType(void.class));
                FILL = lookup.findVirtual(UcpActiveMessage.class, "become", MethodType.methodType(void.class,
                        int.class, byte[].class, int.class, int.class, Object.class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        static UcpActiveMessage of(byte[] headerAndData, int header) {
            try {
                UcpActiveMessage made = (UcpActiveMessage) NEW.invoke();
                FILL.invoke(made, 1, headerAndData, header, headerAndData.length - header, null);
                return made;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
