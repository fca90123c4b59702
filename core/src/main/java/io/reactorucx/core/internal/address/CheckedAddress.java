package io.reactorucx.core.internal.address;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Predicate;

/**
 * The address of a peer's worker, and what it says, as a worker has checked it.
 *
 * @param bytes the address
 * @param worker the number that identifies the peer's worker
 * @param parts its transports; empty for an address whose layout is not known
 * @param tcp where UCX may connect to by tcp, from the devices of the worker that has checked it
 * @param process the process of this host whose shared memory it names, 0 for none
 * @param ofThisProcess whether it is that of a worker of this process
 */
public record CheckedAddress(byte[] bytes, long worker, List<TransportAddress> parts, List<InetSocketAddress> tcp,
        int process, boolean ofThisProcess) {

    public CheckedAddress {
        parts = List.copyOf(parts);
        tcp = List.copyOf(tcp);
    }

    /** Returns this address without the devices of some parts, with what is left of its sockets and its process. */
    public CheckedAddress without(Predicate<TransportAddress> left, List<InetSocketAddress> leftTcp, int named) {
        return new CheckedAddress(TransportAddress.without(bytes, left), worker, parts, leftTcp, named, ofThisProcess);
    }
}
