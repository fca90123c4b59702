package io.reactorucx.examples.netty;

/**
 * Calls over one connection, each of which begins as soon as the one before it has been answered.
 *
 * <p><b>Threading:</b> {@link #start} by any thread, the rest on the connection's loop. <b>Ownership:</b> the caller
 * closes the connection. <b>Errors:</b> {@link Observer#failed}.
 */
public final class CallChain implements Caller.Answer {

    private final Caller caller;
    private final Observer observer;
    private long begun;

    private CallChain(Caller caller, Observer observer) {
        this.caller = caller;
        this.observer = observer;
    }

    /** Measures the calls, and decides when the chain ends. */
    public interface Observer {

        /**
         * A call was answered.
         *
         * @param begunNanos when it began, by {@link System#nanoTime()}
         * @param endedNanos when it was answered
         * @return whether another call follows
         */
        boolean answered(long begunNanos, long endedNanos);

        /**
         * A call has failed, and none follows.
         *
         * @param error the reason
         */
        void failed(Throwable error);
    }

    /**
     * Begins the first call.
     *
     * @param caller the connection
     * @param observer is told of each call
     */
    public static void start(Caller caller, Observer observer) {
        new CallChain(caller, observer).call(System.nanoTime());
    }

    private void call(long now) {
        begun = now;
        caller.call(this);
    }

    @Override
    public void arrived() {
        long now = System.nanoTime();
        if (observer.answered(begun, now)) {
            call(now);
        }
    }

    @Override
    public void failed(Throwable error) {
        observer.failed(error);
    }
}
