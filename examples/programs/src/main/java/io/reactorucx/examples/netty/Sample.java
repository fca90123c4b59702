package io.reactorucx.examples.netty;

import org.HdrHistogram.Histogram;

/**
 * Calls that were measured.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param times of the calls in nanoseconds
 * @param nanos how long the measurement took
 */
public record Sample(Histogram times, long nanos) {

    /** {@return the number of calls} */
    public long calls() {
        return times.getTotalCount();
    }
}
