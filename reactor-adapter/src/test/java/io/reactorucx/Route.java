package io.reactorucx;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.engine.WaitStrategy;

/**
 * The ways to connect that the contract is checked over. Where a host has an RDMA device, properties put its transports
 * in the place of others: {@code -Dio.reactorucx.test.posix=ud_verbs}.
 */
enum Route {
    POSIX_BY_SOCKET_ADDRESS(false, inPlaceOf("posix", "posix,tcp")),
    TCP_BY_SOCKET_ADDRESS(false, inPlaceOf("tcp", "tcp")),
    POSIX_BY_WORKER_ADDRESS(true, inPlaceOf("posix", "posix,tcp")),
    TCP_BY_WORKER_ADDRESS(true, inPlaceOf("tcp", "tcp")),
    /** Small messages go over rings in memory, all else as over posix. */
    RING_BY_SOCKET_ADDRESS(false, "posix", "tcp"),
    RING_BY_WORKER_ADDRESS(true, "posix", "tcp"),
    /** Records in place of messages, also of small ones, which go over UCX. */
    ENCRYPTED_BY_TCP(false, "tcp"),
    /** Records in place of messages, whose small ones go over rings. */
    ENCRYPTED_BY_RING(false, "posix", "tcp"),
    /**
     * One connection that is both ends of itself: raw, without failure detection or sleep, for the transport
     * {@code self} has neither.
     */
    SELF(true, "self");

    /** The smallest ring, which is full more often than a larger one. */
    private static final int RING_BYTES = 256 << 10;

    private final boolean byWorkerAddress;
    private final String[] transports;

    Route(boolean byWorkerAddress, String... transports) {
        this.byWorkerAddress = byWorkerAddress;
        this.transports = transports;
    }

    private static String[] inPlaceOf(String name, String transports) {
        return System.getProperty("io.reactorucx.test." + name, transports).split(",");
    }

    boolean byWorkerAddress() {
        return byWorkerAddress;
    }

    boolean isSelf() {
        return this == SELF;
    }

    private boolean hasRings() {
        return this == RING_BY_SOCKET_ADDRESS || this == RING_BY_WORKER_ADDRESS || this == ENCRYPTED_BY_RING;
    }

    boolean isEncrypted() {
        return this == ENCRYPTED_BY_TCP || this == ENCRYPTED_BY_RING;
    }

    /** The transport that has to carry the data. */
    String fastest() {
        return transports[0];
    }

    String[] transports() {
        return transports.clone();
    }

    UcxResourcesBuilder resources() {
        // By worker address a peer's forced close is only noticed when UCX looks whether the peer is there.
        return UcxResources.builder().transports(transports).remoteMemoryAccess(true).remoteAtomics(true).streams(true)
                .maxBufferBytes(256L << 20)
                .setting("KEEPALIVE_INTERVAL", byWorkerAddress ? "500ms" : "20s")
                .ringBytes(hasRings() ? RING_BYTES : 0)
                .waitStrategy(isSelf() ? WaitStrategy.BUSY_SPIN : WaitStrategy.ADAPTIVE);
    }

    void assumeTwoPeers() {
        assumeTrue(!isSelf(), "a connection to itself has one end only");
    }
}
