package io.reactorucx.message;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Sees what the application does over a connection begin and end. {@link io.reactorucx.observation.UcxObservations}
 * makes observations of Micrometer of it.
 *
 * <p><b>Threading:</b> the thread of the subscription or signal, an engine's for most: it must not block.
 * <b>Ownership:</b> none. <b>Errors:</b> what it throws is logged, and the activity goes on without a span.
 */
@FunctionalInterface
public interface UcxObserver {

    /**
     * An activity begins, once for each subscriber.
     *
     * @param activity the activity
     * @param context the subscriber's context
     * @param remote the sender's trace context, for the handling of a request that carries one
     * @return the span, which ends once
     */
    Span start(Activity activity, ContextView context, @Nullable TraceContext remote);

    /**
     * An activity that is observed.
     *
     * @param kind the kind of activity
     * @param name one of a few names: {@code request_response}, {@code request_stream}, {@code request_channel} or
     *     {@code fire_and_forget} of requests, {@code messages} of a send, {@code connection} of a handler
     * @param peer name of the peer
     */
    record Activity(Kind kind, String name, String peer) {

        /** Checks the parts. */
        public Activity {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(peer, "peer");
        }

        /** The kinds of activities that are observed. */
        public enum Kind {
            /** This side sends a request, until its response has ended. */
            REQUEST,
            /** The responder of this side answers a request. */
            RESPONSE,
            /** This side sends messages, until all have been sent. */
            SEND,
            /** The handler of a server's connection runs, until it ends. */
            HANDLER
        }
    }

    /** One activity, from its start to its end. */
    interface Span {

        /** Sees nothing. */
        Span NONE = new Span() {
        };

        /** {@return the trace context that a request carries to the peer, null for none} */
        default @Nullable TraceContext traceContext() {
            return null;
        }

        /**
         * Adds the span to the context of what runs within it.
         *
         * @param context the context
         * @return the context with the span
         */
        default Context addTo(Context context) {
            return context;
        }

        /**
         * Makes it the current one of the calling thread, while the library calls the application.
         *
         * @return undoes that
         */
        default Scope open() {
            return Scope.NONE;
        }

        /**
         * The activity has ended.
         *
         * @param outcome how
         * @param error the error of {@link Outcome#ERROR} or {@link Outcome#DEADLINE}, else null
         */
        default void end(Outcome outcome, @Nullable Throwable error) {
        }
    }

    /** A time in which a span is the current one of a thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Does nothing. */
        Scope NONE = () -> { };

        @Override
        void close();
    }

    /** How an activity has ended. */
    enum Outcome {
        /** The activity completed. */
        SUCCESS,
        /** The activity failed. */
        ERROR,
        /** Its subscriber, on this side or the peer's, cancelled. */
        CANCELLED,
        /**
         * Its deadline has passed. A responder's side takes a cancel in the last tenth of the time, or the last 10 ms,
         * for that, because the requester's clock begins first.
         */
        DEADLINE;

        /** {@return the name in lower case, as in meters} */
        public String lowerCase() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
