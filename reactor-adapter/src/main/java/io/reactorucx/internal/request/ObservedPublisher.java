package io.reactorucx.internal.request;

import io.reactorucx.message.TraceContext;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import io.reactorucx.message.UcxObserver.Outcome;
import io.reactorucx.message.UcxObserver.Scope;
import io.reactorucx.message.UcxObserver.Span;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
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

    private static final Logger LOG = LoggerFactory.getLogger(ObservedPublisher.class);

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
        return Flux.deferContextual(context -> {
            Guard span = new Guard(start(observer, activity, context, remote));
            Flux<T> observed = Flux.defer(() -> {
                try (Scope _ = span.open()) {
                    return source.apply(span);
                }
            });
            return observed.contextWrite(span::addTo).doOnComplete(() -> span.end(Outcome.SUCCESS, null))
                    .doOnError(error -> span.end(Outcome.ERROR, error))
                    .doOnCancel(() -> span.end(Outcome.CANCELLED, null));
        });
    }

    /** Returns a call of the application with the span current on the calling thread. */
    static <A, T> Function<A, T> within(Span span, Function<A, T> call) {
        return argument -> {
            try (Scope _ = span.open()) {
                return call.apply(argument);
            }
        };
    }

    private static Span start(UcxObserver observer, Activity activity, ContextView context,
            @Nullable TraceContext remote) {
        try {
            return Objects.requireNonNull(observer.start(activity, context, remote), "the observer returned null");
        } catch (RuntimeException e) {
            LOG.error("[{}] the observer of a {} threw at its start", activity.peer(), activity.kind(), e);
            return Span.NONE;
        }
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
            return guarded(span::traceContext, null);
        }

        @Override
        public Context addTo(Context context) {
            return Objects.requireNonNull(guarded(() -> span.addTo(context), context));
        }

        @Override
        public Scope open() {
            Scope scope = Objects.requireNonNull(guarded(span::open, Scope.NONE));
            return () -> guarded(() -> {
                scope.close();
                return true;
            }, false);
        }

        @Override
        public void end(Outcome outcome, @Nullable Throwable error) {
            if (ended.compareAndSet(false, true)) {
                guarded(() -> {
                    span.end(outcome, error);
                    return true;
                }, false);
            }
        }

        private static <T extends @Nullable Object> T guarded(Supplier<T> call, T otherwise) {
            try {
                return call.get();
            } catch (RuntimeException e) {
                LOG.error("an observer threw", e);
                return otherwise;
            }
        }
    }
}
