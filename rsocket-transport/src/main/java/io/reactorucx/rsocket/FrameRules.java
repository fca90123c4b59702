package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import io.rsocket.frame.FrameHeaderCodec;
import io.rsocket.frame.FrameType;
import io.rsocket.frame.SetupFrameCodec;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Which frames a peer may send. RSocket logs the stack of each frame that it cannot read or has no place for, and goes
 * on with the next one, so such a frame must not reach it.
 *
 * <p>Thread: any for what this side sends, the connection's engine for the rest.
 */
final class FrameRules {

    private static final AtomicIntegerFieldUpdater<FrameRules> LAST_STREAM =
            AtomicIntegerFieldUpdater.newUpdater(FrameRules.class, "lastStream");

    private static final int TYPE_SHIFT = 10;
    private static final FrameType[] TYPES = new FrameType[1 << (Short.SIZE - TYPE_SHIFT)];
    private static final int HEAD = FrameHeaderCodec.size();
    private static final int METADATA_LENGTH = 3;
    /** Version, keep-alive interval and lifetime of a SETUP. */
    private static final int SETUP_NUMBERS = 3 * Integer.BYTES;
    /** RSocket reads the length of a MIME type as a signed byte. */
    private static final int MAX_MIME_TYPE = Byte.MAX_VALUE;

    static {
        for (FrameType each : FrameType.values()) {
            if (each.getEncodedType() < TYPES.length && each != FrameType.RESERVED) {
                TYPES[each.getEncodedType()] = each;
            }
        }
    }

    /** The lowest bit of the streams that this side opens. */
    private final int ownParity;
    /** The last stream that this side has opened. */
    private volatile int lastStream;
    /** RSocket resumes the session on another connection; what ends this one is no error to it. */
    private volatile boolean ofSession;
    private volatile boolean ofLeases;
    /** The peer has sent a frame. */
    private boolean received;

    FrameRules(boolean client) {
        ownParity = client ? 1 : 0;
    }

    boolean isOfSession() {
        return ofSession;
    }

    /** Looks at a frame that this side sends. */
    void sends(int streamId, ByteBuf frame) {
        if (streamId == 0) {
            begins(frame);
        } else if (isOwn(streamId)) {
            int last = lastStream;
            while (streamId > last && !LAST_STREAM.compareAndSet(this, last, streamId)) {
                last = lastStream;
            }
        }
    }

    /** Looks at a frame by which a client may begin or resume a session. */
    private void begins(ByteBuf frame) {
        FrameType type = FrameHeaderCodec.nativeFrameType(frame);
        if (type == FrameType.RESUME) {
            ofSession = true;
            ofLeases = true;
        } else if (type == FrameType.SETUP) {
            ofSession = SetupFrameCodec.resumeEnabled(frame);
            ofLeases = SetupFrameCodec.honorLease(frame);
        }
    }

    private boolean isOwn(int streamId) {
        return (streamId & 1) == ownParity;
    }

    /** Returns what is wrong with a message that the peer has sent, null if it is a frame that the peer may send. */
    @Nullable String violation(ByteBuf frame) {
        int length = frame.readableBytes();
        if (length < HEAD) {
            return "a message of " + length + " bytes, and each frame has a head of " + HEAD;
        }
        int streamId = frame.getInt(frame.readerIndex());
        int typeAndFlags = frame.getUnsignedShort(frame.readerIndex() + Integer.BYTES);
        FrameType type = TYPES[typeAndFlags >>> TYPE_SHIFT];
        if (type == null) {
            return "a frame of type " + (typeAndFlags >>> TYPE_SHIFT) + ", which RSocket does not have";
        }
        if (!isAllowed(type, streamId)) {
            return "a frame " + type + " of stream " + streamId + ", which it may not send";
        }
        String wrong = wrongBody(type, typeAndFlags, frame, frame.readerIndex() + HEAD);
        if (wrong != null) {
            return "a frame " + type + " " + wrong;
        }
        received = true;
        if (streamId == 0) {
            begins(frame);
        }
        return null;
    }

