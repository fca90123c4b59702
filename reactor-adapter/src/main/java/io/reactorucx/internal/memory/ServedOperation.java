package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * One request for the peer's memory. It ends when the peer has replied and UCX has completed all transfers from or to
 * memory of this side. Thread: engine.
 */
abstract class ServedOperation<T> extends LeaseOperation<T> {

    final ServedAccess memory;
    private int id;
    private long number;
    private long fence;
    private boolean replied;
    /** Calls of UCX that use memory of this side and have not completed. */
    private int pendingTransfers;
    private boolean cancelled;
    private boolean ended;
    private @Nullable RuntimeException error;

    ServedOperation(OperationMono<T> mono, ServedAccess memory, CoreSubscriber<? super T> subscriber,
            @Nullable LeakRecord place) {
        super(mono, subscriber, place);
        this.memory = memory;
    }

    final ConnectionCore connection() {
        return memory.connection();
    }

    /** Returns the frame of the request. */
    abstract MemoryFrame.Request request(int withId);

    /** Throws when UCX may not use the memory of this side. */
    void checkMemory() {
    }

    /** Returns the data that goes with the request. */
    MemorySegment payload() {
        return MemorySegment.NULL;
    }

    @Nullable UcpMemory registration() {
        return null;
    }

    /** Takes the data of a successful reply. Throws {@link ProtocolViolationException} if the reply does not fit. */
    abstract void accept(MemoryFrame.Reply reply, UcpActiveMessage message);

    @Override
    public final boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        memory.checkOpen();
        checkMemory();
        memory.client().submit(this);
        return false;
    }

    /** Sets the place in the order of requests, and the first request that it may be in flight with. */
    final void submitted(long place, long firstInFlight) {
        number = place;
        fence = firstInFlight;
    }

    final long number() {
        return number;
    }

    final long fence() {
        return fence;
    }

    final int id() {
        return id;
    }

    final boolean isReplied() {
        return replied;
    }

    final boolean isCancelled() {
        return cancelled;
    }

    final void send(int withId) {
        id = withId;
        MemorySegment header = connection().header(request(withId).toSegment());
        MemorySegment data = payload();
        if (!connection().send(ReservedMessageIds.MEMORY, header, data, registration(),
                MemoryFrame.protocol(data.byteSize()),
                (status, length, tag) -> transferCompleted(status))) {
            pendingTransfers++;
        }
    }

    /** The reply has arrived. Throws {@link ProtocolViolationException} if it does not fit the request. */
    final void replied(MemoryFrame.Reply reply, UcpActiveMessage message) {
        replied = true;
        if (reply.status() == MemoryReplyStatus.OK) {
            accept(reply, message);
        } else {
            error = reply.status().error(kind(), connection().peer());
            proceed();
        }
    }

    /** UCX uses memory of this side until {@link #transferCompleted}. */
    final void transferPending() {
        pendingTransfers++;
    }

    final void transferCompleted(int status) {
        pendingTransfers--;
        if (status < 0 && error == null) {
            error = new UcxException(status, kind().ucxName(), connection().peer());
            // The peer will not reply to a request that was not sent.
            replied = true;
        }
        proceed();
    }

    final void fail(RuntimeException cause) {
        error = cause;
        proceed();
    }

    final void proceed() {
        if (replied && pendingTransfers == 0) {
            end(error);
        }
    }

    final void connectionEnded(RuntimeException cause) {
        replied = true;
        if (error == null) {
            error = cause;
        }
        proceed();
    }

    final void end(@Nullable RuntimeException cause) {
        if (ended) {
            return;
        }
        ended = true;
        error = cause;
        memory.client().ended(this);
        if (cause == null) {
            count();
        }
        try {
            complete(cause == null ? 0 : status(cause), 0, 0);
        } finally {
            memory.client().proceed();
        }
    }

    /** Counts the access apart from those that UCX does itself. */
    private void count() {
        Access access = switch (kind()) {
            case PUT -> Access.PUT;
            case GET -> Access.GET;
            default -> Access.ATOMIC;
        };
        memory.client().counts().served(access, bytes(0));
    }

    private static int status(RuntimeException cause) {
        return cause instanceof UcxException ucx && ucx.status().code() < 0 ? ucx.status().code()
                : UcxStatus.IO_ERROR.code();
    }

    @Override
    public final RuntimeException explained(RuntimeException fromUcx) {
        RuntimeException known = error;
        return connection().explained(known != null ? known : fromUcx, kind());
    }

    @Override
    public final void cancelled(UcpWorker worker) {
        cancelled = true;
        memory.client().cancel(this);
    }
}
