package io.reactorucx.examples.dashboard.grafana;

import static io.reactorucx.examples.dashboard.grafana.Panel.latest;
import static io.reactorucx.examples.dashboard.grafana.Panel.lines;
import static io.reactorucx.examples.dashboard.grafana.Query.highest;
import static io.reactorucx.examples.dashboard.grafana.Query.level;
import static io.reactorucx.examples.dashboard.grafana.Query.mean;
import static io.reactorucx.examples.dashboard.grafana.Query.named;
import static io.reactorucx.examples.dashboard.grafana.Query.percentile;
import static io.reactorucx.examples.dashboard.grafana.Query.rate;
import static io.reactorucx.examples.dashboard.grafana.Query.rateOf;
import static io.reactorucx.examples.dashboard.grafana.Query.rest;
import static io.reactorucx.examples.dashboard.grafana.Query.share;

import io.reactorucx.examples.dashboard.grafana.Dashboard.Row;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.List;

/** What {@code docs/guide/dashboards} is made of. */
final class Dashboards {

    private static final double TAIL = 0.99;

    private Dashboards() {
    }

    static List<Dashboard> all() {
        return List.of(overview(), engine(), connections(), memory(), nettyAndSpring());
    }

    private static Dashboard overview() {
        return new Dashboard("reactor-ucx-overview", "Reactor UCX: overview",
                "What users notice: requests, their times and failures, messages and bytes.", List.of(
                Row.of("Now",
                        latest("Requests", "Requests of clients that ended.",
                                rateOf(UcxMeters.REQUESTS, "side=\"client\"")),
                        latest("Failed", "Which part of the requests has not succeeded.",
                                share(UcxMeters.REQUESTS, "outcome!=\"success\"")),
                        latest("99 % within", "The slowest engine's time that 99 % of the requests stayed within.",
                                highest(UcxMeters.REQUEST_PERCENTILES, "side=\"client\", phi=\"0.99\"")),
                        latest("Connections", "Connections that are not closed.", level(UcxMeters.CONNECTIONS)),
                        latest("Sent", "Payload bytes that were sent.", rate(UcxMeters.SENT_BYTES)),
                        latest("Received", "Payload bytes that were received.", rate(UcxMeters.RECEIVED_BYTES))),
                Row.of("Requests",
                        lines("Requests by outcome", "All but `success` is noticed by a user.",
                                rate(UcxMeters.REQUESTS, "side", "outcome")),
                        lines("Time of requests", "Percentiles of each engine; 1 is the longest request.",
                                highest(UcxMeters.REQUEST_PERCENTILES, "phi=~\"0.5|0.99|1\"", "side", "phi")),
                        lines("Mean time of requests", "By side and outcome.",
                                mean(UcxMeters.REQUEST_TIME, "side", "outcome")),
                        lines("Requests in flight", "Requests wait while the peer has as many as it takes.",
                                level(UcxMeters.REQUESTS_IN_FLIGHT, "side"), level(UcxMeters.WAITING_REQUESTS)),
                        lines("Requests dropped", "`fireAndForget` requests for which there was no room.",
                                rate(UcxMeters.DROPPED_REQUESTS)),
                        lines("Errors by status", "Operations of UCX that have failed.",
                                rate(UcxMeters.ERRORS, "status"))),
                Row.of("Messages",
                        lines("Messages", "By the part of the API.", rate(UcxMeters.SENT_MESSAGES, "api"),
                                rate(UcxMeters.RECEIVED_MESSAGES, "api")),
                        lines("Bytes", "Payload, by the part of the API.", rate(UcxMeters.SENT_BYTES, "api"),
                                rate(UcxMeters.RECEIVED_BYTES, "api")))));
    }

