package io.reactorucx.benchmarks.peers;

/** One of the others, at its best: it is driven the way its own documentation does it for speed. */
interface Peer {

    /**
     * Answers what {@link #measure} sends, prints {@code READY} through the lifeline, and returns when that has ended.
     */
    void serve(PeerOptions options, Lifeline lifeline) throws Exception;

    /** {@return what was measured against a server of the same peer} */
    Figures measure(PeerOptions options) throws Exception;

    /** Says that a combination of test and mode has no meaning here, or no row that needs it. */
    static Figures refuse(PeerOptions options) {
        throw new IllegalArgumentException("--test " + options.test() + " --mode " + options.mode()
                + ": this peer does not do it");
    }
}
