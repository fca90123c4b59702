package io.reactorucx.transport.socket;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of one server, of which the first has the address that the application has named.
 *
 * <p>Thread: any.
 */
public final class BoundListeners implements BoundListener {

    private final List<BoundListener> all;

    public BoundListeners(List<BoundListener> all) {
        this.all = List.copyOf(all);
    }

    @Override
    public InetSocketAddress address() {
        return all.getFirst().address();
    }

    @Override
    public CompletableFuture<@Nullable Void> failure() {
        CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
        all.forEach(each -> each.failure().whenComplete((ignored, error) -> first.completeExceptionally(error)));
        return first;
    }

    @Override
    public CompletableFuture<@Nullable Void> refuse() {
        return each(BoundListener::refuse);
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        return each(BoundListener::close);
    }

    private CompletableFuture<@Nullable Void> each(Function<BoundListener, CompletableFuture<@Nullable Void>> action) {
        return CompletableFuture.allOf(all.stream().map(action).toArray(CompletableFuture[]::new))
                .<@Nullable Void>thenApply(ignored -> null);
    }
}
