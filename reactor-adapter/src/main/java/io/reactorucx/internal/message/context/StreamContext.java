package io.reactorucx.internal.message.context;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the streams of one connection share.
 *
 * <p>Thread: engine, {@code execute} and {@link #isEngineThread} aside. Everything that streams do runs within a
 * {@link #flushScope}; when the outermost one closes, what was written meanwhile is sent.
 *
 * @param counters of all connections of the engine
 * @param offers counts the large messages of all connections of the engine
 * @param pool the memory of received messages, and of copies that the peer fetches
 * @param peer the peer's limits
 * @param retry of what had no memory or no slot of the engine
 */
public record StreamContext(ConnectionCore connection, FlowControlConfig limits, MessageCounters counters,
        ProtocolCounters offers, LeasePool pool, PeerLimits peer, FlushScope scope, DelayedRetry retry) {

    private static final Logger LOG = LoggerFactory.getLogger(StreamContext.class);
    /** The stack of an engine's thread has room for several times as many calls, one within the other. */
    private static final int MANY_CALLS = 32;

    /** Opens a scope, at whose end what was written within is sent: {@code try (var _ = context.flushScope())}. */
    public FlushScope.Level flushScope() {
        return scope.open();
    }

    public boolean isEngineThread() {
        return connection.engine().isEngineThread();
    }

    /** Runs an action in a flush scope. */
    public void within(Runnable action) {
        try (var _ = scope.open()) {
            action.run();
        }
    }

    /**
     * Runs an action in a flush scope on the engine's thread. Nothing happens once the engine is closed. Thread: any.
     */
    public void execute(Runnable action) {
        execute(action, this::engineClosed);
    }

    /** Runs an action as {@link #execute(Runnable)} does, or calls back once the engine is closed. Thread: any. */
    public void execute(Runnable action, Consumer<RuntimeException> whenEngineClosed) {
        new RetryingCommand(connection.engine(), worker -> within(action), whenEngineClosed).submit();
    }

    /**
     * Submits a command again that has come within many calls, and returns whether it did: where a subscriber begins
     * the next request while it gets the end of one, the stack would be used up.
     */
    public boolean isPostponed(Command command) {
        boolean isDeep = scope.depth() >= MANY_CALLS;
        if (isDeep) {
            RetryingCommand.retry(connection.engine(), command);
        }
        return isDeep;
    }

    /** Runs an action that ends something, which may overtake what was submitted before. Thread: any. */
    public void executeUrgent(Runnable action) {
        new RetryingCommand(connection.engine(), worker -> within(action), this::engineClosed, true).submit();
    }

    private void engineClosed(RuntimeException closed) {
        LOG.debug("[{}] the engine is closed", connection.name());
    }

    /** Returns the largest message that this side takes, for which the pool has to have room. */
    public long maxMessageBytes() {
        return Math.min(limits.maxMessageBytes(), Long.highestOneBit(pool.maxBytes()));
    }

    /** Refuses a message of the peer that is larger than what this side has said that it takes. */
    public void requireTaken(long length) {
        if (length > maxMessageBytes()) {
            throw new ProtocolViolationException("a message of " + length + " bytes, at most " + maxMessageBytes()
                    + " are taken");
        }
    }

    /** Gives up a message of the peer whose data was not fetched. */
    public void release(LargeOffer offer) {
        if (offer.release()) {
            offers.droppedOffer();
        }
    }

    public UcxClosedException closed(String operation, String why) {
        return new UcxClosedException(operation, connection.peer(), why);
    }

    /** Returns the error of a stream that was not complete when this side closed the connection. */
    public UcxClosedException closedHere() {
        return closed("receive", "this side has closed the connection before the stream was complete");
    }
}
