package io.reactorucx;

import io.reactorucx.message.ActiveMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** A subscriber that asks for nothing by itself. */
final class ManualDemandSubscriber extends BaseSubscriber<ActiveMessage> {

    private final List<ActiveMessage> received = new CopyOnWriteArrayList<>();
    private volatile @Nullable Throwable error;
    private volatile boolean completed;

    static ManualDemandSubscriber at(UcxConnection connection, int id) {
        ManualDemandSubscriber subscriber = new ManualDemandSubscriber();
        connection.activeMessages().receive(id).subscribe(subscriber);
        Waits.engineOf(connection);
        return subscriber;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        // Asks later.
    }

    @Override
    protected void hookOnNext(ActiveMessage value) {
        received.add(value);
    }

    @Override
    protected void hookOnError(Throwable throwable) {
        error = throwable;
    }

    @Override
    protected void hookOnComplete() {
        completed = true;
    }

    List<ActiveMessage> received() {
        return received;
    }

    int count() {
        return received.size();
    }

    @Nullable Throwable error() {
        return error;
    }

    boolean completed() {
        return completed;
    }

    List<Integer> firstBytes() {
        return received.stream().map(message -> (int) Bytes.array(message.data())[0]).toList();
    }
}
