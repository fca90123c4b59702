package io.reactorucx.transport.connection;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.engine.CommandExecutor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What carries the messages of a connection, as their protocol sees it: {@link ConnectionCore}, whose carrier is UCX,
 * or a simulation in memory.
 *
 * <p>Messages arrive unharmed, each once. Small ones keep their order; a large one and a small one may overtake each
 * other.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public interface MessageCarrier {

    /** Returns what runs commands on the thread of the connection. Thread: any. */
    CommandExecutor engine();

    /** Returns the name of the peer. Thread: any. */
    String peer();

    /** Returns an id that no other connection of the process has. Thread: any. */
    String id();

    /** Returns the id and the peer, with which lines of the log begin. Thread: any. */
    String name();

    /** Returns the token that each message to the peer begins with. */
    long peerToken();

    /**
     * Sends a message of a protocol. The header begins with the peer's token, or without a header the payload. Throws
     * before the handshake is done and once the connection closes, with a retryable status while there is no room.
     *
     * @param protocol {@link AmProtocol#RENDEZVOUS} for a large message, which is offered to the peer and fetched
     * @param whenDone called when the memory is free again, unless it is at once
     * @return whether it is free already
     */
    boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone);

    /** Returns whether all messages to the engine of the peer, those of other connections too, share one queue. */
    boolean sharesQueue();

    /** Something has ended for which the close of the connection may wait. */
    void operationEnded();

    /** Starts to close; a close by force overrides a graceful one. */
    void beginClose(CloseMode mode);
}