    private static Dashboard engine() {
        return new Dashboard("reactor-ucx-engine", "Reactor UCX: engine",
                "The threads that call UCX: whether they have work, keep up with it, and how near their limits are.",
                List.of(
                Row.of("Rounds",
                        lines("Rounds with work", "A spinning engine without work is near 0, a saturated one at 1.",
                                rest(UcxMeters.STEPS, UcxMeters.EMPTY_STEPS, "engine")),
                        lines("Rounds", "All, and those without work.", rate(UcxMeters.STEPS, "engine"),
                                rate(UcxMeters.EMPTY_STEPS, "engine")),
                        lines("Stalls", "Rounds that took too long, by what called the code that blocks.",
                                rate(UcxMeters.STALLS, "engine", "operation")),
                        lines("Longest stall", "Since the engine started.",
                                level(UcxMeters.LONGEST_STALL, "engine")),
                        lines("Sleeps and wake-ups", "How often an engine slept, and another thread woke it.",
                                rate(UcxMeters.SLEEPS, "engine"), rate(UcxMeters.SIGNALS, "engine"))),
                Row.of("Calls of other threads",
                        lines("Calls", "Calls that went through the queue, and those that were rejected.",
                                rate(UcxMeters.COMMANDS, "engine"), rate(UcxMeters.REJECTED_COMMANDS, "engine")),
                        lines("Calls in the queue", "At the limit further calls fail.",
                                level(UcxMeters.QUEUED_COMMANDS, "engine"),
                                level(UcxMeters.QUEUED_COMMANDS_LIMIT, "engine"))),
                Row.of("Rings between engines of one host",
                        lines("Rings", "Pairs, one for each engine to which small messages go that way.",
                                level(UcxMeters.RINGS, "engine")),
                        lines("Records", "A message or a batch each.", rate(UcxMeters.RING_SENT_RECORDS, "engine"),
                                rate(UcxMeters.RING_RECEIVED_RECORDS, "engine")),
                        lines("Waits for rings", "Records for which a ring had no room: its reader is slow.",
                                rate(UcxMeters.RING_WAITS, "engine")),
                        lines("Engines woken for rings", "They slept.", rate(UcxMeters.RING_WAKE_UPS, "engine")),
                        lines("Connections without rings", "Beyond a limit, or the memory could not be mapped.",
                                rate(UcxMeters.DECLINED_RINGS, "engine"))),
                Row.of("Operations of UCX",
                        lines("Operations in flight", "At the limit further ones fail.",
                                level(UcxMeters.IN_FLIGHT, "engine"),
                                level(UcxMeters.IN_FLIGHT_LIMIT, "engine")),
                        lines("Operations by outcome", "Those that an API has called for each.",
                                rate(UcxMeters.OPERATIONS, "kind", "outcome")),
                        lines("Bytes by operation", "Payload of operations that succeeded.",
                                rate(UcxMeters.OPERATION_BYTES, "kind")),
                        lines("Errors by status", "Operations that have failed.",
                                rate(UcxMeters.ERRORS, "engine", "status")),
                        lines("Batches", "Messages of UCX and records of rings with small messages: many fit into one.",
                                rate(UcxMeters.MESSAGE_BATCHES, "engine")))));
    }

