package io.reactorucx.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.function.ToDoubleFunction;

/** Every meter of this library: name, type and tags. */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public enum UcxMeters implements MeterDocumentation {

    /** Operations of UCX that ended. */
    OPERATIONS("reactor.ucx.operations", Meter.Type.COUNTER, Tag.ENGINE, Tag.KIND, Tag.OUTCOME),
    /** Payload bytes of operations that ended well. */
    OPERATION_BYTES("reactor.ucx.operation.bytes", Meter.Type.COUNTER, Tag.ENGINE, Tag.KIND),
    /** Operations in flight. */
    IN_FLIGHT("reactor.ucx.operations.in.flight", Meter.Type.GAUGE, Tag.ENGINE),
    /** The maximum number of operations in flight. */
    IN_FLIGHT_LIMIT("reactor.ucx.operations.in.flight.limit", Meter.Type.GAUGE, Tag.ENGINE),
    /** Commands of other threads that wait for the engine. */
    QUEUED_COMMANDS("reactor.ucx.engine.commands.queued", Meter.Type.GAUGE, Tag.ENGINE),
    /** Commands that came through the queue. */
    COMMANDS("reactor.ucx.engine.commands", Meter.Type.COUNTER, Tag.ENGINE),
    /** Commands that were rejected, because the queue was full or the engine closed. */
    REJECTED_COMMANDS("reactor.ucx.engine.commands.rejected", Meter.Type.COUNTER, Tag.ENGINE),
    /** Rounds of the engine's loop. */
    STEPS("reactor.ucx.engine.steps", Meter.Type.COUNTER, Tag.ENGINE),
    /** Rounds that found nothing to do. */
    EMPTY_STEPS("reactor.ucx.engine.steps.empty", Meter.Type.COUNTER, Tag.ENGINE),
    /** Times that the engine slept. */
    SLEEPS("reactor.ucx.engine.sleeps", Meter.Type.COUNTER, Tag.ENGINE),
    /** Times that another thread woke the engine. */
    SIGNALS("reactor.ucx.engine.signals", Meter.Type.COUNTER, Tag.ENGINE),
    /** Active messages whose data waits to be fetched or discarded. */
    HELD_MESSAGES("reactor.ucx.messages.held", Meter.Type.GAUGE, Tag.ENGINE),
    /**
     * Active messages that no connection received, that a full queue had no room for, or that were nonsense on a
     * reserved id.
     */
    DROPPED_MESSAGES("reactor.ucx.messages.dropped", Meter.Type.COUNTER, Tag.REASON),
    /** Offered active messages that the application dropped, neither fetched nor discarded. */
    LEAKED_MESSAGES("reactor.ucx.messages.leaked", Meter.Type.COUNTER),
    /** Flow-controlled messages that have gone to peers. */
    MESSAGES_SENT("reactor.ucx.messages.sent", Meter.Type.COUNTER, Tag.ENGINE),
    /** Flow-controlled messages that have come from peers. */
    MESSAGES_RECEIVED("reactor.ucx.messages.received", Meter.Type.COUNTER, Tag.ENGINE),
    /** Active messages that carried the small ones of them, and what is said about them. */
    MESSAGE_BATCHES("reactor.ucx.messages.batches", Meter.Type.COUNTER, Tag.ENGINE),
    /** Flow-controlled messages that peers take now. */
    MESSAGE_CREDIT("reactor.ucx.messages.credit", Meter.Type.GAUGE, Tag.ENGINE),
    /** Bytes of flow-controlled messages that have come and wait to be delivered. */
    MESSAGE_HELD_BYTES("reactor.ucx.messages.held.bytes", Meter.Type.GAUGE, Tag.ENGINE),
    /** Streams that are open on connections, beside the default one of each. */
    STREAMS("reactor.ucx.streams", Meter.Type.GAUGE, Tag.ENGINE),
    /** Requests that wait until their peer takes another one. */
    WAITING_REQUESTS("reactor.ucx.requests.waiting", Meter.Type.GAUGE, Tag.ENGINE),
    /** Connections that were closed because the peer did not keep to the protocol. */
    VIOLATIONS("reactor.ucx.violations", Meter.Type.COUNTER, Tag.ENGINE),
    /** Requests without an answer that were dropped, because the limit of requests in progress was reached. */
    DROPPED_REQUESTS("reactor.ucx.requests.dropped", Meter.Type.COUNTER, Tag.ENGINE),
    /** Endpoints that wait for the next connection to the same peer. */
    IDLE_ENDPOINTS("reactor.ucx.endpoints.idle", Meter.Type.GAUGE),
    /** How many endpoints may wait for the next connection. */
    IDLE_ENDPOINTS_LIMIT("reactor.ucx.endpoints.idle.limit", Meter.Type.GAUGE),
    /** Endpoints of ended connections that wait until UCX can close them. */
    PARKED_ENDPOINTS("reactor.ucx.endpoints.parked", Meter.Type.GAUGE),
    /** From how many of those on new connections are refused. */
    PARKED_ENDPOINTS_LIMIT("reactor.ucx.endpoints.parked.limit", Meter.Type.GAUGE),
    /** Connections that are open. */
    CONNECTIONS("reactor.ucx.connections", Meter.Type.GAUGE),
    /** Connections whose peer was lost. */
    LOST_CONNECTIONS("reactor.ucx.connections.lost", Meter.Type.COUNTER, Tag.ENGINE, Tag.CAUSE),
    /** Handshakes in which one side refused the other, or took too long. */
    REFUSED_HANDSHAKES("reactor.ucx.handshakes.refused", Meter.Type.COUNTER, Tag.ENGINE, Tag.REASON),
    /** Heartbeat intervals in which nothing was heard of a peer. */
    MISSED_HEARTBEATS("reactor.ucx.heartbeats.missed", Meter.Type.COUNTER, Tag.ENGINE),
    /** Handshakes in progress at servers. */
    PENDING_HANDSHAKES("reactor.ucx.handshakes.pending", Meter.Type.GAUGE),
    /** Sockets that came to servers and became no connection. */
    FAILED_HANDSHAKES("reactor.ucx.handshakes.failed", Meter.Type.COUNTER),
    /** Steps of authenticators that wait for a thread. */
    QUEUED_AUTHENTICATIONS("reactor.ucx.authentications.queued", Meter.Type.GAUGE),
    /** Steps of authenticators that were refused, because too many waited. */
    REFUSED_AUTHENTICATIONS("reactor.ucx.authentications.refused", Meter.Type.COUNTER),
    /** Most connections that the servers take. */
    SERVER_CONNECTIONS_LIMIT("reactor.ucx.server.connections.limit", Meter.Type.GAUGE),
    /** Clients that a server rejected because it had enough connections, or was stopping. */
    REJECTED_CONNECTIONS("reactor.ucx.server.connections.rejected", Meter.Type.COUNTER),
    /** Lost connections that were made anew. */
    RECONNECTS("reactor.ucx.connections.reconnects", Meter.Type.COUNTER),
    /** Who waits for a connection to be made anew. */
    PENDING_RECONNECTS("reactor.ucx.connections.reconnects.pending", Meter.Type.GAUGE),
    /** Connections that pools have lent, or are making. */
    ACQUIRED_CONNECTIONS("reactor.ucx.pool.connections.acquired", Meter.Type.GAUGE),
    /** Connections that wait in pools. */
    IDLE_CONNECTIONS("reactor.ucx.pool.connections.idle", Meter.Type.GAUGE),
    /** Who waits for a connection of a pool. */
    PENDING_ACQUIRES("reactor.ucx.pool.connections.pending", Meter.Type.GAUGE),
    /** Most connections that the pools may have. */
    POOLED_CONNECTIONS_LIMIT("reactor.ucx.pool.connections.limit", Meter.Type.GAUGE),
    /** Windows of memory that are exported. */
    MEMORY_WINDOWS("reactor.ucx.memory.windows", Meter.Type.GAUGE),
    /** Most windows that may be. */
    MEMORY_WINDOW_LIMIT("reactor.ucx.memory.windows.limit", Meter.Type.GAUGE),
    /** Requests of peers for exported memory; those that were refused, for a wrong key, right or range, are errors. */
    MEMORY_REQUESTS("reactor.ucx.memory.requests", Meter.Type.COUNTER, Tag.OUTCOME),
    /** Bytes of exported memory that peers read and wrote. */
    MEMORY_BYTES("reactor.ucx.memory.bytes", Meter.Type.COUNTER),
    /** Connections that were closed because the peer broke the protocol for memory. */
    MEMORY_VIOLATIONS("reactor.ucx.memory.violations", Meter.Type.COUNTER),
    /** Bytes that are registered with UCX. */
    REGISTERED_BYTES("reactor.ucx.memory.registered", Meter.Type.GAUGE),
    /** Bytes of the buffer pool that are leased. */
    LEASED_BYTES("reactor.ucx.buffers.leased", Meter.Type.GAUGE),
    /** Leases that the application dropped without a release, as far as is looked for them. */
    LEAKED_BUFFERS("reactor.ucx.buffers.leaked", Meter.Type.COUNTER),
    /** Subscribers that wait for memory of the buffer pool. */
    BUFFER_WAITERS("reactor.ucx.buffers.waiters", Meter.Type.GAUGE),
    /** Bytes that the buffer pool has mapped. */
    SLAB_BYTES("reactor.ucx.buffers.slabs", Meter.Type.GAUGE),
    /** Bytes of buffer pools of peers that are mapped. */
    MAPPED_BYTES("reactor.ucx.buffers.mapped", Meter.Type.GAUGE),
    /** Most bytes of peers that may be mapped. */
    MAPPED_LIMIT("reactor.ucx.buffers.mapped.limit", Meter.Type.GAUGE),
    /** Slabs of peers that could not be mapped, or not within the limit. */
    REFUSED_MAPPINGS("reactor.ucx.buffers.mapped.refused", Meter.Type.COUNTER),
    /** Large messages that were offered to peers in mapped memory. */
    OFFERED_MESSAGES("reactor.ucx.messages.offered", Meter.Type.COUNTER),
    /** Large messages that were copied from mapped memory of peers. */
    COPIED_MESSAGES("reactor.ucx.messages.copied", Meter.Type.COUNTER),
    /** Most bytes that the buffer pool may map. */
    BUFFER_LIMIT("reactor.ucx.buffers.limit", Meter.Type.GAUGE);

    private final String meterName;
    private final Meter.Type type;
    private final KeyName[] tags;

    UcxMeters(String meterName, Meter.Type type, KeyName... tags) {
        this.meterName = meterName;
        this.type = type;
        this.tags = tags;
    }

    /** Registers this gauge. The registry holds its source weakly. */
    <T> void gauge(MeterRegistry registry, T source, Tags ofMeter, ToDoubleFunction<T> value) {
        Gauge.builder(meterName, source, value).tags(ofMeter).register(registry);
    }

    /** Registers this counter. The registry holds its source weakly. */
    <T> void counter(MeterRegistry registry, T source, Tags ofMeter, ToDoubleFunction<T> value) {
        FunctionCounter.builder(meterName, source, value).tags(ofMeter).register(registry);
    }

    @Override
    public String getName() {
        return meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public KeyName[] getKeyNames() {
        return tags.clone();
    }

    /** The tags; each has few values. */
    public enum Tag implements KeyName {
        /** Name of the engine. */
        ENGINE("engine"),
        /** What the operation is, in UCX's words. */
        KIND("kind"),
        /** {@code success} or {@code error}. */
        OUTCOME("outcome"),
        /** How a connection was lost: {@code transport} or {@code heartbeat}. */
        CAUSE("cause"),
        /** Why a handshake came to nothing, or a message was dropped. */
        REASON("reason");

        private final String key;

        Tag(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
