package io.reactorucx.core;

/** How the data of an active message travels. */
public enum AmProtocol {
    /** As UCX decides by size and transport. */
    AUTO(0),
    /** Along with the message ({@code UCP_AM_SEND_FLAG_EAGER}); the receiver buffers it. */
    EAGER(1 << 1),
    /** Offered, and moved when the receiver fetches it ({@code UCP_AM_SEND_FLAG_RNDV}). */
    RENDEZVOUS(1 << 2);

    private final int flag;

    AmProtocol(int flag) {
        this.flag = flag;
    }

    int flag() {
        return flag;
    }
}
