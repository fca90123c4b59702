package io.reactorucx.internal.message.simulation;

/** What a simulated carrier does wrong, on purpose: the checks of a {@link Scenario} have to find each. */
enum CarrierFault {

    NONE("nothing"),
    /** A CREDIT frame is taken out of its batch. */
    LOST_CREDIT("stands still|delivered"),
    /** LAST, and what else is in its batch, gets the number of a batch of messages before it, and is taken first. */
    LAST_OVERTAKES("violations of the protocol|not keep to the protocol|not connected any more|has completed"),
    /** FIN goes out as soon as a side closes, although its protocol is not quiet, and overtakes messages. */
    FIN_OVERTAKES("the peer's receiver has completed, and got"),
    /** The end of a large send is told twice. */
    DOUBLE_RELEASE("it was released before"),
    /** The end of a batch, or of a large send, is never told. */
    LOST_COMPLETION("stands still|rest|delivered"),
    /** A batch arrives twice. */
    DUPLICATED_BATCH("violations of the protocol|not keep to the protocol|not connected any more"),
    /** A batch does not arrive. */
    LOST_BATCH("stands still|rest|delivered"),
    /** Two batches arrive under each other's number. */
    SWAPPED_BATCHES("is delivered as|as its"),
    /** The end of a large send is told before its data was fetched. */
    EARLY_COMPLETION("not intact|is delivered as|as its"),
    /** No PING arrives. */
    LOST_PING("is not connected any more"),
    /** A byte of a large message is another one. */
    CHANGED_BYTE("not intact|gets response");

    private final String foundBy;

    CarrierFault(String foundBy) {
        this.foundBy = foundBy;
    }

    /** Returns an expression for what is wrong then. */
    String foundBy() {
        return foundBy;
    }
}
