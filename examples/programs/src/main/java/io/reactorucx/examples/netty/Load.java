package io.reactorucx.examples.netty;

import java.time.Duration;
import java.util.List;

/**
 * When calls are made.
 *
 * <p><b>Threading:</b> any thread but that of a loop; it waits for the end. <b>Ownership:</b> the caller closes the
 * connections. <b>Errors:</b> {@link io.reactorucx.examples.DemoFailure} when a call fails or takes too long.
 */
public interface Load {

    /** {@return the number of connections that it uses} */
    int connections();

    /**
     * Makes calls for some time, and waits for their answers.
     *
     * @param callers as many connections as it uses
     * @param time how long
     * @return the times of all calls
     */
    Sample run(List<Caller> callers, Duration time);
}
