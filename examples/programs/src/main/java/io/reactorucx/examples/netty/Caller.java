package io.reactorucx.examples.netty;

/**
 * A client's connection.
 *
 * <p><b>Threading:</b> any thread; answers come on the connection's loop. <b>Ownership:</b> {@link #close()} ends the
 * connection. <b>Errors:</b> {@link Answer#failed}, also for an answer other than expected.
 */
public interface Caller extends AutoCloseable {

    /** The listener to the end of a call: one of the two methods is called, once. */
    interface Answer {

        /** The answer has arrived, and was right. */
        void arrived();

        /**
         * There is no answer, or a wrong one.
         *
         * @param error the reason
         */
        void failed(Throwable error);
    }

    /**
     * Sends a request.
     *
     * @param answer is told of the answer
     */
    void call(Answer answer);

    @Override
    void close();
}
