package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** Requests a window of messages, and half a window each time that half a window has arrived. Thread: engine. */
public final class MessageArrivals implements CoreSubscriber<Object> {

    private final int window;
    private final int batch;
    private final Runnable whenArrived;
    private final Consumer<Throwable> whenFailed;
    private Subscription upstream = Operators.emptySubscription();
    private int taken;

    private MessageArrivals(int window, Runnable whenArrived, Consumer<Throwable> whenFailed) {
        this.window = window;
        this.batch = Math.max(1, window / 2);
        this.whenArrived = whenArrived;
        this.whenFailed = whenFailed;
    }

    public static void subscribe(UcxConnection connection, int size, int window, Runnable whenArrived,
            Consumer<Throwable> whenFailed) {
        Flux<?> in = Payloads.isSmall(size) ? connection.inbound().receiveByteArrays() : connection.inbound().receive();
        in.subscribe(new MessageArrivals(window, whenArrived, whenFailed));
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        subscription.request(window);
    }

    @Override
    public void onNext(Object message) {
        if (message instanceof UcxBuffer lease) {
            lease.release();
        }
        whenArrived.run();
        if (++taken == batch) {
            taken = 0;
            upstream.request(batch);
        }
    }

    @Override
    public void onError(Throwable error) {
        whenFailed.accept(error);
    }

    @Override
    public void onComplete() {
    }
}
