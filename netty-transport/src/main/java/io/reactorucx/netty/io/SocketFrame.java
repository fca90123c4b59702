package io.reactorucx.netty.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.netty.internal.LoopLinks;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A frame that the two sides of a channel send each other over its socket, big-endian: the number {@code 'RUCX'} (4
 * bytes), the version (1), the type (1), the length of the rest (2), and the rest.
 */
public sealed interface SocketFrame {

    /** {@code RUCX}. */
    int MAGIC = 0x52554358;
    /** The version of the protocol. */
    int VERSION = 2;
    /** Bytes before the rest. */
    int HEAD_BYTES = 8;
    /** The longest rest. */
    int MAX_BYTES = 256;

    /** The client's channel, and the token that the server has to name. */
    record Hello(int channel, long token) implements SocketFrame {
    }

    /** The server's channel and token, its loop's port of links and name. */
    record Welcome(int channel, long token, int port, LoopLinks.Name name) implements SocketFrame {
    }

    /** Why there is no channel. */
    record Reject(String reason) implements SocketFrame {
    }

    /** The channel ends in order: the rest comes over the link. */
    record Closed() implements SocketFrame {
    }

    /** The bytes are none of this protocol, or of another version of it. */
    record Unknown(String shown) implements SocketFrame {
    }

    /** Returns the bytes of the frame. */
    default ByteBuf encode(ByteBufAllocator allocator) {
        ByteBuf out = allocator.directBuffer(64).writeInt(MAGIC).writeByte(VERSION);
        switch (this) {
            case Hello hello -> out.writeByte(1).writeShort(12).writeInt(hello.channel).writeLong(hello.token);
            case Welcome welcome -> out.writeByte(2).writeShort(32).writeInt(welcome.channel)
                    .writeLong(welcome.token).writeInt(welcome.port).writeLong(welcome.name.high())
                    .writeLong(welcome.name.low());
            case Reject reject -> {
                byte[] reason = reject.reason.getBytes(StandardCharsets.UTF_8);
                int length = Math.min(reason.length, MAX_BYTES);
                out.writeByte(3).writeShort(length).writeBytes(reason, 0, length);
            }
            case Closed closed -> out.writeByte(4).writeShort(0);
            case Unknown unknown -> throw new IllegalStateException("not to be sent");
        }
        return out;
    }

    /** Takes a frame from the bytes that have come; null while it is not whole. */
    static @Nullable SocketFrame decode(ByteBuf in) {
        int start = in.readerIndex();
        if (in.readableBytes() < HEAD_BYTES) {
            int known = Math.min(in.readableBytes(), Integer.BYTES);
            for (int i = 0; i < known; i++) {
                if (in.getByte(start + i) != (byte) (MAGIC >>> 24 - 8 * i)) {
                    return unknown(in);
                }
            }
            return null;
        }
        int length = in.getUnsignedShort(start + 6);
        if (in.getInt(start) != MAGIC || in.getByte(start + 4) != VERSION || length > MAX_BYTES) {
            return unknown(in);
        }
        if (in.readableBytes() < HEAD_BYTES + length) {
            return null;
        }
        int type = in.getByte(start + 5);
        ByteBuf rest = in.slice(start + HEAD_BYTES, length);
        SocketFrame frame = switch (type) {
            case 1 -> length == 12 ? new Hello(rest.readInt(), rest.readLong()) : null;
            case 2 -> length == 32 ? new Welcome(rest.readInt(), rest.readLong(), rest.readInt(),
                    new LoopLinks.Name(rest.readLong(), rest.readLong())) : null;
            case 3 -> new Reject(printable(rest.toString(StandardCharsets.UTF_8)));
            case 4 -> length == 0 ? new Closed() : null;
            default -> null;
        };
        if (frame == null) {
            return unknown(in);
        }
        in.skipBytes(HEAD_BYTES + length);
        return frame;
    }

    private static SocketFrame unknown(ByteBuf in) {
        int length = Math.min(in.readableBytes(), 24);
        String shown = printable(in.toString(in.readerIndex(), length, StandardCharsets.US_ASCII));
        in.skipBytes(in.readableBytes());
        return new Unknown(shown);
    }

    private static String printable(String text) {
        return text.replaceAll("[^ -~]", ".");
    }
}
