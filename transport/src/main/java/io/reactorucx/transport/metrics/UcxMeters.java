package io.reactorucx.transport.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import java.util.Locale;

/**
 * Every meter of this library: name, type, base unit, tags and description. {@code docs/spec/metrics.md} is made of it.
 *
 * <p>A name begins with another one only where it is the limit of that, or where both count the same unit.
 */
// Micrometer is optional, so this module does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public enum UcxMeters implements UcxMeter {

    /** Messages that an API has sent. */
    SENT_MESSAGES("sent.messages", Meter.Type.COUNTER, Unit.MESSAGES,
            "messages that were sent, large ones counted when they were offered", Tag.ENGINE, Tag.API),
    /** Payload bytes of the messages that SENT_MESSAGES counts. */
    SENT_BYTES("sent.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "payload bytes of messages that were sent, of large ones when they were offered", Tag.ENGINE, Tag.API),
    /** Messages that an API has received. */
    RECEIVED_MESSAGES("received.messages", Meter.Type.COUNTER, Unit.MESSAGES,
            "messages that have arrived for a receiver", Tag.ENGINE, Tag.API),
    /** Payload bytes of the messages that RECEIVED_MESSAGES counts. */
    RECEIVED_BYTES("received.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "payload bytes of messages that have arrived for a receiver, of large ones when they were fetched",
            Tag.ENGINE, Tag.API),

    /** Requests that have ended. */
    REQUESTS("requests.ended", Meter.Type.COUNTER, Unit.REQUESTS, "requests that have ended", Tag.ENGINE, Tag.SIDE,
            Tag.OUTCOME),
    /** Time of timed requests. */
    REQUEST_TIME("requests.time", Meter.Type.TIMER, Unit.SECONDS,
            "time from the start of a request to its end, of all or of every nth: `UcxMetrics.timingRequests`",
            Tag.ENGINE, Tag.SIDE, Tag.OUTCOME),
    /** Percentiles of the time of timed requests. */
    REQUEST_PERCENTILES("requests.percentile", Meter.Type.GAUGE, Unit.SECONDS,
            "percentiles of the time of timed requests in the last interval, whatever the outcome; 1 is the longest",
            Tag.ENGINE, Tag.SIDE, Tag.PHI),
    /** Requests that have begun and not ended. */
    REQUESTS_IN_FLIGHT("requests.in.flight", Meter.Type.GAUGE, Unit.REQUESTS,
            "requests that have begun and not ended, waiting ones included", Tag.ENGINE, Tag.SIDE),
    /** Requests that wait until their peer takes another one. */
    WAITING_REQUESTS("requests.waiting", Meter.Type.GAUGE, Unit.REQUESTS,
            "requests that wait until their peer takes another one", Tag.ENGINE),
    /** Requests without an answer that were dropped, because the limit of requests in progress was reached. */
    DROPPED_REQUESTS("requests.dropped", Meter.Type.COUNTER, Unit.REQUESTS,
            "`fireAndForget` requests that were dropped because too many were in flight", Tag.ENGINE),

    /** Active messages that carried the small messages, and what is said about them. */
    MESSAGE_BATCHES("messages.batches", Meter.Type.COUNTER, Unit.BATCHES,
            "active messages, over UCX or a ring, that carried small messages, requests, responses and credits",
            Tag.ENGINE),
    /** Messages that peers take now. */
    MESSAGE_CREDIT("messages.credit", Meter.Type.GAUGE, Unit.MESSAGES, "messages that peers would accept now",
            Tag.ENGINE),
    /** Bytes of messages that have come and wait to be delivered. */
    MESSAGE_HELD_BYTES("messages.held", Meter.Type.GAUGE, Unit.BYTES,
            "bytes of messages that have arrived and wait for demand", Tag.ENGINE),
    /** Streams whose sender waits for credit. */
    CREDIT_WAITERS("credit.waiters", Meter.Type.GAUGE, Unit.STREAMS,
            "streams that have a sender and no credit: the receiver is slow", Tag.ENGINE),
    /** Time that senders have waited for credit. */
    CREDIT_WAIT("credit.wait", Meter.Type.TIMER, Unit.SECONDS,
            "waits of senders for credit that have ended, and how long they took together", Tag.ENGINE),
    /** Streams that are open on connections, beside the default one of each. */
    STREAMS("streams.open", Meter.Type.GAUGE, Unit.STREAMS,
            "requests and other streams that are open, apart from the default one of each connection", Tag.ENGINE),
    /** Connections that were closed because the peer did not keep to the protocol. */
    VIOLATIONS("messages.violations", Meter.Type.COUNTER, Unit.VIOLATIONS,
            "connections that were closed because the peer broke the protocol of messages", Tag.ENGINE),

    /** Rendezvous messages whose data waits to be fetched or discarded. */
    HELD_OFFERS("offers.held", Meter.Type.GAUGE, Unit.MESSAGES,
            "large messages of peers that wait to be fetched or discarded", Tag.ENGINE),
    /** Rendezvous messages that were fetched. */
    FETCHED_OFFERS("offers.fetched", Meter.Type.COUNTER, Unit.MESSAGES, "large messages of peers that were fetched",
            Tag.ENGINE),
    /** Rendezvous messages that were released without a fetch. */
    DROPPED_OFFERS("offers.dropped", Meter.Type.COUNTER, Unit.MESSAGES,
            "large messages of peers that were discarded or dropped, and not fetched", Tag.ENGINE),
    /** Offered active messages that the application dropped, neither fetched nor discarded. */
    LEAKED_OFFERS("offers.leaked", Meter.Type.COUNTER, Unit.MESSAGES,
            "active messages that became unreachable without a fetch or discard: a mistake of the application"),
    /**
     * Active messages that no connection received, that a full queue had no room for, or that were nonsense on a
     * reserved id.
     */
    DROPPED_MESSAGES("active.messages.dropped", Meter.Type.COUNTER, Unit.MESSAGES,
            "active messages that were dropped, by `DropReason`", Tag.REASON),

    /** Operations of UCX that ended. */
    OPERATIONS("operations.ended", Meter.Type.COUNTER, Unit.OPERATIONS,
            "UCX operations of calls of the API that have completed or failed; batches of messages are not counted",
            Tag.ENGINE, Tag.KIND, Tag.OUTCOME),
    /** Payload bytes of operations that ended well. */
    OPERATION_BYTES("operations.moved", Meter.Type.COUNTER, Unit.BYTES,
            "payload bytes of UCX operations that succeeded", Tag.ENGINE, Tag.KIND),
    /** Operations in flight. */
    IN_FLIGHT("operations.in.flight", Meter.Type.GAUGE, Unit.OPERATIONS, "UCX operations in flight", Tag.ENGINE),
    /** The maximum number of operations in flight that may wait for the application of the peer. */
    IN_FLIGHT_LIMIT("operations.in.flight.limit", Meter.Type.GAUGE, Unit.OPERATIONS,
            "limit of UCX operations in flight that may wait for the application of the peer,"
                    + " `EngineConfig.maxInFlight`; others have slots apart", Tag.ENGINE),
    /** Operations and connections that have failed, by status. */
    ERRORS("errors", Meter.Type.COUNTER, Unit.ERRORS, "UCX operations that have failed, by `UcxStatus`", Tag.ENGINE,
            Tag.STATUS),

    /** Commands of other threads that wait for the engine. */
    QUEUED_COMMANDS("engine.commands.queued", Meter.Type.GAUGE, Unit.COMMANDS,
            "calls of other threads that wait for the engine", Tag.ENGINE),
    /** The maximum number of commands that wait. */
    QUEUED_COMMANDS_LIMIT("engine.commands.queued.limit", Meter.Type.GAUGE, Unit.COMMANDS,
            "limit of the calls of other threads that wait for the engine, `EngineConfig.commandQueueCapacity`",
            Tag.ENGINE),
    /** Commands that came through the queue. */
    COMMANDS("engine.commands.run", Meter.Type.COUNTER, Unit.COMMANDS,
            "calls of other threads that went through the engine's queue", Tag.ENGINE),
    /** Commands that were rejected, because the queue was full or the engine closed. */
    REJECTED_COMMANDS("engine.commands.rejected", Meter.Type.COUNTER, Unit.COMMANDS,
            "calls of other threads that were rejected because the engine's queue was full or the engine closed",
            Tag.ENGINE),
    /** Rounds of the engine's loop. */
    STEPS("engine.steps", Meter.Type.COUNTER, Unit.STEPS, "iterations of the engine's loop", Tag.ENGINE),
    /** Rounds that found nothing to do. */
    EMPTY_STEPS("engine.steps.empty", Meter.Type.COUNTER, Unit.STEPS,
            "iterations of the engine's loop that found no work", Tag.ENGINE),
    /** Times that the engine slept. */
    SLEEPS("engine.sleeps", Meter.Type.COUNTER, Unit.SLEEPS, "times that the engine slept", Tag.ENGINE),
    /** Times that another thread woke the engine. */
    SIGNALS("engine.signals", Meter.Type.COUNTER, Unit.SIGNALS, "times that another thread woke the engine",
            Tag.ENGINE),
    /** Rounds that took too long. */
    STALLS("engine.stalls", Meter.Type.COUNTER, Unit.STALLS,
            "iterations of the engine's loop that took longer than the `stallThreshold`: something blocked the engine",
            Tag.ENGINE, Tag.OPERATION),
    /** The longest round that took too long. */
    LONGEST_STALL("engine.stall.longest", Meter.Type.GAUGE, Unit.SECONDS,
            "longest iteration of the engine's loop beyond the `stallThreshold` since the engine started, at least",
            Tag.ENGINE),

    /** Pairs of rings that are open. */
    RINGS("rings.open", Meter.Type.GAUGE, Unit.PAIRS,
            "pairs of rings in memory, one for each engine of this host to which small messages go that way",
            Tag.ENGINE),
    /** Records that were written into rings. */
    RING_SENT_RECORDS("rings.sent", Meter.Type.COUNTER, Unit.RECORDS,
            "records that were written into rings: a message, a batch, or a frame of a protocol each", Tag.ENGINE),
    /** Records that were read from rings. */
    RING_RECEIVED_RECORDS("rings.received", Meter.Type.COUNTER, Unit.RECORDS, "records that were read from rings",
            Tag.ENGINE),
    /** Records that had to wait. */
    RING_WAITS("rings.waits", Meter.Type.COUNTER, Unit.RECORDS,
            "records that had to wait for room in their ring, or until both sides had agreed on it", Tag.ENGINE),
    /** Times that a peer was woken for its ring. */
    RING_WAKE_UPS("rings.wakeups", Meter.Type.COUNTER, Unit.SIGNALS,
            "times that an engine which slept was woken for its ring", Tag.ENGINE),
    /** Connections between engines of one host that go on without rings. */
    DECLINED_RINGS("rings.declined", Meter.Type.COUNTER, Unit.CONNECTIONS,
            "connections with engines of this host that go on without rings: beyond a limit, or the memory could not"
                    + " be mapped", Tag.ENGINE),

    /** Connections whose data is encrypted. */
    ENCRYPTED_CONNECTIONS("encryption.connections", Meter.Type.COUNTER, Unit.CONNECTIONS,
            "connections whose data is encrypted, ended ones included", Tag.ENGINE),
    /** Connections whose encrypted data was not what the peer has sent. */
    BROKEN_ENCRYPTION("encryption.connections.broken", Meter.Type.COUNTER, Unit.CONNECTIONS,
            "connections that ended because an encrypted record was changed, repeated or left out", Tag.ENGINE),
    /** Records that were encrypted. */
    SEALED_RECORDS("encryption.sealed.records", Meter.Type.COUNTER, Unit.RECORDS,
            "records and parts of large messages that were encrypted", Tag.ENGINE),
    /** Bytes of the records that SEALED_RECORDS counts. */
    SEALED_BYTES("encryption.sealed.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "bytes of records and parts of large messages before they were encrypted", Tag.ENGINE),
    /** Records that were decrypted. */
    OPENED_RECORDS("encryption.opened.records", Meter.Type.COUNTER, Unit.RECORDS,
            "records and parts of large messages that were decrypted", Tag.ENGINE),
    /** Bytes of the records that OPENED_RECORDS counts. */
    OPENED_BYTES("encryption.opened.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "bytes of records and parts of large messages after they were decrypted", Tag.ENGINE),
    /** Native memory of encrypted messages. */
    ENCRYPTION_MEMORY("encryption.memory", Meter.Type.GAUGE, Unit.BYTES,
            "native memory of encrypted messages that are on their way, and what is kept of it for the next ones",
            Tag.ENGINE),

    /** Connections that exist, by state. */
    CONNECTIONS("connections.live", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "connections that have an endpoint of UCX, by state", Tag.ENGINE, Tag.STATE),
    /** Connections whose handshake is done. */
    ESTABLISHED_CONNECTIONS("connections.established", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "connections whose handshake is done, by what their data goes over", Tag.ENGINE, Tag.TRANSPORT),
    /** Connections whose peer was lost. */
    LOST_CONNECTIONS("connections.lost", Meter.Type.COUNTER, Unit.CONNECTIONS, "connections whose peer was lost",
            Tag.ENGINE, Tag.CAUSE),
    /** Lost connections that were made anew. */
    RECONNECTS("connections.reconnected", Meter.Type.COUNTER, Unit.CONNECTIONS,
            "lost connections that were replaced"),
    /** Subscribers that wait until a lost connection was made anew. */
    PENDING_RECONNECTS("reconnects.pending", Meter.Type.GAUGE, Unit.SUBSCRIBERS,
            "subscribers that wait for a connection to be replaced"),
    /** Heartbeat intervals in which nothing was heard of a peer. */
    MISSED_HEARTBEATS("heartbeats.missed", Meter.Type.COUNTER, Unit.HEARTBEATS,
            "heartbeat intervals without a sign of life from a peer", Tag.ENGINE),
    /** Connections that servers have accepted and that are open. */
    SERVER_CONNECTIONS("server.connections.open", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "connections that the servers have accepted and that are open"),
    /** Most connections that the servers take. */
    SERVER_CONNECTIONS_LIMIT("server.connections.open.limit", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "limit of the connections that are open at servers, `UcxServer.maxConnections`, of all servers together"),
    /** Connections of the client with the most. */
    CLIENT_CONNECTIONS("server.connections.client", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "connections of the client that has the most at one server"),
    /** Most connections of one client. */
    CLIENT_CONNECTIONS_LIMIT("server.connections.client.limit", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "limit of the connections of one client at a server, `UcxServer.maxConnectionsPerClient`, the lowest of"
                    + " all servers"),
    /** Clients that a server rejected because it had enough connections, or was stopping. */
    REJECTED_CONNECTIONS("server.connections.rejected", Meter.Type.COUNTER, Unit.CONNECTIONS,
            "clients that a server refused because it was full, they had their share, or it was stopping"),
    /** Handshakes in progress at servers. */
    PENDING_HANDSHAKES("handshakes.pending", Meter.Type.GAUGE, Unit.HANDSHAKES, "handshakes in progress at servers"),
    /** Sockets that came to servers and became no connection. */
    FAILED_HANDSHAKES("handshakes.failed", Meter.Type.COUNTER, Unit.HANDSHAKES,
            "sockets that were accepted and did not become a connection"),
    /** Handshakes in which one side refused the other, or took too long. */
    REFUSED_HANDSHAKES("handshakes.refused", Meter.Type.COUNTER, Unit.HANDSHAKES,
            "handshakes with strangers in which a side refused the other or took too long, by reason",
            Tag.ENGINE, Tag.REASON),
    /** Steps of authenticators that wait for a thread. */
    QUEUED_AUTHENTICATIONS("authentications.queued", Meter.Type.GAUGE, Unit.STEPS,
            "steps of authenticators that wait for a thread"),
    /** The maximum number of steps that wait. */
    QUEUED_AUTHENTICATIONS_LIMIT("authentications.queued.limit", Meter.Type.GAUGE, Unit.STEPS,
            "limit of the steps of authenticators that wait for a thread, `UcxResourcesBuilder.authenticatorLimits`,"
                    + " of clients and servers together"),
    /** Steps of authenticators that were refused, because too many waited. */
    REFUSED_AUTHENTICATIONS("authentications.refused", Meter.Type.COUNTER, Unit.STEPS,
            "steps of authenticators that were refused because too many waited"),
    /** Endpoints that wait for the next connection to the same peer. */
    IDLE_ENDPOINTS("endpoints.idle", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "UCX endpoints that wait for the next connection to the same peer"),
    /** How many endpoints may wait for the next connection. */
    IDLE_ENDPOINTS_LIMIT("endpoints.idle.limit", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "limit of the UCX endpoints that wait for the next connection, `UcxResourcesBuilder.maxIdleEndpoints`"),
    /** Idle endpoints of the client with the most. */
    CLIENT_IDLE_ENDPOINTS("endpoints.idle.client", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "UCX endpoints that wait for the next connection, of the client that has the most"),
    /** The maximum number of idle endpoints of one client. */
    CLIENT_IDLE_ENDPOINTS_LIMIT("endpoints.idle.client.limit", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "limit of the UCX endpoints of one client that wait for the next connection,"
                    + " `UcxResourcesBuilder.clientShare` of `maxIdleEndpoints`"),
    /** Endpoints of ended connections that wait until UCX can close them. */
    PARKED_ENDPOINTS("endpoints.parked", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "UCX endpoints of ended connections that wait until UCX can close them"),
    /** The number of parked endpoints from which on new connections are refused. */
    PARKED_ENDPOINTS_LIMIT("endpoints.parked.limit", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "number of parked UCX endpoints from which on new connections are refused,"
                    + " `UcxResourcesBuilder.maxParkedEndpoints`"),
    /** Endpoints that are being wired up or parked, of the client with the most. */
    CLIENT_PARKED_ENDPOINTS("endpoints.parked.client", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "UCX endpoints that are being wired up or parked, of the client that has the most"),
    /** The number of endpoints being wired up or parked from which on a client is refused. */
    CLIENT_PARKED_ENDPOINTS_LIMIT("endpoints.parked.client.limit", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "number of UCX endpoints being wired up or parked from which on a client is refused,"
                    + " `UcxResourcesBuilder.clientShare` of `maxParkedEndpoints`"),
    /** Endpoints of clients that are not bound to a connection yet. */
    UNBOUND_ENDPOINTS("endpoints.unbound", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "UCX endpoints of clients whose handshake is done, and which are not bound to a connection yet"),
    /** The maximum number of endpoints that are not bound to a connection yet. */
    UNBOUND_ENDPOINTS_LIMIT("endpoints.unbound.limit", Meter.Type.GAUGE, Unit.ENDPOINTS,
            "limit of the UCX endpoints of clients that are not bound to a connection yet,"
                    + " `UcxResourcesBuilder.maxUnboundEndpoints`; a client can have `clientShare` of it"),
    /** Connections to a peer, by its address. */
    PEER_CONNECTIONS("peer.connections.live", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "connections by the host of the peer; only with `UcxMetrics.showingPeers`", Tag.PEER),

    /** Connections that pools have lent, or are making. */
    ACQUIRED_CONNECTIONS("pool.connections.acquired", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "pooled connections that are lent or being made"),
    /** Connections that wait in pools. */
    IDLE_CONNECTIONS("pool.connections.idle", Meter.Type.GAUGE, Unit.CONNECTIONS, "pooled connections that are idle"),
    /** Most connections that the pools may have. */
    POOLED_CONNECTIONS_LIMIT("pool.connections.limit", Meter.Type.GAUGE, Unit.CONNECTIONS,
            "limit of the pooled connections, lent and idle ones, of all pools together"),
    /** Subscribers that wait for a connection of a pool. */
    PENDING_ACQUIRES("pool.connections.pending", Meter.Type.GAUGE, Unit.SUBSCRIBERS,
            "subscribers that wait for a pooled connection"),

    /** Accesses to memory of peers. */
    MEMORY_ACCESSES("memory.accesses", Meter.Type.COUNTER, Unit.ACCESSES,
            "puts, gets and atomic operations on memory of peers that have succeeded", Tag.ENGINE, Tag.ACCESS,
            Tag.PATH),
    /** Bytes that the accesses to memory of peers have moved. */
    MEMORY_ACCESSED("memory.accessed", Meter.Type.COUNTER, Unit.BYTES,
            "bytes of memory of peers that puts, gets and atomic operations have read or written",
            Tag.ENGINE, Tag.ACCESS, Tag.PATH),
    /** Requests of peers for exported memory; those that were refused, for a wrong key, right or range, are errors. */
    SERVED_REQUESTS("memory.served.requests", Meter.Type.COUNTER, Unit.REQUESTS,
            "requests of peers for exported memory; `error`: wrong key, right or range", Tag.ACCESS, Tag.OUTCOME),
    /** Bytes of exported memory that peers read and wrote. */
    SERVED_BYTES("memory.served.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "bytes of exported memory that peers read or wrote by requests", Tag.ACCESS),
    /** Windows of memory that are exported. */
    MEMORY_WINDOWS("memory.windows", Meter.Type.GAUGE, Unit.WINDOWS, "windows of memory that are exported"),
    /** Most windows of memory that may be exported. */
    MEMORY_WINDOW_LIMIT("memory.windows.limit", Meter.Type.GAUGE, Unit.WINDOWS,
            "limit of the exported windows of memory, `ServedMemoryConfig.maxWindows`"),
    /** Connections that were closed because the peer broke the protocol for memory. */
    MEMORY_VIOLATIONS("memory.violations", Meter.Type.COUNTER, Unit.VIOLATIONS,
            "connections that were closed because the peer broke the memory protocol"),
    /** Bytes that are registered with UCX. */
    REGISTERED_BYTES("memory.registered", Meter.Type.GAUGE, Unit.BYTES, "bytes that are registered with UCX"),

    /** Bytes of the buffer pool that are leased. */
    LEASED_BYTES("buffers.leased", Meter.Type.GAUGE, Unit.BYTES, "bytes of the buffer pool that are leased"),
    /** Bytes that the buffer pool has mapped. */
    SLAB_BYTES("buffers.slabs", Meter.Type.GAUGE, Unit.BYTES, "bytes that the buffer pool has mapped"),
    /** Most bytes that the buffer pool may map. */
    SLAB_LIMIT("buffers.slabs.limit", Meter.Type.GAUGE, Unit.BYTES,
            "limit of the bytes that the buffer pool maps, and so of leased ones,"
                    + " `UcxResourcesBuilder.maxBufferBytes`"),
    /** Subscribers that wait for memory of the buffer pool. */
    BUFFER_WAITERS("buffers.waiters", Meter.Type.GAUGE, Unit.SUBSCRIBERS,
            "subscribers that wait for memory of the buffer pool"),
    /** Most subscribers that may wait for memory of the buffer pool. */
    BUFFER_WAITERS_LIMIT("buffers.waiters.limit", Meter.Type.GAUGE, Unit.SUBSCRIBERS,
            "limit of the subscribers that wait for memory of the buffer pool, `UcxResourcesBuilder.maxBufferWaiters`"),
    /** Time that subscribers have waited for memory of the buffer pool. */
    BUFFER_WAIT("buffers.wait", Meter.Type.TIMER, Unit.SECONDS,
            "waits for memory of the buffer pool that have ended, and how long they took together"),
    /** Leases that became unreachable without a release, as far as leases are watched. */
    LEAKED_BUFFERS("buffers.leaked", Meter.Type.COUNTER, Unit.LEASES,
            "leases of the buffer pool that became unreachable without a release, as far as leases are watched"),
    /** Bytes of buffer pools of peers that are mapped, and of rings. */
    MAPPED_BYTES("buffers.mapped", Meter.Type.GAUGE, Unit.BYTES,
            "bytes of buffer pools of peers on this host that are mapped, and of the rings of both sides"),
    /** Most bytes of buffer pools of peers that may be mapped, and of rings. */
    MAPPED_LIMIT("buffers.mapped.limit", Meter.Type.GAUGE, Unit.BYTES,
            "limit of the mapped bytes of buffer pools of peers and of rings, `UcxResourcesBuilder.maxMappedBytes`"),
    /** Mapped bytes of the buffer pool of the process with the most, and of the rings to it. */
    CLIENT_MAPPED_BYTES("buffers.mapped.client", Meter.Type.GAUGE, Unit.BYTES,
            "mapped bytes of buffer pools of the peer that has the most, and of the rings to it"),
    /** Most mapped bytes of buffer pools of one peer, and of the rings to it. */
    CLIENT_MAPPED_BYTES_LIMIT("buffers.mapped.client.limit", Meter.Type.GAUGE, Unit.BYTES,
            "limit of the mapped bytes of buffer pools of one peer and of the rings to it,"
                    + " `UcxResourcesBuilder.clientShare` of `maxMappedBytes`"),
    /** Slabs of peers that could not be mapped, or not within the limit. */
    REFUSED_MAPPINGS("buffers.mappings.refused", Meter.Type.COUNTER, Unit.SLABS,
            "slabs of buffer pools of peers that could not be mapped, or not within the limit"),
    /** Large messages that were offered to peers in mapped memory. */
    OFFERED_MESSAGES("mapped.messages.offered", Meter.Type.COUNTER, Unit.MESSAGES,
            "large messages that were offered to peers in mapped memory"),
    /** Large messages that were copied from mapped memory of peers. */
    COPIED_MESSAGES("mapped.messages.copied", Meter.Type.COUNTER, Unit.MESSAGES,
            "large messages that were copied from mapped memory of peers");

    private static final String PREFIX = "reactor.ucx.";

    private final String meterName;
    private final Meter.Type type;
    private final Unit unit;
    private final String description;
    private final KeyName[] tags;

    UcxMeters(String meterName, Meter.Type type, Unit unit, String description, KeyName... tags) {
        this.meterName = meterName;
        this.type = type;
        this.unit = unit;
        this.description = description;
        this.tags = tags;
    }

    private enum Unit {
        ACCESSES, BATCHES, BYTES, COMMANDS, CONNECTIONS, ENDPOINTS, ERRORS, HANDSHAKES, HEARTBEATS, LEASES, MESSAGES,
        OPERATIONS, PAIRS, RECORDS, REQUESTS, SECONDS, SIGNALS, SLABS, SLEEPS, STALLS, STEPS,
        STREAMS, SUBSCRIBERS, VIOLATIONS, WINDOWS;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public String getName() {
        return PREFIX + meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public String getBaseUnit() {
        return unit.text();
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public KeyName[] getKeyNames() {
        return tags.clone();
    }

    /** The tags; each has few values, which nothing that a peer sends adds to. */
    public enum Tag implements KeyName {
        /** Name of the engine. */
        ENGINE("name of the engine"),
        /** The part of the API that sends or receives the messages. */
        API("`messages` of `inbound()` and `outbound()`, `requests` with their responses, `active_messages`, `tags`,"
                + " `streams` of bytes"),
        /** The side of a request. */
        SIDE("`client` or `server`"),
        /** The operation, by its name in UCX. */
        KIND("UCX operation, such as `am_send`: `OperationKind`"),
        /** The part of the library that called the method which blocks an engine. */
        OPERATION("part of the library that called the blocking method: `handler` of a server's connection, `request`,"
                + " `message`, `ucp` for active messages and tags, `memory`, `connection`, `connect`, `engine`, or"
                + " `other`"),
        /** How something ended. */
        OUTCOME("`success` or `error`, of requests also `cancelled` and `deadline`"),
        /** The status of an error. */
        STATUS("name of a `UcxStatus` in lower case; `unknown` for every other number"),
        /** The state of a connection. */
        STATE("`connecting`, `connected` or `closing`"),
        /** The kind of transport that carries the data of a connection. */
        TRANSPORT("`rdma`, `shm` for memory of one host, `self` for a worker's own, `tcp`, `other`, or `mixed` for"
                + " several of them"),
        /** How a connection was lost. */
        CAUSE("`transport` for a failed endpoint or process, `heartbeat` for a silent peer"),
        /** Why a handshake came to nothing, or a message was dropped. */
        REASON("`DropReason` in lower case for messages; for handshakes `version`, `mismatch`, `authentication`,"
                + " `protocol`, `admission`, `timeout`, or `peer` where the peer refused this side"),
        /** The kind of access to memory. */
        ACCESS("`put`, `get` or `atomic`"),
        /** How memory was accessed. */
        PATH("`one_sided` by UCX itself, `served` by the peer's engine"),
        /** Which percentile. */
        PHI("`0.5`, `0.9`, `0.99`, `0.999` or `1`"),
        /** The peer's host. */
        PEER("address of a host without the port; `other` beyond the limit");

        private final String description;

        Tag(String description) {
            this.description = description;
        }

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** {@return its values, as the documentation says them} */
        public String description() {
            return description;
        }
    }
}
