package io.reactorucx.internal.memory;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.transport.command.DelayedAction;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request of a peer for memory of this side, from its arrival until UCX has sent the reply. Thread: engine. */
final class MemoryRequestHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryRequestHandler.class);

    private static final Duration RETRY_DELAY = Duration.ofMillis(1);

    private final ConnectionCore connection;
    private final MemoryServer server;
    private final MemoryFrame.Request request;
    /** The window in use, null before and after. */
    private @Nullable ExportedWindow window;

    MemoryRequestHandler(ConnectionCore connection, MemoryServer server, MemoryFrame.Request request) {
        this.connection = connection;
        this.server = server;
        this.request = request;
    }

    boolean uses(ExportedWindow other) {
        return window == other;
    }

    /** Moves the data and replies, or replies with an error. Data that it does not fetch is the caller's to release. */
    void serve(UcpActiveMessage message, @Nullable ExportedWindow found) {
        MemoryReplyStatus refusal = enter(found);
        if (refusal != MemoryReplyStatus.OK || found == null) {
            reply(refusal, 0);
            return;
        }
        try {
            switch (request) {
                case MemoryFrame.Read read -> read(found, found.segment().asSlice(read.offset(), read.length()));
                case MemoryFrame.Write write -> write(found, found.segment().asSlice(write.offset(), write.length()),
                        message);
                case MemoryFrame.Atomic atomic -> reply(MemoryReplyStatus.OK,
                        atomic.call().apply(found.segment(), atomic.offset()));
            }
        } catch (UcxClosedException | IllegalStateException | IllegalArgumentException e) {
            // The application has freed the memory, or closed its registration, while the window was exported.
            LOG.debug("[{}] the memory of a window is gone", connection.name(), e);
            reply(MemoryReplyStatus.NO_WINDOW, 0);
        } catch (UcxException e) {
            reply(MemoryReplyStatus.BUSY, 0);
        }
    }

    private MemoryReplyStatus enter(@Nullable ExportedWindow found) {
        if (server.isClosing()) {
            return MemoryReplyStatus.CLOSING;
        }
        if (found == null || !found.enter(connection)) {
            return MemoryReplyStatus.NO_WINDOW;
        }
        window = found;
        if (!found.rights().contains(request.right())) {
            return MemoryReplyStatus.NO_RIGHT;
        }
        long offset = request.offset();
        long length = request.length();
        if (offset < 0 || length < 0 || offset > found.length() - length) {
            return MemoryReplyStatus.OUT_OF_BOUNDS;
        }
        boolean aligned = !(request instanceof MemoryFrame.Atomic)
                || (found.segment().address() + offset) % length == 0;
        return aligned ? MemoryReplyStatus.OK : MemoryReplyStatus.MISALIGNED;
    }

    private void read(ExportedWindow from, MemorySegment range) {
        if (connection.send(ReservedMessageIds.MEMORY, header(MemoryReplyStatus.OK, 0), range, from.registration(),
                MemoryFrame.protocol(range.byteSize()), (status, length, tag) -> readSent(status))) {
            readSent(0);
        }
    }

    private void readSent(int status) {
        leave();
        server.ended(this, status == 0 ? MemoryReplyStatus.OK : MemoryReplyStatus.FAILED, request);
    }

    private void write(ExportedWindow to, MemorySegment range, UcpActiveMessage message) {
        UcpActiveMessages messages = connection.registry().worker().activeMessages();
        if (message.isInline()) {
            range.copyFrom(message.payload());
            written(0);
        } else if (messages.fetch(message, range, to.registration(), (status, length, tag) -> written(status))) {
            written(0);
        }
    }

    private void written(int status) {
        reply(status == 0 ? MemoryReplyStatus.OK : MemoryReplyStatus.FAILED, 0);
    }

    private void leave() {
        ExportedWindow used = window;
        if (used != null) {
            window = null;
            used.leave();
        }
    }

    private MemorySegment header(MemoryReplyStatus status, long value) {
        return connection.header(new MemoryFrame.Reply(request.id(), status, server.maxRequests(), value).toSegment());
    }

    /** Ends the use of the window and sends the reply. */
    private void reply(MemoryReplyStatus status, long value) {
        leave();
        try {
            if (connection.send(ReservedMessageIds.MEMORY, header(status, value), MemorySegment.NULL, null,
                    AmProtocol.EAGER, (sent, length, tag) -> server.ended(this, status, request))) {
                server.ended(this, status, request);
            }
        } catch (UcxClosedException e) {
            server.ended(this, status, request);
        } catch (UcxException e) {
            // The engine has as many operations in flight as it may. The peer waits for this reply, and its other
            // requests are bounded until then.
            DelayedAction.after(connection.engine(), RETRY_DELAY, () -> reply(status, value));
        }
    }
}
