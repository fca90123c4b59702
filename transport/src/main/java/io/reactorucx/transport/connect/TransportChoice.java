package io.reactorucx.transport.connect;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.transport.config.TransportRequirement;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.endpoint.TransportRefusedException;
import io.reactorucx.transport.handshake.Locality;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.Rejection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transports that the data of a connection goes over: the check that they are what a side requires, before the
 * connection is established, and why they are not better ones. What UCX takes is final once the endpoint of this side
 * is wired up, and each transport that it names may carry data; those that only help to wire it up are not among them.
 *
 * <p>Thread: engine.
 */
final class TransportChoice {

    private static final Logger LOG = LoggerFactory.getLogger(TransportChoice.class);
    private static final TransportReasons TOLD = new TransportReasons(LOG::info);
    private static final TransportRequirement RDMA = TransportRequirement.of(UcxTransportKind.RDMA);
    private static final TransportRequirement TCP = TransportRequirement.of(UcxTransportKind.TCP);

    private static final List<UcxTransportKind> WITHIN_A_HOST = List.of(UcxTransportKind.SHARED_MEMORY,
            UcxTransportKind.SELF);

    private final ConnectionCore connection;
    private final TransportRequirement own;
    private final TransportRequirement required;
    private final Locality peerLocality;
    private final String here;
    private final String there;

    /**
     * Creates the choice of one side.
     *
     * @param peer what the peer requires and is, null for a raw peer, or where the peer is not known yet
     */
    TransportChoice(ConnectionCore connection, @Nullable PeerInfo peer, boolean client) {
        this.connection = connection;
        this.own = connection.config().requirement();
        this.required = peer == null ? own : own.and(peer.requirement());
        this.peerLocality = peer == null ? Locality.UNKNOWN : peer.locality();
        this.here = client ? "the client" : "the server";
        this.there = client ? "the server" : "the client";
    }

    /** Throws when an engine has no transport that is required. Thread: any. */
    static void requireOwn(EngineConnections engine, TransportRequirement required, String operation) {
        if (!required.isAny() && !required.allowsOneOf(engine.transports())) {
            throw new UcxUnsupportedException(operation, "the data has to go over " + required + ", and "
                    + whyMissing(engine, required, "this side"));
        }
    }

    private static String whyMissing(EngineConnections engine, TransportRequirement wanted, String side) {
        String has = "UCX of " + side + " has " + names(engine.transports()) + " alone";
        String set = engine.worker().context().config().settings().get("TLS");
        String allowed = set == null ? System.getenv("UCX_TLS") : set;
        if (wanted.kinds().contains(UcxTransportKind.RDMA)) {
            return has + " (" + RdmaPorts.here().whyUnused(allowed) + ")";
        }
        return allowed == null ? has : has + " (its list of transports is " + allowed + ")";
    }

    private static String names(List<String> transports) {
        return transports.isEmpty() ? "none" : transports.stream().map(each -> each.split("/", 2)[0]).distinct()
                .collect(Collectors.joining(", "));
    }

    boolean isOfClient() {
        return here.equals("the client");
    }

    /** Throws when no endpoint to a worker can be what is required: none has to be made then. */
    void requirePossible(UcpPeerAddress peer) {
        if (!required.isAny()) {
            String why = whyImpossible(required, peer);
            if (why != null) {
                throw refused(why);
            }
        }
    }

    /** Returns whether an endpoint of an earlier connection may be used. */
    boolean allows(UcpEndpoint idle) {
        return required.isAny() || required.allowsAll(idle.transports());
    }

    /** Throws when an endpoint, which is wired up, goes over something that is not allowed. */
    void requireTaken(UcpEndpoint endpoint, @Nullable UcpPeerAddress peer) {
        if (required.isAny()) {
            return;
        }
        List<String> taken = endpoint.transports();
        if (taken.isEmpty()) {
            throw refused(untold());
        }
        if (!required.allowsAll(taken)) {
            throw refused("UCX of " + here + " took " + String.join(", ", taken) + ": " + why(required, taken, peer));
        }
    }

