package io.reactorucx.internal.request;

import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.transport.buffer.LeakRecord;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** The response of a small request without a deadline. Each subscriber sends a request of its own. */
final class RequestResponseMono<T> extends Mono<T> {

    final MessageProtocol protocol;
    /** A lease or an array. */
    final Object request;
    final MessageDecoder<T> decoder;
    final @Nullable LeakRecord place;

    RequestResponseMono(MessageProtocol protocol, Object request, MessageDecoder<T> decoder,
            @Nullable LeakRecord place) {
        this.protocol = protocol;
        this.request = request;
        this.decoder = decoder;
        this.place = place;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        RequestCall<T> call = new RequestCall<>(this, actual);
        boolean subscribed = false;
        try {
            actual.onSubscribe(call);
            subscribed = true;
        } finally {
            if (!subscribed) {
                call.cancel();
            }
            // A cancelled call releases its lease there.
            protocol.context().connection().engine().execute(call);
        }
    }
}
