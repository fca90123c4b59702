package io.reactorucx.examples.store.wire;

import org.jspecify.annotations.Nullable;

/**
 * The reply of a node.
 *
 * @param outcome what became of the request
 * @param version of the value, or of the write; 0 without one
 * @param value the bytes; null if there are none, or if they are to be read from the window
 * @param window descriptor of the memory that has the value; null without
 * @param reason why the request is to be repeated; null otherwise
 */
public record Reply(Outcome outcome, long version, byte @Nullable [] value, byte @Nullable [] window,
        @Nullable String reason) {

    /** The outcome of a request. */
    public enum Outcome {
        /** The value follows. */
        FOUND,
        /** The node has no value of the key. */
        NOT_FOUND,
        /** The write is on each replica that lives. */
        DONE,
        /** Nothing was done. The same request may succeed later, or at the other replica now. */
        RETRY,
        /** The write may have been done. Repeating it is safe after it has expired. */
        UNKNOWN
    }

    /**
     * The value of a key.
     *
     * @param version of the value
     * @param value its bytes
     * @return the reply
     */
    public static Reply found(long version, byte[] value) {
        return new Reply(Outcome.FOUND, version, value, null, null);
    }

    /**
     * Where the value of a key can be read.
     *
     * @param version of the value
     * @param window descriptor of its memory
     * @return the reply
     */
    public static Reply window(long version, byte[] window) {
        return new Reply(Outcome.FOUND, version, null, window, null);
    }

    /** {@return that there is no value} */
    public static Reply notFound() {
        return new Reply(Outcome.NOT_FOUND, 0, null, null, null);
    }

    /**
     * The reply that a write was done.
     *
     * @param version of the write
     * @return the reply
     */
    public static Reply done(long version) {
        return new Reply(Outcome.DONE, version, null, null, null);
    }

    /**
     * The reply that nothing was done.
     *
     * @param reason why not
     * @return the reply
     */
    public static Reply retry(String reason) {
        return new Reply(Outcome.RETRY, 0, null, null, reason);
    }

    /**
     * The reply that a write may have been done.
     *
     * @param reason why that is not known
     * @return the reply
     */
    public static Reply unknown(String reason) {
        return new Reply(Outcome.UNKNOWN, 0, null, null, reason);
    }
}
