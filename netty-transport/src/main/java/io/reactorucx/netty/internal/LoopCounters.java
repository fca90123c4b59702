package io.reactorucx.netty.internal;

import java.util.concurrent.atomic.LongAdder;

/**
 * What a loop counts.
 *
 * <p>Thread: the loop writes, any reads.
 */
public final class LoopCounters {

    private final LongAdder opened = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final LongAdder violations = new LongAdder();
    private final LongAdder failedHandshakes = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder plainOpened = new LongAdder();
    private final LongAdder plainClosed = new LongAdder();

    void streamMade() {
        opened.increment();
    }

    void streamEnded() {
        ended.increment();
    }

    void streamBroken() {
        broken.increment();
    }

    void violated() {
        violations.increment();
    }

    /** A channel's handshake has failed. */
    public void handshakeFailed() {
        failedHandshakes.increment();
    }

    void sent(int bytes) {
        sentBytes.add(bytes);
    }

    void received(int bytes) {
        receivedBytes.add(bytes);
    }

    /** A channel goes over its TCP socket, or may do so. */
    public void plainOpened() {
        plainOpened.increment();
    }

    /** The socket of such a channel has closed, or its peer is a client of UCX. */
    public void plainClosed() {
        plainClosed.increment();
    }

    /** Returns the channels that go over their TCP sockets, or may do so. */
    public int plainChannels() {
        return (int) (plainOpened.sum() - plainClosed.sum());
    }

    /** Returns the channels that exist, those that still send after their close included. */
    public int channels() {
        return (int) (opened.sum() - ended.sum());
    }

    /** Returns the channels that have ended without order. */
    public long broken() {
        return broken.sum();
    }

    /** Returns how often a peer has broken the protocol. */
    public long violations() {
        return violations.sum();
    }

    /** Returns the sockets whose handshake has failed. */
    public long failedHandshakes() {
        return failedHandshakes.sum();
    }

    /** Returns the bytes that channels have given to UCX. */
    public long sentBytes() {
        return sentBytes.sum();
    }

    /** Returns the bytes that have come for channels. */
    public long receivedBytes() {
        return receivedBytes.sum();
    }
}
