package io.reactorucx.message;

import java.util.Map;
import java.util.Objects;

/**
 * The requests of one engine's connections on one side, since the engine started.
 *
 * @param begun requests that have begun
 * @param ended requests that have ended, for each outcome
 */
public record RequestStatistics(long begun, Map<Outcome, Long> ended) {

    /** Copies the map. */
    public RequestStatistics {
        ended = Map.copyOf(ended);
    }

    /** {@return requests that have begun and not ended} */
    public long inFlight() {
        // The counts are not read at one moment.
        return Math.max(0, begun - ended.values().stream().mapToLong(Long::longValue).sum());
    }

    /**
     * {@return requests that have ended in one way}
     *
     * @param outcome the way
     */
    public long count(Outcome outcome) {
        return Objects.requireNonNull(ended.get(outcome), "outcome");
    }

    /** The side of a request on which it is counted. */
    public enum Side {
        /** The requester's. */
        CLIENT,
        /** The responder's. */
        SERVER
    }

    /** How a request ended. */
    public enum Outcome {
        /** With its response, or with the end of its responses. */
        SUCCESS,
        /** With any error but the following. */
        ERROR,
        /** The requester has cancelled; for a responder also by the end of the connection. */
        CANCELLED,
        /** Its deadline has passed; for a responder also a cancel in the last tenth of it. */
        DEADLINE
    }

    /**
     * Gets the times of requests.
     *
     * <p><b>Threading:</b> the thread of an engine, which the call must not block. <b>Errors:</b> must not throw.
     */
    @FunctionalInterface
    public interface Recorder {

        /**
         * A request has ended.
         *
         * @param side where it was measured
         * @param outcome how it ended
         * @param nanos time from when the engine took the request, of the caller or of the peer, to its end
         */
        void record(Side side, Outcome outcome, long nanos);
    }
}
