package io.reactorucx.memory;

/** The path of operations on a window of a framework peer's memory. */
public enum MemoryPath {
    /**
     * One-sided where both sides have {@link io.reactorucx.UcxResourcesBuilder#remoteMemoryAccess(boolean)} and the
     * transport needs no help of the owner's processor, as RDMA, or shared memory that UCX allocated; else served.
     * Atomic operations are always served, so that they are atomic towards those of the owner and of every other peer.
     */
    AUTO,
    /** Requests to the owner, whose engine checks them against the window, its rights and its bounds. */
    SERVED,
    /** UCX's own put, get and atomic operations, which check nothing where the transport only emulates them. */
    ONE_SIDED
}
