package io.reactorucx.internal.operation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.transport.endpoint.OperationOwner;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * A Mono of operations that consist of one call of UCX and whose result is known beforehand. It may retain a lease
 * while UCX uses the leased memory.
 */
public final class SingleCallMono<T> extends OperationMono<T> {

    private final long bytes;
    private final Post post;
    private final @Nullable T result;
    private final @Nullable UcxBuffer retained;

    private SingleCallMono(OperationOwner owner, OperationKind kind, long bytes, Post post, @Nullable T result,
            @Nullable UcxBuffer retained) {
        super(owner, kind);
        this.bytes = bytes;
        this.post = post;
        this.result = result;
        this.retained = retained;
    }

    /** Posts an operation, and returns whether it has completed already. */
    @FunctionalInterface
    public interface Post {

        boolean post(UcpWorker worker, UcpEndpoint endpoint, Completion whenDone);
    }

    /** Returns a Mono without a value. */
    public static Mono<Void> of(OperationOwner owner, OperationKind kind, long bytes, Post post) {
        return new SingleCallMono<>(owner, kind, bytes, post, null, null);
    }

    /** Returns a Mono of a fixed value. */
    public static <T> Mono<T> of(OperationOwner owner, OperationKind kind, long bytes, Post post, T result) {
        return new SingleCallMono<>(owner, kind, bytes, post, result, null);
    }

    /** Returns a Mono that retains a lease while UCX uses its memory. */
    public static Mono<Void> retaining(UcxBuffer buffer, OperationOwner owner, OperationKind kind, Post post) {
        return new SingleCallMono<>(owner, kind, buffer.length(), post, null, buffer);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        if (retained == null || retain(retained, actual)) {
            super.subscribe(actual);
        }
    }

    @Override
    public OperationSubscription<T> operation(CoreSubscriber<? super T> actual) {
        return new PostedOperation<>(this, actual);
    }

    private static final class PostedOperation<T> extends OperationSubscription<T> {

        PostedOperation(SingleCallMono<T> mono, CoreSubscriber<? super T> actual) {
            super(mono, actual);
        }

        @SuppressWarnings("unchecked") // the Mono that has made this operation is one of T
        private SingleCallMono<T> posted() {
            return (SingleCallMono<T>) mono;
        }

        @Override
        public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            return posted().post.post(worker, endpoint, this);
        }

        @Override
        public @Nullable T result(long receivedLength, long tag) {
            return posted().result;
        }

        @Override
        public void released() {
            UcxBuffer lease = posted().retained;
            if (lease != null) {
                lease.release();
            }
        }

        @Override
        protected long bytes(long receivedLength) {
            return posted().bytes;
        }
    }
}
