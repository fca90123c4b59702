package io.reactorucx.internal.concurrent;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Gives its source's value back when the subscriber has cancelled and does not take it: Reactor's own operators pass on
 * a value that is under way. A subscriber that cancels while it takes the value keeps it.
 *
 * <p>A subscriber may cancel between the look at that and its own: it drops the value then, and tells so only the hook
 * {@link Hooks#onNextDropped} of the process, which this class therefore uses. It has no effect on other values. An
 * operator that hands the value to another thread, and drops it there, does not tell.
 *
 * <p>Threading: that of the source; cancel by any thread.
 */
public final class UncancelledMono<T> extends MonoOperator<T, T> {

    private static final Logger LOG = LoggerFactory.getLogger(UncancelledMono.class);
    /** The link whose value the thread emits. */
    private static final ThreadLocal<@Nullable Link<?>> EMITTING = new ThreadLocal<>();

    private final boolean passesCancel;
    private final Consumer<? super T> giveBack;

    static {
        installHook();
    }

    /** Creates a Mono whose values are given back by a function that may be called more than once for a value. */
    public UncancelledMono(Mono<? extends T> source, Consumer<? super T> giveBack) {
        this(source, true, giveBack);
    }

    private UncancelledMono(Mono<? extends T> source, boolean passesCancel, Consumer<? super T> giveBack) {
        super(source);
        this.passesCancel = passesCancel;
        this.giveBack = giveBack;
    }

    /** Returns a Mono whose source goes on after a cancel: its steps hold what nothing else would give back. */
    public static <T> Mono<T> ofUnabortable(Mono<? extends T> source, Consumer<? super T> giveBack) {
        return new UncancelledMono<>(source, false, giveBack);
    }

    /** Returns a Mono that wraps a resource in another one, which disposes of it, and gives back what is dropped. */
    public static <S extends Disposable, T extends Disposable> Mono<T> wrapped(Mono<S> source,
            Function<? super S, ? extends T> wrap) {
        Objects.requireNonNull(wrap, "wrap");
        return new UncancelledMono<>(source.<T>map(resource -> {
            try {
                return Objects.requireNonNull(wrap.apply(resource), "wrap: returned null");
            } catch (Throwable t) {
                resource.dispose();
                throw t;
            }
        }), Disposable::dispose);
    }

    /** Listens to what subscribers drop; again after a reset of Reactor's hooks. */
    public static void installHook() {
        Hooks.onNextDropped(value -> {
            Link<?> emitting = EMITTING.get();
            if (emitting != null) {
                emitting.drop(value);
            }
            // As Reactor does without a hook.
            LOG.debug("onNextDropped: {}", value);
        });
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(new Link<>(actual, passesCancel, giveBack));
    }

    private static final class Link<T> implements CoreSubscriber<T>, Subscription {

        private final CoreSubscriber<? super T> actual;
        private final boolean passesCancel;
        private final Consumer<? super T> giveBack;
        private final AtomicReference<@Nullable T> dropped = new AtomicReference<>();
        private @Nullable Subscription upstream;
        private volatile boolean cancelled;
        /** The value, while it is emitted. */
        private @Nullable T emitted;

        Link(CoreSubscriber<? super T> actual, boolean passesCancel, Consumer<? super T> giveBack) {
            this.actual = actual;
            this.passesCancel = passesCancel;
            this.giveBack = giveBack;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                actual.onSubscribe(this);
            }
        }

        @Override
        public void onNext(T value) {
            if (cancelled) {
                giveBack.accept(value);
                return;
            }
            Link<?> outer = EMITTING.get();
            EMITTING.set(this);
            emitted = value;
            try {
                actual.onNext(value);
            } finally {
                emitted = null;
                if (outer == null) {
                    EMITTING.remove();
                } else {
                    EMITTING.set(outer);
                }
            }
        }

        /** A value was dropped while this link emits. Of a shared value one of several subscribers may drop it. */
        void drop(Object value) {
            T own = emitted;
            if (own == value) {
                dropped.set(own);
                giveBackUnlessTaken();
            }
        }

        private void giveBackUnlessTaken() {
            T value = cancelled ? dropped.getAndSet(null) : null;
            if (value != null) {
                giveBack.accept(value);
            }
        }

        @Override
        public void onError(Throwable error) {
            if (cancelled && !passesCancel) {
                LOG.debug("failed after a cancel", error);
            } else {
                actual.onError(error);
            }
        }

        @Override
        public void onComplete() {
            actual.onComplete();
        }

        @Override
        public void request(long count) {
            Objects.requireNonNull(upstream).request(count);
        }

        @Override
        public void cancel() {
            cancelled = true;
            if (passesCancel) {
                Objects.requireNonNull(upstream).cancel();
            }
            giveBackUnlessTaken();
        }
    }
}
