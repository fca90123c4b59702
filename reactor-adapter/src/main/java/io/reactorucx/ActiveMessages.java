package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpData;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.SingleCallMono;
import io.reactorucx.internal.ucp.ActiveMessageArguments;
import io.reactorucx.internal.ucp.ActiveMessageProtocol;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Active messages of one connection ({@code ucp_am_send_nbx}, {@code ucp_worker_set_am_recv_handler}). They have no
 * order: a small one may overtake a large one.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> a payload has to stay alive and
 * unchanged until the Mono completes, after an error or a cancel until {@link UcxConnection#onDispose()}; a header is
 * copied when the message is posted. <b>Errors:</b> {@link io.reactorucx.core.error.UcxException} with status,
 * operation and peer. A rendezvous to a framework peer fails with {@code REJECTED} when the peer has given it up
 * without a fetch and the application there had no part in that: nobody receives its id, the queue of the policy {@code
 * ERROR} is full, or the peer closes. What is sent eagerly has left this side when the Mono completes; a drop is
 * counted at the peer.
 */
public final class ActiveMessages {

    private final ConnectionCore connection;
    private final ActiveMessageProtocol messages;

    ActiveMessages(ConnectionCore connection) {
        this.connection = connection;
        this.messages = Objects.requireNonNull(connection.protocol(ActiveMessageProtocol.class));
    }

    /**
     * Sends a message without a header.
     *
     * @param id id that the peer listens on, 0 to 65535 but for 1015 to 1023
     * @param payload native memory
     * @return completes when the payload is free again, which for a rendezvous is when the peer has fetched it
     */
    public Mono<Void> send(int id, MemorySegment payload) {
        return send(id, MemorySegment.NULL, payload, AmProtocol.AUTO);
    }

    /**
     * Sends a message.
     *
     * @param id id that the peer listens on, 0 to 65535 but for 1015 to 1023
     * @param header at most {@link UcxConnection#maxHeaderBytes()}, may be on the heap
     * @param payload native memory
     * @return completes when the payload is free again
     */
    public Mono<Void> send(int id, MemorySegment header, MemorySegment payload) {
        return send(id, header, payload, AmProtocol.AUTO);
    }

    /**
     * Sends a message in a given way.
     *
     * @param id id that the peer listens on, 0 to 65535 but for 1015 to 1023
     * @param header at most {@link UcxConnection#maxHeaderBytes()}, may be on the heap
     * @param payload native memory
     * @param protocol how the payload travels
     * @return completes when the payload is free again
     */
    public Mono<Void> send(int id, MemorySegment header, MemorySegment payload, AmProtocol protocol) {
        ActiveMessageArguments.check(connection, id, header, protocol);
        Objects.requireNonNull(payload, "payload");
        return SingleCallMono.of(connection, OperationKind.AM_SEND, payload.byteSize(),
                (worker, endpoint, whenDone) ->
                messages.send(endpoint, id, header, payload, null, protocol, whenDone));
    }

    /**
     * Sends segments that make one payload, in their order; without a copy if they have more than 8 KiB.
     *
     * @param id id that the peer listens on, 0 to 65535 but for 1015 to 1023
     * @param header at most {@link UcxConnection#maxHeaderBytes()}, may be on the heap
     * @param payload native memory, 1 to {@value UcpData#MAX_SEGMENTS} segments
     * @return completes when the payload is free again
     */
    public Mono<Void> send(int id, MemorySegment header, List<MemorySegment> payload) {
        ActiveMessageArguments.check(connection, id, header, AmProtocol.AUTO);
        UcpData data = UcpData.ofSegments(Objects.requireNonNull(payload, "payload"));
        return SingleCallMono.of(connection, OperationKind.AM_SEND,
                data.byteSize(), (worker, endpoint, whenDone) -> messages.send(endpoint, id, header, data, whenDone));
    }

    /**
     * Sends leased memory; the lease is kept while UCX uses it, and stays the caller's to release.
     *
     * @param id id that the peer listens on, 0 to 65535 but for 1015 to 1023
     * @param header at most {@link UcxConnection#maxHeaderBytes()}, may be on the heap
     * @param payload a lease of the pool of the connection's resources
     * @param protocol how the payload travels
     * @return completes when the payload is free again
     */
    public Mono<Void> send(int id, MemorySegment header, UcxBuffer payload, AmProtocol protocol) {
        ActiveMessageArguments.check(connection, id, header, protocol);
        return SingleCallMono.retaining(Objects.requireNonNull(payload, "payload"), connection, OperationKind.AM_SEND,
                (worker, endpoint, whenDone) -> messages.send(endpoint, id, header, payload.segment(),
                        LeasedBuffer.of(payload).registration(), protocol, whenDone));
    }

    /**
     * Sends a copy of some bytes.
     *
     * @param id id that the peer listens on, 0 to 65535 but for 1015 to 1023
     * @param payload the bytes, copied for each subscriber
     * @return completes when the copy is on its way
     */
    public Mono<Void> send(int id, byte[] payload) {
        ReservedMessageIds.checkFree(id);
        Objects.requireNonNull(payload, "payload");
        return Mono.defer(() -> send(id, payload.length == 0 ? MemorySegment.NULL
                : Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, payload)));
    }

    /**
     * Receives the messages of one id that come over this connection, for one subscriber at a time. Messages without
     * demand wait, within the configured limits. So do those of a framework peer that come before the first subscriber
     * of their id, all ids of the connection together within the limits of one queue, until the connection ends. If
     * more came, the policy {@code ERROR} lets the subscriber fail after those that waited. Messages that come after a
     * subscriber has left and before the next are dropped and counted.
     *
     * @param id 0 to 65535 but for 1015 to 1023
     * @return the messages; completes after a graceful close, fails when the connection is lost
     */
    public Flux<ActiveMessage> receive(int id) {
        ReservedMessageIds.checkFree(id);
        return messages.receive(id);
    }

    @Override
    public String toString() {
        return "ActiveMessages[" + connection.peer() + "]";
    }
}
