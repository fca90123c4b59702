package io.reactorucx.spring.boot;

import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.transport.LeakDetection;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of what connections share, and of servers, clients and pools. The builders that they go to check them, and
 * a wrong value stops the start with the name of its property.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param fallback What takes the place of UCX where it cannot be used.
 * @param libraryPath Folder of 'libucp.so.0' and its sister libraries. Without it the loader of the system finds them.
 *     The system property 'io.reactorucx.library.path' wins.
 * @param transports Names of UCX's transports, such as 'shm' or 'tcp'. Without it UCX takes those that fit.
 * @param requiredTransports Kinds of transports that data has to go over, such as 'rdma': connections of servers,
 *     clients and Netty's loops over others are refused. Without it all are allowed.
 * @param networkDevices Network devices that UCX may use, such as 'eth0'. Without it they follow the addresses of
 *     servers and clients.
 * @param settings Further settings of UCX for 'UcxResources', such as 'RNDV_THRESH', by their names without 'UCX_'.
 * @param clientShare Fraction of limits of endpoints, mapped memory, links and channels that one client can have, more
 *     than 0 and at most 1.
 * @param engine Threads that own UCX workers.
 * @param buffers Registered memory of 'UcxResources'.
 * @param security How peers prove who they are.
 * @param ssl TLS on the control sockets of servers and clients.
 * @param connection What connections of servers and clients have in common.
 * @param server The template of servers.
 * @param client The template of clients.
 * @param pool The template of connection pools.
 * @param shutdown How servers end.
 */
