package io.reactorucx.core;

import java.util.Objects;

/** What can be checked of a worker address before UCX, which trusts it, parses it. */
final class WorkerAddresses {

    /** No address of a machine with many devices comes near this. */
    static final int MAX_BYTES = 64 * 1024;

    private static final int MIN_BYTES = 9;

    private WorkerAddresses() {
    }

    static byte[] checked(byte[] address) {
        Objects.requireNonNull(address, "workerAddress");
        if (address.length < MIN_BYTES || address.length > MAX_BYTES) {
            throw new IllegalArgumentException("workerAddress of " + address.length + " bytes: must be in " + MIN_BYTES + ".." + MAX_BYTES);
        }
        return address;
    }
}
