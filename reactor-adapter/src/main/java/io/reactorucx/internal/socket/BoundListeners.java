package io.reactorucx.internal.socket;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
    public Mono<Void> onFailure() {
        return Mono.firstWithSignal(all.stream().map(BoundListener::onFailure).toList());
    }

    @Override
    public Mono<Void> refuse() {
        return each(BoundListener::refuse);
    }

    @Override
    public Mono<Void> close() {
        return each(BoundListener::close);
    }

    private Mono<Void> each(Function<BoundListener, Mono<Void>> action) {
        return Flux.fromIterable(all).flatMap(action).then();
    }
}
