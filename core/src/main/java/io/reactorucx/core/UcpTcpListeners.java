package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.socket.ListeningSocket;
import io.reactorucx.core.internal.socket.SocketFilter;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The TCP sockets on which the tcp transport of a worker listens: one for each network device that UCX may use. A peer
 * that connects to one can write to any address of this process, without a key: no setting of UCX changes that. A
 * filter of the kernel on the sockets restricts the source addresses.
 *
 * <p><b>Threading:</b> the thread of the worker. <b>Ownership:</b> UCX's, they end with the worker. <b>Errors:</b>
 * {@link UcxException} when the kernel refuses a filter.
 */
public final class UcpTcpListeners {

    /** The number of addresses that {@link #admitOnly} takes. */
    public static final int MAX_SOURCES = SocketFilter.MAX_ADDRESSES;

    private final Runnable checkThread;
    private final List<ListeningSocket> sockets;

    UcpTcpListeners(Runnable checkThread, List<ListeningSocket> sockets) {
        this.checkThread = checkThread;
        this.sockets = sockets;
    }

    /** {@return the addresses that are listened on, empty without the transport tcp; any thread may ask} */
    public List<InetSocketAddress> addresses() {
        return sockets.stream().map(ListeningSocket::address).toList();
    }

    /** {@return whether UCX still listens on all of them; it closes a socket for good when accepting fails} */
    public boolean areOpen() {
        return sockets.stream().allMatch(ListeningSocket::isOpen);
    }

    /**
     * Lets TCP connections come only from some addresses ({@code SO_ATTACH_FILTER}). The kernel drops the segments of
     * others unanswered. Connections that are open are not affected.
     *
     * @param sources the addresses, at most {@value #MAX_SOURCES}; none to refuse all
     */
    public void admitOnly(Set<InetAddress> sources) {
        checkThread.run();
        if (Objects.requireNonNull(sources, "sources").size() > MAX_SOURCES) {
            throw new IllegalArgumentException("sources: " + sources.size() + " addresses, at most " + MAX_SOURCES);
        }
        for (ListeningSocket socket : sockets) {
            if (socket.isOpen() && SocketFilter.attach(socket.descriptor(),
                    socket.address().getAddress() instanceof Inet6Address, sources) != 0) {
                throw new UcxException(UcxStatus.IO_ERROR, "filter of the tcp socket at " + socket.address(), null,
                        "the kernel has refused SO_ATTACH_FILTER; net.core.optmem_max limits its size");
            }
        }
    }

    /** Lets TCP connections come from any address. */
    public void admitAll() {
        checkThread.run();
        sockets.stream().filter(ListeningSocket::isOpen).forEach(socket -> SocketFilter.detach(socket.descriptor()));
    }
}
