package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import io.reactorucx.transport.connection.ConnectionCore;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A flush of a connection: UCX's own, and the requests for memory that the peer serves. */
public final class FlushOperation extends OperationSubscription<Void> {

    private final @Nullable MemoryClient requests;
    private boolean flushed;
    private boolean served;
    private int status;

    private FlushOperation(OperationMono<Void> mono, CoreSubscriber<? super Void> subscriber,
            @Nullable MemoryClient requests) {
        super(mono, subscriber);
        this.requests = requests;
    }

    public static Mono<Void> mono(ConnectionCore connection) {
        MemoryProtocol memory = connection.protocol(MemoryProtocol.class);
        MemoryClient requests = memory == null ? null : memory.client();
        return OperationMono.<Void>of(connection, OperationKind.FLUSH,
                (mono, subscriber) -> new FlushOperation(mono, subscriber, requests));
    }

    @Override
    public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        flushed = endpoint.flush((rawStatus, length, tag) -> flushed(rawStatus));
        served = requests == null || requests.flush(this::requestsEnded);
        return flushed && served;
    }

    private void flushed(int rawStatus) {
        flushed = true;
        status = rawStatus;
        proceed();
    }

    /** All requests that came before have ended. */
    private void requestsEnded() {
        served = true;
        proceed();
    }

    private void proceed() {
        if (flushed && served) {
            complete(status, 0, 0);
        }
    }

    @Override
    public @Nullable Void result(long receivedLength, long tag) {
        return null;
    }

    @Override
    protected long bytes(long receivedLength) {
        return 0;
    }
}