@ConfigurationProperties("reactor.ucx")
public record UcxProperties(@DefaultValue("none") UcxFallback fallback, @Nullable String libraryPath,
        @DefaultValue List<String> transports, @DefaultValue List<UcxTransportKind> requiredTransports,
        @Nullable List<String> networkDevices,
        @DefaultValue Map<String, String> settings, @DefaultValue("0.5") double clientShare,
        @DefaultValue Engine engine, @DefaultValue Buffers buffers, @DefaultValue Security security,
        @DefaultValue Ssl ssl, @DefaultValue Connection connection, @DefaultValue Server server,
        @DefaultValue Client client, @DefaultValue Pool pool, @DefaultValue Shutdown shutdown) {

    /** Copies the parts. */
    public UcxProperties {
        // A list that ends with a comma has an empty name, which UCX ignores.
        transports = transports.stream().filter(name -> !name.isBlank()).toList();
        requiredTransports = List.copyOf(requiredTransports);
        networkDevices = networkDevices == null ? null : List.copyOf(networkDevices);
        settings = Map.copyOf(settings);
        Objects.requireNonNull(fallback, "fallback");
    }

    /**
     * Threads that own UCX workers.
     *
     * @param count Number of engines of 'UcxResources'.
     * @param name Prefix of the names of their threads, at most 24 characters.
     * @param waitStrategy What an idle engine does.
     * @param spins Idle rounds that an adaptive engine spins before it sleeps.
     * @param commandQueueCapacity Commands of other threads that may wait for an engine.
     * @param maxInFlight Operations that an engine has in flight at a time.
     * @param closeTimeout How long a closing engine waits for its operations.
     * @param stallThreshold How long a round of an engine may take before the engine counts as stalled, and its health
     *     as down, 1 ms to 1 h, or 0 to look for no stalls.
     */
    public record Engine(@DefaultValue("1") int count, @DefaultValue("reactor-ucx") String name,
            @DefaultValue("adaptive") WaitStrategy waitStrategy, @DefaultValue("50") int spins,
            @DefaultValue("8192") int commandQueueCapacity, @Nullable Integer maxInFlight,
            @DefaultValue("5s") Duration closeTimeout, @DefaultValue("500ms") Duration stallThreshold) {
    }

    /**
     * Registered memory.
     *
     * @param maxSize Maximum size of the buffer pool, at least 4 MiB.
     * @param shared Whether processes of this host and user may map the pool read-only, so that large data is copied
     *     once.
     * @param maxMappedSize Maximum size of pools of peers that are mapped here, and of rings.
     * @param ringSize Size of the rings for small messages to peers of this host, a power of two from 256 KiB to
     *     64 MiB, or 0 for none. Without it 256 KiB, and none where transports are named.
     * @param maxWaiters Subscribers that may wait for memory of the pool.
     * @param leakDetection How closely leaked buffers are detected. Without it the library's own default decides.
     */
    public record Buffers(@DefaultValue("64MB") DataSize maxSize, @DefaultValue("true") boolean shared,
            @DefaultValue("4GB") DataSize maxMappedSize, @Nullable DataSize ringSize,
            @DefaultValue("1024") int maxWaiters, @Nullable LeakDetection leakDetection) {
    }

    /**
     * How peers prove who they are.
     *
     * @param sharedSecret Secret of at least 16 bytes that all peers know; nothing is encrypted by it. Without it, and
     *     without a bean of the type 'Authenticator', every peer is served.
     * @param threads Steps of authenticators that run at once.
     * @param maxQueuedSteps First steps of authenticators that wait for a thread.
     */
    public record Security(@Nullable String sharedSecret, @DefaultValue("4") int threads,
            @DefaultValue("1024") int maxQueuedSteps) {

        /** {@return without the secret} */
        @Override
        public String toString() {
            return "Security[sharedSecret=" + (sharedSecret == null ? "none" : "******") + ", threads=" + threads
                    + ", maxQueuedSteps=" + maxQueuedSteps + "]";
        }
    }

    /**
     * TLS on the control sockets of servers and clients.
     *
     * @param bundle SSL bundle by which servers and clients, those of RSocket too, show who they are and check their
     *     peers, and agree on the keys of encryption. Without it there is no TLS, and no encryption.
     * @param clientCertificateRequired Whether servers refuse clients without a certificate.
     * @param serverName Name that clients want in a server's certificate. Without it, the host that they connect to.
     * @param encryption Whether data is encrypted: 'network' does so between hosts, 'required' within a host as well.
     *     The stronger of both sides' wishes counts, and 'off' needs the same at the other side.
     * @param cipher Cipher of the data; others are 'aes-256-gcm' and 'chacha20-poly1305'. That of the server counts.
     */
    public record Ssl(@Nullable String bundle, @DefaultValue("true") boolean clientCertificateRequired,
            @Nullable String serverName, @DefaultValue("network") EncryptionMode encryption,
            @DefaultValue("aes-128-gcm") EncryptionCipher cipher) {
    }

    /**
     * The properties that connections of servers and clients have in common.
     *
     * @param heartbeatInterval Interval of heartbeats, 100 ms to 1 h, or 0 if this side needs none.
     * @param closeTimeout How long a connection may take to close in order, up to 1 h.
     * @param maxMessageSize Maximum size of a message.
     * @param windowMessages Messages that a stream receives ahead of its subscriber.
     * @param windowSize Bytes that a stream receives ahead of its subscriber.
     */
    public record Connection(@DefaultValue("10s") Duration heartbeatInterval, @DefaultValue("5s") Duration closeTimeout,
            @DefaultValue("16MB") DataSize maxMessageSize, @DefaultValue("1024") int windowMessages,
            @DefaultValue("1MB") DataSize windowSize) {
    }

    /**
     * The template of servers.
     *
     * @param address Address to listen at. Without it, 127.0.0.1.
     * @param port Port to listen at; 0 for one that the system chooses.
     * @param maxConnections Connections of a server at a time.
     * @param maxConnectionsPerClient Connections of one client at a time: a process of this host, or another host.
     *     Without it, half of those of the server.
     * @param maxPendingHandshakes Handshakes of a server in progress at a time.
     * @param handshakeTimeout How long a handshake may take, 1 ms to 1 h.
     */
    public record Server(@Nullable InetAddress address, @DefaultValue("0") int port,
            @DefaultValue("2048") int maxConnections, @Nullable Integer maxConnectionsPerClient,
            @DefaultValue("256") int maxPendingHandshakes,
            @DefaultValue("10s") Duration handshakeTimeout) {
    }

    /**
     * The template of clients.
     *
     * @param host Name or address of the server.
     * @param port Port of the server.
     * @param connectTimeout How long a connect may take, 1 ms to 1 h.
     */
    public record Client(@Nullable String host, @Nullable Integer port, @DefaultValue("10s") Duration connectTimeout) {
    }

    /**
     * The template of connection pools, for the client's host and port.
     *
     * @param minConnections Connections that a pool keeps once they were needed.
     * @param maxConnections Connections of a pool.
     * @param maxPendingAcquires Subscribers that may wait for a connection. Without it, twice the connections.
     * @param pendingAcquireTimeout How long a subscriber waits for a connection.
     * @param maxIdleTime How long a connection may be idle. Without it, a year.
     * @param maxLifeTime How old a connection may be. Without it, a year.
     */
    public record Pool(@DefaultValue("0") int minConnections, @DefaultValue("16") int maxConnections,
            @Nullable Integer maxPendingAcquires, @DefaultValue("45s") Duration pendingAcquireTimeout,
            @Nullable Duration maxIdleTime, @Nullable Duration maxLifeTime) {
    }

    /**
     * How servers end.
     *
     * @param gracePeriod How long requests and handlers may go on while new ones are refused.
     * @param timeout When connections are closed by force, from the begin of the shutdown. It should be shorter than
     *     'spring.lifecycle.timeout-per-shutdown-phase'.
     */
    public record Shutdown(@DefaultValue("20s") Duration gracePeriod, @DefaultValue("25s") Duration timeout) {
    }
}