    private boolean isAllowed(FrameType type, int streamId) {
        boolean ofStreams = switch (type) {
            case SETUP, LEASE, KEEPALIVE, METADATA_PUSH, RESUME, RESUME_OK -> false;
            case ERROR, EXT -> streamId != 0;
            default -> true;
        };
        if (streamId <= 0 || !ofStreams) {
            return streamId == 0 && !ofStreams && switch (type) {
                case SETUP, RESUME -> ownParity == 0 && !received;
                case LEASE -> ofLeases;
                default -> true;
            };
        }
        // On another connection of the session this side may have opened any stream.
        return !isOwn(streamId) || isAnswer(type) && (streamId <= lastStream || ofSession);
    }

    private static boolean isAnswer(FrameType type) {
        return type == FrameType.PAYLOAD || type == FrameType.ERROR || type == FrameType.CANCEL
                || type == FrameType.REQUEST_N;
    }

    /** Returns what is wrong with a frame behind its head, which ends at an index; null for nothing. */
    private static @Nullable String wrongBody(FrameType type, int flags, ByteBuf frame, int body) {
        int length = frame.writerIndex() - body;
        int fixed = switch (type) {
            case REQUEST_STREAM, REQUEST_CHANNEL, REQUEST_N, ERROR, EXT -> Integer.BYTES;
            case KEEPALIVE, LEASE, RESUME_OK -> Long.BYTES;
            default -> 0;
        };
        if (length < fixed) {
            return "with " + length + " bytes after its head, where " + fixed + " have to be";
        }
        return switch (type) {
            case SETUP -> isSetup(flags, frame, body) ? null : "that cannot be read";
            case RESUME -> isResume(frame, body) ? null : "that cannot be read";
            case PAYLOAD -> (flags & (FrameHeaderCodec.FLAGS_N | FrameHeaderCodec.FLAGS_C)) == 0
                    ? "that is neither NEXT nor COMPLETE" : wrongMetadata(flags, frame, body);
            case REQUEST_N -> wrongDemand(frame.getInt(body));
            case REQUEST_STREAM, REQUEST_CHANNEL -> {
                String wrong = wrongDemand(frame.getInt(body));
                yield wrong == null ? wrongMetadata(flags, frame, body + fixed) : wrong;
            }
            case REQUEST_RESPONSE, REQUEST_FNF -> wrongMetadata(flags, frame, body);
            default -> null;
        };
    }

    private static @Nullable String wrongDemand(int demand) {
        return demand > 0 ? null : "that requests " + demand;
    }

    private static @Nullable String wrongMetadata(int flags, ByteBuf frame, int index) {
        return holdsMetadata(flags, frame, index) ? null : "whose metadata ends behind the frame";
    }

    private static boolean holdsMetadata(int flags, ByteBuf frame, int index) {
        if ((flags & FrameHeaderCodec.FLAGS_M) == 0) {
            return true;
        }
        int left = frame.writerIndex() - index - METADATA_LENGTH;
        return left >= 0 && frame.getUnsignedMedium(index) <= left;
    }

    private static boolean isSetup(int flags, ByteBuf frame, int body) {
        int end = frame.writerIndex();
        if (end - body < SETUP_NUMBERS || frame.getInt(body + Integer.BYTES) < 0
                || frame.getInt(body + 2 * Integer.BYTES) < 0) {
            return false;
        }
        int index = body + SETUP_NUMBERS;
        if ((flags & SetupFrameCodec.FLAGS_RESUME_ENABLE) != 0) {
            index = endOfToken(frame, index);
        }
        for (int mimeTypes = 0; mimeTypes < 2; mimeTypes++) {
            if (index >= end || frame.getUnsignedByte(index) > MAX_MIME_TYPE) {
                return false;
            }
            index += 1 + frame.getUnsignedByte(index);
        }
        return index <= end && holdsMetadata(flags, frame, index);
    }

    private static boolean isResume(ByteBuf frame, int body) {
        return frame.writerIndex() - endOfToken(frame, body + Integer.BYTES) >= 2 * Long.BYTES;
    }

    /** Returns where a token ends that begins with its length, which may be behind the end of the frame. */
    private static int endOfToken(ByteBuf frame, int index) {
        int token = index + Short.BYTES;
        return frame.writerIndex() < token ? token : token + frame.getUnsignedShort(index);
    }
}
