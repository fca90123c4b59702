package io.reactorucx.memory;

import io.reactorucx.UcxResourcesBuilder;

/** How operations reach a window of a framework peer's memory. */
public enum MemoryPath {
    /**
     * One-sided where both sides have {@link UcxResourcesBuilder#remoteMemoryAccess(boolean)} and the transport needs
     * no help of the owner's processor, which is so over RDMA and with shared memory that UCX allocated; else served.
     * Atomic operations are always served, so that they are atomic towards those of the owner and of every other peer.
     */
    AUTO,
    /** By messages that the owner's engine checks against the window, its rights and its bounds, and answers. */
    SERVED,
    /** By UCX's own put, get and atomic operations, which check nothing where the transport only emulates them. */
    ONE_SIDED
}
