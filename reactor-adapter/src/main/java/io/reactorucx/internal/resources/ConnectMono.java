package io.reactorucx.internal.resources;

import io.reactorucx.transport.connect.ConnectCallback;
import io.reactorucx.transport.connect.Connector;
import io.reactorucx.transport.connect.Established;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A connect as a Mono. */
public final class ConnectMono {

    private ConnectMono() {
    }

    /** Returns a Mono that connects for each subscriber anew. A cancel ends the connect, unless it is done. */
    public static Mono<Established> of(Supplier<Connector> connector) {
        return Mono.create(sink -> {
            Runnable cancel = connector.get().connect(new ConnectCallback() {
                @Override
                public void connected(Established established) {
                    sink.success(established);
                }

                @Override
                public void failed(Throwable error) {
                    sink.error(error);
                }
            });
            Disposable onCancel = cancel::run;
            sink.onCancel(onCancel);
        });
    }
}
