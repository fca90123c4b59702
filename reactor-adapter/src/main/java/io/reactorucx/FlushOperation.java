package io.reactorucx;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A flush of a connection: UCX's own, and the requests for memory that the peer serves. */
final class FlushOperation extends ConnectionOperation<Void> {

    private boolean flushed;
    private boolean served;
    private int status;
    private long behind;

    private FlushOperation(OperationMono<Void> mono, CoreSubscriber<? super Void> subscriber) {
        super(mono, subscriber);
    }

    static Mono<Void> mono(ConnectionCore connection) {
        return OperationMono.<Void>of(connection, OperationKind.FLUSH, FlushOperation::new);
    }

    @Override
    boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        flushed = endpoint.flush((rawStatus, length, tag) -> flushed(rawStatus));
        MemoryPart part = connection().parts.memory();
        served = part == null || part.caller().flush(this);
        return flushed && served;
    }

    /** Which requests it waits for: those with a smaller number. */
    void behind(long number) {
        behind = number;
    }

    long behind() {
        return behind;
    }

    private void flushed(int rawStatus) {
        flushed = true;
        status = rawStatus;
        proceed();
    }

    void requestsAreOver() {
        served = true;
        proceed();
    }

    private void proceed() {
        if (flushed && served) {
            complete(status, 0, 0);
        }
    }

    @Override
    @Nullable Void result(long receivedLength, long tag) {
        return null;
    }

    @Override
    protected long bytes(long receivedLength) {
        return 0;
    }
}
