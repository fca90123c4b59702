package io.reactorucx.netty.counter;

/** What a loop counts one by one. Its loop writes each, but for {@link #REFUSED_LINKS}. */
public enum LoopCount {

    /** Streams that were made, which are not open at first. */
    MADE,
    /** Streams that are not open yet. */
    PENDING,
    /** Streams that both sides have opened. */
    OPENED,
    /** Streams that have ended in order. */
    CLOSED,
    /** Streams that one of the sides has reset, or whose peer was lost. */
    RESET,
    /** Channels that were told that their stream has ended without order. */
    BROKEN,
    /** Streams that wait for credit of the peer. */
    WAITING,
    /** Channels that the limit had no room for, or the client's share. */
    REFUSED,
    /** Times that a peer has broken the protocol. */
    VIOLATIONS,
    /** Sockets of channels whose handshake has failed. */
    FAILED_HANDSHAKES,
    /** Bytes that channels have given to UCX. */
    SENT_BYTES,
    /** Bytes that have come for channels. */
    RECEIVED_BYTES,
    /** Links that are open, in either direction. */
    LINKS,
    /** Links that this loop has made. */
    CONNECTED_LINKS,
    /** Links that this loop has accepted. */
    ACCEPTED_LINKS,
    /** Links that this loop could not make, or that were lost. */
    FAILED_LINKS,
    /** Links that the limit had no room for. Any thread counts them. */
    REFUSED_LINKS,
    /** Times that the loop has begun to spin. */
    SPINS,
    /** Times that the loop has spun in vain. */
    VAIN_SPINS,
    /** Times that the loop has slept. */
    SLEEPS,
    /** Channels that go over their TCP sockets, or may do so. */
    PLAIN_CHANNELS
}
