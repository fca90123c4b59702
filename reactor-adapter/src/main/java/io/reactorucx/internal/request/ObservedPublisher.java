package io.reactorucx.internal.request;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.TraceContext;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import io.reactorucx.message.UcxObserver.Outcome;
import io.reactorucx.message.UcxObserver.Scope;
import io.reactorucx.message.UcxObserver.Span;
import io.reactorucx.transport.command.LimitedLog;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Shows the subscriptions to a publisher to an observer: each is a span from its beginning to its end. Of an observer
 * that throws only the log tells.
 *
 * <p>Thread: any.
 */
public final class ObservedPublisher {

    private static final LimitedLog FAILURES = new LimitedLog(LoggerFactory.getLogger(ObservedPublisher.class));

    /** Stands for a cancel; what has become of a request then is told by the same rule. */
    private static final UcxClosedException CANCEL = new UcxClosedException("request", null, "cancelled");

    private ObservedPublisher() {
    }

    /**
     * Observes what a function makes for each subscriber.
     *
     * @param remote the sender's trace context, null for none
     * @param source makes the publisher, with the span current on the calling thread
     */
    public static <T> Flux<T> flux(UcxObserver observer, Activity activity, @Nullable TraceContext remote,
            Function<? super Span, ? extends Publisher<T>> source) {
        return flux(observer, activity, remote, RequestDeadline.NONE, source);
    }

    /** Observes the response to a request with a deadline, whose passing may look like a cancel of the requester. */
    static <T> Flux<T> flux(UcxObserver observer, Activity activity, @Nullable TraceContext remote,
            RequestDeadline deadline, Function<? super Span, ? extends Publisher<T>> source) {
        return Flux.deferContextual(context -> {
            Guard span = new Guard(start(observer, activity, context, remote));
            Flux<T> observed = new ContainedPublisher<>(Flux.defer(() -> {
                try (Scope _ = span.open()) {
                    return source.apply(span);
                }
            }));
            Side side = activity.kind() == Activity.Kind.RESPONSE ? Side.SERVER : Side.CLIENT;
            return observed.contextWrite(span::addTo).doOnComplete(() -> span.end(Outcome.SUCCESS, null))
                    .doOnError(error -> ended(span, side, error))
                    .doOnCancel(() -> ended(span, Side.SERVER, deadline.orDeadline(CANCEL)));
        });
    }

    /** Ends a span as the request is counted. */
    private static void ended(Span span, Side side, Throwable error) {
        Outcome outcome = switch (RequestCounters.outcome(side, error)) {
            case SUCCESS -> Outcome.SUCCESS;
            case ERROR -> Outcome.ERROR;
            case CANCELLED -> Outcome.CANCELLED;
            case DEADLINE -> Outcome.DEADLINE;
        };
        span.end(outcome, outcome == Outcome.CANCELLED ? null : error);
    }

    private static Span start(UcxObserver observer, Activity activity, ContextView context,
            @Nullable TraceContext remote) {
        Span span = guarded(observer, "UcxObserver.start", () -> observer.start(activity, context, remote));
        return span == null ? Span.NONE : span;
    }

    /** Returns what an observer's method returned, null if it threw or returned null, of which the log tells. */
    private static <T> @Nullable T guarded(Object observer, String method,
            Supplier<? extends @Nullable T> call) {
        T returned;
        try {
            returned = call.get();
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            warn(failure(observer, method), t);
            return null;
        }
        if (returned == null) {
            FAILURES.warn(failure(observer, method) + " returned null, which it must not", null);
        }
        return returned;
    }

    private static void warn(String failure, Throwable thrown) {
        Throwable shown = ApplicationErrors.printable(thrown);
        FAILURES.warn(failure + " threw " + shown, shown);
    }

    private static String failure(Object observer, String method) {
        return "the observer " + observer.getClass().getName() + " failed: " + method;
    }

    private static void run(Object observer, String method, Runnable call) {
        guarded(observer, method, () -> {
            call.run();
            return true;
        });
    }

    /** Ends a span once, and keeps what it throws from the application's signals. */
    private static final class Guard implements Span {

        private final Span span;
        private final AtomicBoolean ended = new AtomicBoolean();

        Guard(Span span) {
            this.span = span;
        }

        @Override
        public @Nullable TraceContext traceContext() {
            try {
                return span.traceContext();
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                warn(failure(span, "Span.traceContext"), t);
                return null;
            }
        }

        @Override
        public Context addTo(Context context) {
            Context added = guarded(span, "Span.addTo", () -> span.addTo(context));
            return added == null ? context : added;
        }

        @Override
        public Scope open() {
            Scope scope = guarded(span, "Span.open", span::open);
            return scope == null ? Scope.NONE : () -> run(span, "Scope.close", scope::close);
        }

        @Override
        public void end(Outcome outcome, @Nullable Throwable error) {
            if (ended.compareAndSet(false, true)) {
                run(span, "Span.end", () ->
                        span.end(outcome, error == null ? null : ApplicationErrors.original(error)));
            }
        }
    }
}
