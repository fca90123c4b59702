package io.reactorucx.transport.handshake;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where an engine runs, as far as it decides whether shared memory works between it and a peer. UCX opens the memory of
 * a peer by its process id, which another PID namespace does not know, and wakes a peer that sleeps by a socket of its
 * network namespace. It finds neither out by itself: it chooses shared memory wherever host and IPC namespace are the
 * same. Where the IPC namespace differs it has no transport, but does not say why.
 *
 * <p>Thread: any.
 *
 * @param host a number of the host since its start, 0 when it is unknown
 * @param processes the kernel's number of the PID namespace
 * @param network the kernel's number of the network namespace
 * @param ipc the kernel's number of the IPC namespace
 * @param reachesNetwork whether UCX has a transport to other hosts
 * @param sleeps whether the engine may sleep, and has to be woken up
 * @param hasRings whether the engine takes messages from rings in memory
 */
public record Locality(long host, long processes, long network, long ipc, boolean reachesNetwork, boolean sleeps,
        boolean hasRings) {

    /** Of a peer that has not said where it runs. */
    public static final Locality UNKNOWN = new Locality(0, 0, 0, 0, false, false, false);

    static final int BYTES = 4 * Long.BYTES + 1;

    private static final Locality HERE = here();
    private static final int REACHES_NETWORK = 1;
    private static final int SLEEPS = 2;
    private static final int HAS_RINGS = 4;

    private static Locality here() {
        try {
            UUID boot = UUID.fromString(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip());
            return new Locality(boot.getMostSignificantBits() ^ boot.getLeastSignificantBits(), namespace("pid"),
                    namespace("net"), namespace("ipc"), false, false, false);
        } catch (IOException | RuntimeException e) {
            return UNKNOWN;
        }
    }

    private static long namespace(String kind) throws IOException {
        String name = Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString();
        return Long.parseLong(name, name.indexOf('[') + 1, name.indexOf(']'), 10);
    }

    /** Returns where this process runs, for an engine with these abilities. */
    public static Locality here(boolean reachesNetwork, boolean sleeps, boolean hasRings) {
        return new Locality(HERE.host, HERE.processes, HERE.network, HERE.ipc, reachesNetwork, sleeps, hasRings);
    }

    static Locality of(ByteBuffer bytes) {
        long host = bytes.getLong();
        long processes = bytes.getLong();
        long network = bytes.getLong();
        long ipc = bytes.getLong();
        int flags = bytes.get();
        return new Locality(host, processes, network, ipc, (flags & REACHES_NETWORK) != 0, (flags & SLEEPS) != 0,
                (flags & HAS_RINGS) != 0);
    }

    byte[] toBytes() {
        int flags = (reachesNetwork ? REACHES_NETWORK : 0) | (sleeps ? SLEEPS : 0) | (hasRings ? HAS_RINGS : 0);
        return ByteBuffer.allocate(BYTES).putLong(host).putLong(processes).putLong(network).putLong(ipc)
                .put((byte) flags).array();
    }

    /** Returns whether the two sides connect as if they were on two hosts, since shared memory does not serve them. */
    public boolean connectsOverNetwork(Locality peer) {
        return obstacle(this, peer) != null && reachesNetwork && peer.reachesNetwork;
    }

    /** Returns why shared memory does not serve an engine and a peer, null when it does or that is not known. */
    public @Nullable String withoutSharedMemory(Locality peer) {
        return host != 0 && peer.host != 0 && host != peer.host ? "client and server are on different hosts"
                : obstacle(this, peer);
    }

    /** Returns why two engines cannot connect at all, which reads the same on both sides; null when they can. */
    static @Nullable String mismatch(Locality client, Locality server) {
        String obstacle = obstacle(client, server);
        if (obstacle == null || client.reachesNetwork && server.reachesNetwork) {
            return null;
        }
        String without = client.reachesNetwork ? "the server" : server.reachesNetwork ? "the client" : "either side";
        return obstacle + ", and UCX has no transport but that at " + without + ": name one to other processes on both"
                + " sides, UcxResourcesBuilder.transports(\"tcp\") or reactor.ucx.transports=tcp";
    }

    /** Returns why shared memory does not serve two engines of one host, null when it does or the hosts differ. */
    private static @Nullable String obstacle(Locality one, Locality other) {
        if (one.host == 0 || one.host != other.host) {
            return null;
        }
        if (one.processes != other.processes) {
            return "client and server are in different PID namespaces of one host, and UCX opens shared memory by"
                    + " process ids";
        }
        if (one.ipc != other.ipc) {
            return "client and server are in different IPC namespaces of one host, which share no memory";
        }
        return one.network == other.network || !one.sleeps && !other.sleeps ? null
                : "client and server are in different network namespaces of one host, and UCX wakes engines that"
                + " sleep by sockets of a network namespace";
    }
}
