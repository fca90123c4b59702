package io.reactorucx.internal.concurrent;

import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Treats a subscriber that throws at a signal as Reactor does: Reactor's hooks are called with the subscriber's
 * context, the subscription is cancelled, and the subscriber gets the error. The connection and its other subscribers
 * go on.
 */
public final class ThrownSignal {

    private static final Logger LOG = LoggerFactory.getLogger(ThrownSignal.class);

    private ThrownSignal() {
    }

    /**
     * The subscriber has thrown at a value. An error strategy of its context ({@code onErrorContinue}) may let the
     * subscription continue; else the subscription is cancelled, and {@code onError} follows unless the subscriber had
     * cancelled before.
     */
    public static <T> void atNext(CoreSubscriber<? super T> subscriber, Subscription subscription, T value,
            Throwable thrown, boolean active) {
        Context context = subscriber.currentContext();
        Throwable failure;
        try {
            failure = Operators.onNextError(value, thrown, context, subscription);
        } catch (Throwable fatal) {
            // Reactor does not treat LinkageError, among others, nor a hook that throws.
            subscription.cancel();
            failure = ApplicationErrors.signal(thrown);
        }
        if (failure == null) {
            return;
        }
        if (!active) {
            dropped(failure, context);
            return;
        }
        try {
            subscriber.onError(failure);
        } catch (Throwable again) {
            dropped(again, context);
        }
    }

    /** The subscriber has thrown at its end. */
    public static void atEnd(CoreSubscriber<?> subscriber, Throwable thrown) {
        dropped(thrown, subscriber.currentContext());
    }

    private static void dropped(Throwable error, Context context) {
        try {
            Operators.onErrorDropped(error, context);
        } catch (RuntimeException | Error e) {
            LOG.error("The hook onErrorDropped threw", e);
        }
    }
}