    /** Returns the rejection of an endpoint, or of the other end that the peer has told of; null for none. */
    @Nullable Rejection rejection(UcpEndpoint endpoint, int takenByPeer) {
        try {
            requireTaken(endpoint, null);
            if (!required.allowsBits(takenByPeer)) {
                throw refused("UCX of " + there + " took " + TransportRequirement.ofBits(takenByPeer).kinds().stream()
                        .map(UcxTransportKind::tag).collect(Collectors.joining(", ")));
            }
            return null;
        } catch (TransportRefusedException e) {
            return new Rejection(e.explanation());
        }
    }

    private String untold() {
        return "UCX " + Ucx.version() + " of " + here + " does not tell what it took";
    }

    private TransportRefusedException refused(String why) {
        return new TransportRefusedException(connection.peer(), whoRequires() + ", and " + why);
    }

    private String whoRequires() {
        String who = connection.config().raw() ? "this side" : own.isAny() ? there : own.equals(required) ? here
                : "client and server together";
        return "the data has to go over " + required + ", which " + who + " required";
    }

    /**
     * Says in the log what the established connection goes over, and why not over RDMA.
     *
     * @param peer of the peer's worker, null where it is not known
     * @param host the peer's host, without a port
     */
    void log(@Nullable UcpPeerAddress peer, String host) {
        List<String> taken = connection.transports();
        if (RDMA.allowsOneOf(taken)) {
            LOG.debug("[{}] goes over {}", connection.name(), taken);
            return;
        }
        boolean mayBeBetter = LOG.isInfoEnabled() && TCP.allowsOneOf(taken) && !RdmaPorts.here().isEmpty();
        if (mayBeBetter || LOG.isDebugEnabled()) {
            String why = why(RDMA, taken, peer);
            LOG.debug("[{}] goes over {}, and not over RDMA: {}", connection.name(), taken, why);
            if (mayBeBetter) {
                TOLD.tell(host, names(taken), why);
            }
        }
    }

    /** Returns why the established connection does not go over a kind, empty where it does. Thread: any. */
    Optional<String> whyNot(UcxTransportKind kind, @Nullable UcpPeerAddress peer) {
        TransportRequirement wanted = new TransportRequirement(List.of(kind));
        List<String> taken = connection.transports();
        return wanted.allowsOneOf(taken) ? Optional.empty()
                : Optional.of(taken.isEmpty() ? untold() : why(wanted, taken, peer));
    }

    private @Nullable String whyImpossible(TransportRequirement wanted, @Nullable UcpPeerAddress peer) {
        EngineConnections engine = connection.registry();
        if (!wanted.allowsOneOf(engine.transports())) {
            return whyMissing(engine, wanted, here);
        }
        List<String> offered = peer == null ? List.of() : peer.transports();
        boolean possible = offered.isEmpty() || wanted.allowsOneOf(offered)
                || offered.stream().anyMatch(each -> UcxTransportKind.of(each) == UcxTransportKind.OTHER);
        String apart = wanted.kinds().stream().allMatch(WITHIN_A_HOST::contains)
                ? engine.withoutSharedMemory(peerLocality) : null;
        return possible ? apart : "the address of " + there + "'s worker names " + names(offered) + " alone"
                + (apart == null ? "" : ": " + apart);
    }

    private String why(TransportRequirement wanted, List<String> taken, @Nullable UcpPeerAddress peer) {
        String impossible = whyImpossible(wanted, peer);
        return impossible != null ? impossible : (peer == null ? here + " has it" : "both sides have it")
                + ", and UCX prefers what it took, or needs it as well: leave "
                + names(taken.stream().filter(each -> !wanted.allowsOneOf(List.of(each))).toList())
                + " out of the transports of a side";
    }
}
