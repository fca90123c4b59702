package io.reactorucx;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A cold operation of a connection: posted anew for each subscriber, when it asks for the result. */
final class OperationMono<T> extends Mono<T> {

    private final ConnectionCore connection;
    private final OperationKind kind;
    private final long bytes;
    private final Post post;
    private final @Nullable T result;
    private final @Nullable UcxBuffer retained;

    private OperationMono(ConnectionCore connection, OperationKind kind, long bytes, Post post, @Nullable T result,
            @Nullable UcxBuffer retained) {
        this.connection = connection;
        this.kind = kind;
        this.bytes = bytes;
        this.post = post;
        this.result = result;
        this.retained = retained;
    }

    /** Posts an operation; answers whether it is done. */
    @FunctionalInterface
    interface Post {

        boolean post(UcpWorker worker, UcpEndpoint endpoint, Completion whenDone);
    }

    static Mono<Void> of(ConnectionCore connection, OperationKind kind, long bytes, Post post) {
        return new OperationMono<>(connection, kind, bytes, post, null, null);
    }

    /** A Mono of a fixed result. */
    static <T> Mono<T> of(ConnectionCore connection, OperationKind kind, long bytes, Post post, T result) {
        return new OperationMono<>(connection, kind, bytes, post, result, null);
    }

    /** A Mono that keeps a lease while UCX uses its memory. */
    static Mono<Void> retaining(UcxBuffer buffer, ConnectionCore connection, OperationKind kind, Post post) {
        return new OperationMono<>(connection, kind, buffer.length(), post, null, buffer);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        if (retained != null) {
            retained.retain();
        }
        actual.onSubscribe(new PostedOperation<>(this, actual));
    }

    private static final class PostedOperation<T> extends ConnectionOperation<T> {

        private final OperationMono<T> mono;

        PostedOperation(OperationMono<T> mono, CoreSubscriber<? super T> actual) {
            super(mono.connection, mono.kind, actual);
            this.mono = mono;
        }

        @Override
        boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            return mono.post.post(worker, endpoint, this);
        }

        @Override
        @Nullable T result(long receivedLength, long tag) {
            return mono.result;
        }

        @Override
        void released() {
            if (mono.retained != null) {
                mono.retained.release();
            }
        }

        @Override
        protected long bytes(long receivedLength) {
            return mono.bytes;
        }
    }
}
