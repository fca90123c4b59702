package io.reactorucx.core.shm;

import io.reactorucx.core.internal.process.ProcessState;
import io.reactorucx.core.internal.socket.SocketAddresses;
import io.reactorucx.core.internal.socket.SocketOwner;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A process of a host as another process of the host can name it.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param namespace a number of its PID namespace that other hosts do not have, 0 when it is unknown
 * @param id its id within that namespace
 */
public record ProcessIdentity(long namespace, int id) {

    /** The identity of no process. */
    public static final ProcessIdentity UNKNOWN = new ProcessIdentity(0, 0);

    private static final ProcessIdentity SELF = ProcessState.namespace() == 0 ? UNKNOWN
            : new ProcessIdentity(ProcessState.namespace(), ProcessState.self());

    /** {@return the identity of this process} */
    public static ProcessIdentity self() {
        return SELF;
    }

    /**
     * {@return whether this process can tell when the other one has died: both are in one PID namespace of one host}
     *
     * @param other the other process
     */
    public boolean canWatch(ProcessIdentity other) {
        return namespace == Objects.requireNonNull(other, "other").namespace && namespace != 0 && other.id > 0;
    }

    /**
     * {@return whether the kernel says that this process has the TCP socket of a connection, so that it is the process
     * of that peer; false where that cannot be seen: of a process of another PID namespace or user}
     *
     * <p>Reads the descriptors of the process, which takes 4 µs for each of them, and says false for a process with
     * more than 16,384.
     *
     * @param own the address of that socket
     * @param peer the address of the socket's peer
     */
    public boolean hasSocket(InetSocketAddress own, InetSocketAddress peer) {
        SocketAddresses.checked(own, "own");
        SocketAddresses.checked(peer, "peer");
        return SELF.canWatch(this) && SocketOwner.hasSocket(id, own, peer);
    }

    /**
     * {@return when this process was started, which tells it from a later one with its id, in clock ticks since the
     * start of the host; empty when it has ended, or cannot be seen from here}
     */
    public OptionalLong startedAt() {
        long started = SELF.canWatch(this) ? ProcessState.startedAt(id) : ProcessState.NOT_SEEN;
        return started == ProcessState.NOT_SEEN ? OptionalLong.empty() : OptionalLong.of(started);
    }
}
