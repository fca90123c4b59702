package io.reactorucx.benchmarks.peers;

/** A library that Reactor UCX is compared with, used as its own documentation does it for speed. */
interface Peer {

    /** Responds to {@link #measure}, prints {@code READY} through the lifeline, and returns when the lifeline ends. */
    void serve(PeerOptions options, Lifeline lifeline) throws Exception;

    /** {@return the figures of a measurement against a server of the same peer} */
    Figures measure(PeerOptions options) throws Exception;

    /** Refuses a combination of test and mode that has no meaning here, or that no row needs. */
    static Figures refuse(PeerOptions options) {
        throw new IllegalArgumentException("--test " + options.test() + " --mode " + options.mode()
                + ": this peer does not do it");
    }
}