    private static Dashboard connections() {
        return new Dashboard("reactor-ucx-connections", "Reactor UCX: connections",
                "Who is connected, who was lost or refused, and which sender waits for its receiver.", List.of(
                Row.of("Connections",
                        lines("Connections by state", "Those that are not closed.",
                                level(UcxMeters.CONNECTIONS, "state")),
                        lines("Connections of servers", "At the limit clients are refused.",
                                level(UcxMeters.SERVER_CONNECTIONS), level(UcxMeters.SERVER_CONNECTIONS_LIMIT)),
                        lines("Connections of one client", "Of the one with the most; at the limit it is refused.",
                                level(UcxMeters.CLIENT_CONNECTIONS), level(UcxMeters.CLIENT_CONNECTIONS_LIMIT)),
                        lines("Lost and replaced", "Peers that were lost, by cause, and connections made anew.",
                                rate(UcxMeters.LOST_CONNECTIONS, "cause"), rate(UcxMeters.RECONNECTS)),
                        lines("Waiting for a connection", "Subscribers without a connection or a pooled one.",
                                level(UcxMeters.PENDING_RECONNECTS), level(UcxMeters.PENDING_ACQUIRES)),
                        lines("Missed heartbeats", "Intervals in which a peer was silent.",
                                rate(UcxMeters.MISSED_HEARTBEATS, "engine")),
                        lines("Pooled connections", "Lent, idle, and the limit of both.",
                                level(UcxMeters.ACQUIRED_CONNECTIONS), level(UcxMeters.IDLE_CONNECTIONS),
                                level(UcxMeters.POOLED_CONNECTIONS_LIMIT)),
                        lines("Connections by transport", "What the data of established connections goes over.",
                                level(UcxMeters.ESTABLISHED_CONNECTIONS, "transport"))),
                Row.of("Handshakes",
                        lines("Handshakes in progress", "At servers.", level(UcxMeters.PENDING_HANDSHAKES)),
                        lines("Clients that came to nothing", "Sockets without a connection, clients of a full server.",
                                rate(UcxMeters.FAILED_HANDSHAKES), rate(UcxMeters.REJECTED_CONNECTIONS)),
                        lines("Refused strangers", "By reason.", rate(UcxMeters.REFUSED_HANDSHAKES, "reason")),
                        lines("Steps of authenticators", "That wait for a thread; at the limit peers are refused.",
                                level(UcxMeters.QUEUED_AUTHENTICATIONS), level(UcxMeters.QUEUED_AUTHENTICATIONS_LIMIT)),
                        lines("Refused steps of authenticators", "Because too many waited.",
                                rate(UcxMeters.REFUSED_AUTHENTICATIONS)),
                        lines("Broken protocol", "Connections that were closed because of what the peer has sent.",
                                rate(UcxMeters.VIOLATIONS), rate(UcxMeters.MEMORY_VIOLATIONS),
                                rate(UcxNettyMeters.VIOLATIONS))),
                Row.of("Endpoints",
                        lines("Idle endpoints", "They serve the next connection to the same peer.",
                                level(UcxMeters.IDLE_ENDPOINTS), level(UcxMeters.IDLE_ENDPOINTS_LIMIT),
                                level(UcxMeters.CLIENT_IDLE_ENDPOINTS),
                                level(UcxMeters.CLIENT_IDLE_ENDPOINTS_LIMIT)),
                        lines("Parked endpoints", "UCX cannot close them yet; at the limit connections are refused.",
                                level(UcxMeters.PARKED_ENDPOINTS), level(UcxMeters.PARKED_ENDPOINTS_LIMIT),
                                level(UcxMeters.CLIENT_PARKED_ENDPOINTS),
                                level(UcxMeters.CLIENT_PARKED_ENDPOINTS_LIMIT)),
                        lines("Unbound endpoints", "Clients whose handshake is done have not bound them yet.",
                                level(UcxMeters.UNBOUND_ENDPOINTS), level(UcxMeters.UNBOUND_ENDPOINTS_LIMIT))),
                Row.of("Flow control",
                        lines("Credit", "Messages that peers would accept now.",
                                level(UcxMeters.MESSAGE_CREDIT, "engine")),
                        lines("Senders without credit", "Their receivers are slow.",
                                level(UcxMeters.CREDIT_WAITERS, "engine"),
                                level(UcxMeters.STREAMS, "engine")),
                        lines("Mean wait for credit", "Of the waits that have ended.",
                                mean(UcxMeters.CREDIT_WAIT, "engine")),
                        lines("Waits for credit", "That have ended.",
                                rate(Series.name(UcxMeters.CREDIT_WAIT) + "_count", "cps", "engine")))));
    }

