package io.reactorucx;

import io.reactorucx.message.ActiveMessage;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;

/** Receives the active messages of one id, with unbounded demand. */
final class Inbox {

    private final BlockingQueue<ActiveMessage> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Disposable subscription;

    private Inbox(UcxConnection connection, int id) {
        subscription = connection.activeMessages().receive(id)
                .subscribe(messages::add, end::completeExceptionally, () -> end.complete(null));
        Waits.engineOf(connection);
    }

    /** An inbox that misses nothing that is sent after this call. */
    static Inbox of(UcxConnection connection, int id) {
        return new Inbox(connection, id);
    }

    ActiveMessage next() {
        try {
            ActiveMessage message = messages.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (message == null) {
                throw new AssertionError("no message within " + Waits.PATIENCE + "; the end: " + end);
            }
            return message;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    int size() {
        return messages.size();
    }

    /** How the Flux ended. */
    CompletableFuture<Void> end() {
        return end;
    }

    void cancel() {
        subscription.dispose();
    }
}
