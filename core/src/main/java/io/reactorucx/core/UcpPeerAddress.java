package io.reactorucx.core;

import io.reactorucx.core.internal.address.CheckedAddress;
import io.reactorucx.core.internal.address.PeerAddresses;
import io.reactorucx.core.internal.address.TcpAddress;
import io.reactorucx.core.internal.address.TransportAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The address of a peer's worker, which a worker has checked ({@link UcpWorker#peerAddress}): its form, that the shared
 * memory which it names is there and that of one process, and that it names nothing of this process unless it is the
 * address of a worker of this process.
 *
 * <p><b>Threading:</b> immutable, any thread may ask; {@link #connect} is for the worker's. <b>Ownership:</b> none.
 * <b>Errors:</b> those of {@link #connect}.
 */
public final class UcpPeerAddress {

    /** The names of UCX's transports: an address has only a checksum of each. */
    private static final List<String> NAMES = List.of("rc_verbs", "rc_mlx5", "dc_mlx5", "ud_verbs", "ud_mlx5", "srd",
            "gga_mlx5", "tcp", "posix", "sysv", "xpmem", "cma", "knem", "self");

    private final EndpointTable endpoints;
    private final CheckedAddress address;

    UcpPeerAddress(EndpointTable endpoints, CheckedAddress address) {
        this.endpoints = endpoints;
        this.address = address;
    }

    /** {@return the number that identifies the peer's worker, as {@link UcpWorker#uid} gives it} */
    public long worker() {
        return address.worker();
    }

    /**
     * {@return the names of the transports that it offers, each once, and for one whose name is not known its number;
     * empty for an address whose layout is not known}
     */
    public List<String> transports() {
        return address.parts().stream().map(part -> NAMES.stream().filter(part::is).findFirst()
                .orElseGet(() -> "transport " + part.transport())).distinct().toList();
    }

    /** {@return where UCX may connect to by tcp, from the devices of the worker that has checked the address} */
    public List<InetSocketAddress> tcpAddresses() {
        return address.tcp();
    }

    /** {@return the process of this host whose shared memory it names; empty when it names none} */
    public OptionalInt process() {
        return address.process() == 0 ? OptionalInt.empty() : OptionalInt.of(address.process());
    }

    /** {@return whether it is the address of a worker of this process} */
    public boolean isOfThisProcess() {
        return address.ofThisProcess();
    }

    /**
     * {@return this address without the devices at which UCX must not connect by tcp}
     *
     * @param sockets some of {@link #tcpAddresses()}
     */
    public UcpPeerAddress withoutTcp(Set<InetSocketAddress> sockets) {
        return sockets.isEmpty() ? this : without(
                part -> part.is("tcp") && sockets.contains(TcpAddress.of(part)),
                tcpAddresses().stream().filter(socket -> !sockets.contains(socket)).toList(), address.process());
    }

    /** {@return this address without shared memory of this host} */
    public UcpPeerAddress withoutSharedMemory() {
        return address.process() == 0 ? this : without(PeerAddresses::isOfHost, address.tcp(), 0);
    }

    private UcpPeerAddress without(Predicate<TransportAddress> left, List<InetSocketAddress> leftTcp, int named) {
        return new UcpPeerAddress(endpoints, address.without(left, leftTcp, named));
    }

    /** {@return whether UCX can be given this address: something is left of it} */
    public boolean namesTransports() {
        return address.parts().isEmpty() || !TransportAddress.parse(address.bytes()).isEmpty();
    }

    /**
     * Takes over an endpoint that UCX has made because the peer has connected, and no other one: such endpoints stay
     * when the peer is gone. UCX counts the call as an endpoint of this worker in any case.
     *
     * @param options how to treat errors
     * @return the endpoint
     */
    public UcpEndpoint takeOver(EndpointOptions options) {
        return endpoints.connect(without(part -> true, List.of(), address.process()), options);
    }

    /**
     * Connects the worker that has checked the address. A tcp port that refuses leaves a socket behind until the worker
     * closes, and one that does not answer holds the thread: ask {@link #tcpAddresses()} before.
     *
     * @param options how to treat errors
     * @return the endpoint
     */
    public UcpEndpoint connect(EndpointOptions options) {
        return endpoints.connect(this, options);
    }

    byte[] bytes() {
        return address.bytes();
    }

    CheckedAddress checked() {
        return address;
    }
}
