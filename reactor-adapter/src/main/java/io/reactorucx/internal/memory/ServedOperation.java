package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.internal.frame.ProtocolViolationException;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** One request for the peer's memory: over when the peer has replied and UCX has let go of the memory of this side. */
abstract class ServedOperation<T> extends LeaseOperation<T> {

    final ServedAccess memory;
    private int id;
    private long number;
    private long fence;
    private boolean replied;
    /** Calls of UCX that have memory of this side. */
    private int inUcx;
    private boolean gone;
    private boolean over;
    private @Nullable RuntimeException error;

    ServedOperation(OperationMono<T> mono, ServedAccess memory, CoreSubscriber<? super T> subscriber,
            @Nullable LeakRecord place) {
        super(mono, subscriber, place);
        this.memory = memory;
    }

    final ConnectionCore connection() {
        return memory.connection();
    }

    /** What the peer is asked for. */
    abstract MemoryFrame.Request request(int withId);

    /** Throws when the memory of this side is not what UCX may use. */
    void checkMemory() {
    }

    MemorySegment payload() {
        return MemorySegment.NULL;
    }

    @Nullable UcpMemory registration() {
        return null;
    }

    /** Takes the data of a successful reply. Throws {@link ProtocolViolationException} if the reply does not fit. */
    abstract void taken(MemoryFrame.Reply reply, UcpActiveMessage message);

    @Override
    public final boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        memory.checkOpen();
        checkMemory();
        memory.client().submit(this);
        return false;
    }

    final void inTurn(long itsNumber, long after) {
        number = itsNumber;
        fence = after;
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

    final boolean isGone() {
        return gone;
    }

    final void send(int withId) {
        id = withId;
        MemorySegment header = request(withId).toSegment();
        MemorySegment data = payload();
        if (!connection().send(ReservedMessageIds.MEMORY, header, data, registration(),
                MemoryFrame.protocol(data.byteSize()),
                (status, length, tag) -> letGo(status))) {
            inUcx++;
        }
    }

    /** The reply has come. Throws {@link ProtocolViolationException} if it does not fit the request. */
    final void replied(MemoryFrame.Reply reply, UcpActiveMessage message) {
        replied = true;
        if (reply.status() == MemoryReplyStatus.OK) {
            taken(reply, message);
        } else {
            error = reply.status().error(kind(), connection().peer());
            proceed();
        }
    }

    /** UCX will say when it has let go of memory of this side. */
    final void givenToUcx() {
        inUcx++;
    }

    final void letGo(int status) {
        inUcx--;
        if (status < 0 && error == null) {
            error = new UcxException(status, kind().ucxName(), connection().peer());
            // Nothing more will come of it.
            replied = true;
        }
        proceed();
    }

    final void fail(RuntimeException cause) {
        error = cause;
        proceed();
    }

    final void proceed() {
        if (replied && inUcx == 0) {
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
        if (over) {
            return;
        }
        over = true;
        error = cause;
        memory.client().over(this);
        try {
            complete(cause == null ? 0 : UcxStatus.IO_ERROR.code(), 0, 0);
        } finally {
            memory.client().proceed();
        }
    }

    @Override
    public final RuntimeException explained(RuntimeException fromUcx) {
        RuntimeException known = error;
        return connection().explained(known != null ? known : fromUcx, kind());
    }

    @Override
    public final void cancelled(UcpWorker worker) {
        gone = true;
        memory.client().giveUp(this);
    }
}
