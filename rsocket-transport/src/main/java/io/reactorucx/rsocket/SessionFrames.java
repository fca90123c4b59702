package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import io.rsocket.frame.FrameHeaderCodec;
import io.rsocket.frame.FrameType;
import io.rsocket.frame.SetupFrameCodec;

/** The frames by which a client begins or resumes a session that outlives its connections. */
final class SessionFrames {

    private SessionFrames() {
    }

    /** Returns whether a frame says that the connection belongs to such a session. */
    static boolean belongToSession(ByteBuf frame) {
        if (FrameHeaderCodec.streamId(frame) != 0) {
            return false;
        }
        FrameType type = FrameHeaderCodec.frameType(frame);
        return type == FrameType.RESUME || type == FrameType.SETUP && SetupFrameCodec.resumeEnabled(frame);
    }
}
