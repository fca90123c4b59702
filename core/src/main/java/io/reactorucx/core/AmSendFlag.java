package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.ucx_h;
import java.util.Set;

/** How an active message is sent ({@code ucp_send_am_flags}). */
public enum AmSendFlag {
    /** The receiver learns the way back. */
    REPLY(ucx_h.UCP_AM_SEND_FLAG_REPLY()),
    /** The data travels along with the message. */
    EAGER(ucx_h.UCP_AM_SEND_FLAG_EAGER()),
    /** The data is offered, and moves when the receiver fetches it. */
    RENDEZVOUS(ucx_h.UCP_AM_SEND_FLAG_RNDV()),
    /** UCX copies the header by itself; from UCX 1.14 on. This library has copied it anyway. */
    COPY_HEADER(ucx_h.UCP_AM_SEND_FLAG_COPY_HEADER());

    private final int bit;

    AmSendFlag(int bit) {
        this.bit = bit;
    }

    static int bits(Set<AmSendFlag> flags) {
        if (flags.contains(EAGER) && flags.contains(RENDEZVOUS)) {
            throw new IllegalArgumentException("flags EAGER and RENDEZVOUS: exclude each other");
        }
        if (flags.contains(COPY_HEADER) && !Ucx.version().isAtLeast(1, 14)) {
            throw new UcxUnsupportedException("am_send", "COPY_HEADER needs UCX 1.14, this is " + Ucx.version());
        }
        int bits = 0;
        for (AmSendFlag flag : flags) {
            bits |= flag.bit;
        }
        return bits;
    }
}
