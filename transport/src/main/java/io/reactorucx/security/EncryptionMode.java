package io.reactorucx.security;

/** Whether the data of a connection with TLS is encrypted. The stronger wish of its two sides counts. */
public enum EncryptionMode {

    /** Not at all. A peer that wants one of the others is refused. */
    OFF,
    /** Unless it stays in memory of this host, which processes of the same user alone can read. */
    NETWORK,
    /** Wherever it goes. */
    REQUIRED
}
