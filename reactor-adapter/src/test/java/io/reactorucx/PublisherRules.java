package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.Test;

/**
 * The rules of Reactive Streams for one kind of publisher, by the TCK of that specification. A subclass says how one is
 * made, over {@link #peers}; what that opens it hands to {@link #closeAfterwards}.
 */
@ExtendWith(NoLeaks.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PublisherRules<T> implements NeedsUcx {

    /** More is never sent: rules that ask for Integer.MAX_VALUE elements look at a few of them. */
    static final long MAX_SENT = 1000;

    private static final long NO_SIGNAL_MILLIS = 20;

    private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();
    Peers peers;

    /** A publisher of so many elements, which is complete after them. */
    abstract Publisher<T> publisher(long elements) throws Exception;

    /** One that fails as soon as it is subscribed to; null where a failure waits for demand. */
    Publisher<T> failed() throws Exception {
        return null;
    }

    /** Gives back what an element holds. */
    void release(T element) {
    }

    /** Most elements that such a publisher may have. */
    long mostElements() {
        return Long.MAX_VALUE - 1;
    }

    /** How long a signal may take that has to come. */
    long patienceMillis() {
        return Waits.PATIENCE.toMillis();
    }

    final <C extends AutoCloseable> C closeAfterwards(C resource) {
        opened.push(resource);
        return resource;
    }

    @BeforeAll
    void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
        }
    }

    @AfterAll
    void disconnect() {
        if (peers != null) {
            peers.close();
        }
    }

    @TestFactory
    List<DynamicTest> rules() {
        return Tck.run(Verification::new, this::nothingIsLeft);
    }

    private void nothingIsLeft() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new AssertionError("a resource of a rule could not be closed", e);
            }
        }
        for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).atMost(Waits.PATIENCE)
                    .untilAsserted(() -> assertThat(resources.buffers().leases()).as("leases").isZero());
        }
    }

    /** What the TCK sees. */
    private final class Verification extends PublisherVerification<T> {

        Verification() {
            super(new TestEnvironment(patienceMillis(), NO_SIGNAL_MILLIS, NO_SIGNAL_MILLIS));
        }

        @Override
        public Publisher<T> createPublisher(long elements) {
            return make(() -> publisher(elements));
        }

        @Override
        public Publisher<T> createFailedPublisher() {
            return make(PublisherRules.this::failed);
        }

        private Publisher<T> make(java.util.concurrent.Callable<Publisher<T>> maker) {
            try {
                Publisher<T> made = maker.call();
                return made == null ? null : actual -> made.subscribe(actual == null ? null : new Releasing(actual));
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        /** As the TCK does, which collects once after a sleep; an engine may need longer on a busy host. */
        @Override
        @Test
        public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
                throws Throwable {
            activePublisherTest(3, false, tested -> {
                WeakReference<?> subscriber = cancelled(tested);
                await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(50)).atMost(Waits.PATIENCE)
                        .untilAsserted(() -> {
                            System.gc();
                            assertThat(subscriber.refersTo(null)).as("the cancelled subscriber is collected").isTrue();
                        });
            });
        }

        /** A method of its own, so that no local variable keeps the subscriber. */
        private WeakReference<?> cancelled(Publisher<T> tested) throws InterruptedException {
            TestEnvironment environment = new TestEnvironment(patienceMillis(), NO_SIGNAL_MILLIS, NO_SIGNAL_MILLIS);
            TestEnvironment.ManualSubscriber<T> subscriber = environment.newManualSubscriber(tested);
            subscriber.request(1);
            subscriber.nextElement();
            subscriber.cancel();
            return new WeakReference<>(subscriber);
        }

        @Override
        public long maxElementsFromPublisher() {
            return mostElements();
        }
    }

    /** Hands every signal on as it is, and gives back what an element holds: the TCK's subscribers know no leases. */
    private final class Releasing implements Subscriber<T> {

        private final Subscriber<? super T> actual;

        Releasing(Subscriber<? super T> actual) {
            this.actual = actual;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            actual.onSubscribe(subscription);
        }

        @Override
        public void onNext(T element) {
            try {
                actual.onNext(element);
            } finally {
                release(element);
            }
        }

        @Override
        public void onError(Throwable cause) {
            actual.onError(cause);
        }

        @Override
        public void onComplete() {
            actual.onComplete();
        }
    }
}
