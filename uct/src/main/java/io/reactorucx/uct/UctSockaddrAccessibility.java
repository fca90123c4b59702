package io.reactorucx.uct;

/** Queries of a socket address ({@code uct_sockaddr_accessibility_t}). */
public enum UctSockaddrAccessibility {
    /** Whether it belongs to a local network interface, for binding. */
    LOCAL,
    /** Whether a peer can be reached there. */
    REMOTE;

    int code() {
        return ordinal();
    }
}
