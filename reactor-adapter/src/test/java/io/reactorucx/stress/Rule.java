package io.reactorucx.stress;

/** What a random call may come to. */
enum Rule {
    /** It may succeed, and fail as the library documents. */
    LEGAL,
    /** Its arguments are wrong: it has to fail. */
    WRONG,
    /** The state of the object decides: it may succeed, and be refused as a wrong one. */
    EITHER
}