    private static Dashboard memory() {
        return new Dashboard("reactor-ucx-memory", "Reactor UCX: memory",
                "The pool of registered memory, large messages, mapped and exported memory.", List.of(
                Row.of("Pool",
                        lines("Bytes of the pool", "Without free bytes subscribers wait.",
                                level(UcxMeters.LEASED_BYTES),
                                level(UcxMeters.SLAB_BYTES), level(UcxMeters.SLAB_LIMIT)),
                        lines("Waiting for memory", "At the limit further subscribers fail.",
                                level(UcxMeters.BUFFER_WAITERS),
                                level(UcxMeters.BUFFER_WAITERS_LIMIT)),
                        lines("Mean wait for memory", "Of the waits that have ended.", mean(UcxMeters.BUFFER_WAIT)),
                        lines("Waits for memory", "That have ended.",
                                rate(Series.name(UcxMeters.BUFFER_WAIT) + "_count", "cps")),
                        lines("Leaks", "Leases and messages that the application has lost: a mistake in its code.",
                                Query.rate(Series.name(UcxMeters.LEAKED_BUFFERS), "cps").called("leases"),
                                Query.rate(Series.name(UcxMeters.LEAKED_OFFERS), "cps").called("messages")),
                        lines("Registered with UCX", "Pinned where the transport needs it.",
                                level(UcxMeters.REGISTERED_BYTES))),
                Row.of("Large messages",
                        lines("Held for the receiver", "Bytes that have arrived and wait for demand.",
                                level(UcxMeters.MESSAGE_HELD_BYTES)),
                        lines("Offers held", "Large messages of peers that wait to be fetched.",
                                level(UcxMeters.HELD_OFFERS)),
                        lines("Offers fetched and dropped", "Large messages of peers.", rate(UcxMeters.FETCHED_OFFERS),
                                rate(UcxMeters.DROPPED_OFFERS)),
                        lines("Active messages dropped", "By reason.", rate(UcxMeters.DROPPED_MESSAGES, "reason"))),
                Row.of("Mapped memory of peers on this host",
                        lines("Bytes mapped", "At the limit large messages, and those of new rings, go through UCX.",
                                level(UcxMeters.MAPPED_BYTES),
                                level(UcxMeters.MAPPED_LIMIT), level(UcxMeters.CLIENT_MAPPED_BYTES),
                                level(UcxMeters.CLIENT_MAPPED_BYTES_LIMIT)),
                        lines("Refused mappings", "Beyond the limit, or not possible.",
                                rate(UcxMeters.REFUSED_MAPPINGS)),
                        lines("Messages in mapped memory", "Offered to peers, and copied from them.",
                                rate(UcxMeters.OFFERED_MESSAGES), rate(UcxMeters.COPIED_MESSAGES))),
                Row.of("Remote memory",
                        lines("Accesses", "To memory of peers.", rate(UcxMeters.MEMORY_ACCESSES, "access", "path")),
                        lines("Bytes accessed", "Of memory of peers.",
                                rate(UcxMeters.MEMORY_ACCESSED, "access", "path")),
                        lines("Requests served", "Of peers for exported memory.",
                                rate(UcxMeters.SERVED_REQUESTS, "access", "outcome")),
                        lines("Bytes served", "That peers have read or written.",
                                rate(UcxMeters.SERVED_BYTES, "access")),
                        lines("Windows", "Exported ones, and their limit.", level(UcxMeters.MEMORY_WINDOWS),
                                level(UcxMeters.MEMORY_WINDOW_LIMIT)))));
    }

