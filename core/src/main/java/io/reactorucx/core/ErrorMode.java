package io.reactorucx.core;

/** Whether an endpoint notices that its peer has died ({@code ucp_err_handling_mode_t}); both sides have to agree. */
public enum ErrorMode {
    /** Failures of the peer are reported and every operation ends. Transports that cannot do that are left out. */
    PEER(1),
    /**
     * All transports, none of the guarantees: operations towards a dead peer may never end, and only a flushing close
     * is allowed.
     */
    NONE(0);

    private final int code;

    ErrorMode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