    private static Dashboard nettyAndSpring() {
        return new Dashboard("reactor-ucx-netty-spring", "Reactor UCX: Netty and Spring",
                "Loops of Netty over UCX, and HTTP of Spring on top of them.", List.of(
                Row.of("HTTP",
                        lines("Requests served", "By Spring's server.",
                                rate("http_server_requests_seconds_count", "reqps", "uri", "status")),
                        lines("Time of requests served", "99 % stay within.",
                                percentile(TAIL, "http_server_requests_seconds", "uri")),
                        lines("Calls", "By Spring's clients.",
                                rate("http_client_requests_seconds_count", "reqps", "uri", "status")),
                        lines("Time of calls", "99 % stay within.",
                                percentile(TAIL, "http_client_requests_seconds", "uri"))),
                Row.of("Channels",
                        lines("Channels", "At the limit further ones are refused.", level(UcxNettyMeters.CHANNELS),
                                level(UcxNettyMeters.CHANNELS_LIMIT), level(UcxNettyMeters.CLIENT_CHANNELS),
                                level(UcxNettyMeters.CLIENT_CHANNELS_LIMIT)),
                        lines("Opened and ended", "A reset channel has not ended in order.",
                                rate(UcxNettyMeters.OPENED_CHANNELS), rate(UcxNettyMeters.CLOSED_CHANNELS),
                                rate(UcxNettyMeters.RESET_CHANNELS)),
                        lines("Bytes of channels", "Over UCX; plain TCP does not count.",
                                rate(UcxNettyMeters.SENT_BYTES, "loop"), rate(UcxNettyMeters.RECEIVED_BYTES, "loop")),
                        lines("Channels that wait", "For their reader, or for the end of their handshake.",
                                level(UcxNettyMeters.WAITING_CHANNELS), level(UcxNettyMeters.PENDING_HANDSHAKES)),
                        lines("Channels that came to nothing", "Handshakes that failed, channels beyond the limit.",
                                rate(UcxNettyMeters.FAILED_HANDSHAKES), rate(UcxNettyMeters.REFUSED_CHANNELS))),
                Row.of("Links between loops",
                        lines("Links", "In both directions, and how many a loop accepts.", level(UcxNettyMeters.LINKS),
                                level(UcxNettyMeters.LINKS_LIMIT), level(UcxNettyMeters.CLIENT_LINKS),
                                level(UcxNettyMeters.CLIENT_LINKS_LIMIT)),
                        lines("Links made", "By this side and by others.", rate(UcxNettyMeters.CONNECTED_LINKS),
                                rate(UcxNettyMeters.ACCEPTED_LINKS)),
                        lines("Links that came to nothing", "Lost, refused, or no link at all.",
                                rate(UcxNettyMeters.FAILED_LINKS), rate(UcxNettyMeters.REFUSED_LINKS),
                                rate(UcxNettyMeters.FAILED_LINK_HANDSHAKES)),
                        lines("Handshakes of links", "In progress, and their limit.",
                                level(UcxNettyMeters.PENDING_LINKS), level(UcxNettyMeters.PENDING_LINKS_LIMIT)),
                        lines("Rings of links", "Pairs, one for each loop of this host that frames go to that way.",
                                level(UcxNettyMeters.RINGS, "loop")),
                        lines("Records of rings", "Written, read, and those for which there was no room.",
                                rate(UcxNettyMeters.RING_SENT_RECORDS, "loop"),
                                rate(UcxNettyMeters.RING_RECEIVED_RECORDS, "loop"),
                                rate(UcxNettyMeters.RING_WAITS, "loop")),
                        lines("Loops woken and links without rings", "Beyond a limit, or not possible.",
                                rate(UcxNettyMeters.RING_WAKE_UPS, "loop"),
                                rate(UcxNettyMeters.DECLINED_RINGS, "loop"))),
                Row.of("Loops",
                        lines("Bytes of the loops' pools", "Without free bytes channels wait.",
                                level(UcxNettyMeters.LEASED_BYTES), level(UcxNettyMeters.SLAB_BYTES),
                                level(UcxNettyMeters.BUFFER_LIMIT)),
                        lines("Spins and sleeps", "A spin in vain has cost processor time.",
                                rate(UcxNettyMeters.SPINS, "loop"), rate(UcxNettyMeters.VAIN_SPINS, "loop"),
                                rate(UcxNettyMeters.SLEEPS, "loop"))),
                Row.of("Process",
                        lines("Memory of the JVM", "In use.", named("jvm_memory_used_bytes", "bytes", "area")),
                        lines("Processor", "Which part of the machine's processors the process takes.",
                                named("process_cpu_usage", "percentunit")),
                        lines("Threads", "Of the JVM.", named("jvm_threads_live_threads", "short")))));
    }
}
