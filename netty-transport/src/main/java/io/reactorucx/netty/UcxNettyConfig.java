package io.reactorucx.netty;

import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.config.ProtocolConfig;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.ring.RingProtocolFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that the loops of a group and their channels have in common.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> {@link IllegalArgumentException} for a value
 * out of range.
 *
 * @param transports names of UCX's transports, such as {@code shm} or {@code tcp}; empty for those that fit
 * @param networkDevices the network devices that UCX uses, such as {@code eth0}; empty for those of the addresses that
 *     channels are bound and connected to
 * @param spin how long a loop that has nothing to do looks at UCX again and again before it sleeps, 0 to 1 s; a loop
 *     for which that is in vain spins for less, but up to four times as long, and 1 ms, one time in 16; none spins in a
 *     process that has only one processor
 * @param windowBytes how many bytes of a channel may be under way or wait for its reader, 4 KiB to 1 GiB; {@code
 *     SO_RCVBUF} sets it for a channel
 * @param handshakeTimeout how long a channel may take from the connected socket to its first byte, 1 ms to 1 h
 * @param closeTimeout how long bytes that were written before a close may take, 0 to 1 h
 * @param heartbeatInterval see {@code UcxServer.heartbeatInterval} of the adapter
 * @param linkIdleTimeout how long a link stays without a channel, 0 to 1 h
 * @param maxLinks links that a loop accepts at a time, at least 1
 * @param maxChannels channels of a loop, at least 1
 * @param clientShare which fraction of these two limits, and of what links take, one client can have: more than 0, at
 *     most 1. What a client of links is says {@code UcxServer.maxConnectionsPerClient} of the adapter; a client of
 *     channels is an address, so that all programs of this host are one
 * @param maxBufferBytes see {@code UcxResourcesBuilder.maxBufferBytes} of the adapter, for each loop
 * @param sharedBuffers see {@code UcxResourcesBuilder.sharedBuffers} of the adapter
 * @param ringBytes see {@code UcxResourcesBuilder.ringBytes} of the adapter; null for its default
 * @param authenticator by which loops authenticate each other before a byte is delivered; null for none
 * @param tls with which the control sockets of links are secured, so that loops know each other by certificates; null
 *     for none. The bytes of channels are encrypted by an {@code SslHandler} alone
 * @param plainTcp which channels go over plain TCP
 * @param requiredTransports see {@code UcxClient.require} of the adapter, for the links of channels
 */
public record UcxNettyConfig(List<String> transports, List<String> networkDevices, Duration spin, int windowBytes,
        Duration handshakeTimeout, Duration closeTimeout, Duration heartbeatInterval, Duration linkIdleTimeout,
        int maxLinks, int maxChannels, double clientShare, long maxBufferBytes, boolean sharedBuffers,
        @Nullable Integer ringBytes, @Nullable Authenticator authenticator, @Nullable TlsConfig tls,
        UcxPlainTcpConfig plainTcp, List<UcxTransportKind> requiredTransports) {

    /** The smallest window. */
    static final int MIN_WINDOW_BYTES = 4 << 10;
    /** The largest window. */
    static final int MAX_WINDOW_BYTES = 1 << 30;

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration LONGEST_SPIN = Duration.ofSeconds(1);

    /** The defaults. */
    public static final UcxNettyConfig DEFAULT = new UcxNettyConfig(List.of(), List.of(), Duration.ofNanos(50_000),
            512 << 10, Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofMinutes(1),
            1024, 65_536, FairLimit.HALF, 64L << 20, true, null, null, null, UcxPlainTcpConfig.DEFAULT,
            List.of());

    /** Checks the parts. */
    public UcxNettyConfig {
        transports = copy(transports, "transports");
        networkDevices = copy(networkDevices, "networkDevices");
        UcxPlainTcpConfig.inRange(spin, Duration.ZERO, LONGEST_SPIN, "spin");
        UcxPlainTcpConfig.inRange(handshakeTimeout, Duration.ofMillis(1), LONGEST, "handshakeTimeout");
        UcxPlainTcpConfig.inRange(closeTimeout, Duration.ZERO, LONGEST, "closeTimeout");
        UcxPlainTcpConfig.inRange(linkIdleTimeout, Duration.ZERO, LONGEST, "linkIdleTimeout");
        Objects.requireNonNull(plainTcp, "plainTcp");
        ProtocolConfig.DEFAULT.withHeartbeatInterval(Objects.requireNonNull(heartbeatInterval, "heartbeatInterval"));
        if (authenticator != null) {
            AuthenticationConfig.of(authenticator);
            if (plainTcp.accepted()) {
                throw new IllegalArgumentException("plainTcp.accepted true: must be false with an authenticator, which"
                        + " does not see plain peers");
            }
        }
        if (tls != null && plainTcp.accepted()) {
            throw new IllegalArgumentException("plainTcp.accepted true: must be false with tls, which plain peers do"
                    + " not have");
        }
        for (UcxTransportKind each : Objects.requireNonNull(requiredTransports, "requiredTransports")) {
            Objects.requireNonNull(each, "requiredTransports: each");
        }
        requiredTransports = List.copyOf(requiredTransports);
        if (!requiredTransports.isEmpty() && plainTcp.accepted()) {
            throw new IllegalArgumentException("plainTcp.accepted true: must be false where transports are required,"
                    + " which plain peers do not have");
        }
        BufferPool.checkMaxBytes(maxBufferBytes);
        RingProtocolFactory.checkRingBytes(ringBytes);
        checkWindow(windowBytes);
        atLeastOne(maxLinks, "maxLinks");
        atLeastOne(maxChannels, "maxChannels");
        ResourceLimits.checkShare(clientShare);
    }

    /** Returns whether the channels of a server with an option take plain peers; checks that they may. */
    boolean acceptsPlain(@Nullable Boolean option) {
        boolean accepts = option == null ? plainTcp.accepted() : option;
        if (accepts && authenticator != null) {
            throw new IllegalArgumentException("PLAIN_TCP true: must be false where the loops have an authenticator,"
                    + " which does not see plain peers");
        }
        if (accepts && tls != null) {
            throw new IllegalArgumentException("PLAIN_TCP true: must be false where the loops have tls, which plain"
                    + " peers do not have");
        }
        if (accepts && !requiredTransports.isEmpty()) {
            throw new IllegalArgumentException("PLAIN_TCP true: must be false where transports are required, which"
                    + " plain peers do not have");
        }
        return accepts;
    }

    static int checkWindow(int bytes) {
        if (bytes < MIN_WINDOW_BYTES || bytes > MAX_WINDOW_BYTES) {
            throw new IllegalArgumentException("windowBytes " + bytes + ": must be in " + MIN_WINDOW_BYTES + ".."
                    + MAX_WINDOW_BYTES);
        }
        return bytes;
    }

    private static List<String> list(String[] names, String what) {
        return copy(Arrays.asList(Objects.requireNonNull(names, what)), what);
    }

    private static List<String> copy(List<String> names, String what) {
        for (String each : Objects.requireNonNull(names, what)) {
            if (Objects.requireNonNull(each, what).isBlank()) {
                throw new IllegalArgumentException(what + ": '" + each + "' is no name");
            }
        }
        return List.copyOf(names);
    }

    private static void atLeastOne(int value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + ": must be at least 1");
        }
    }

    /**
     * The same with other transports.
     *
     * @param names see {@link #transports}
     * @return a configuration
     */
    public UcxNettyConfig withTransports(String... names) {
        return new UcxNettyConfig(list(names, "transports"), networkDevices, spin, windowBytes,
                handshakeTimeout, closeTimeout, heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare,
                maxBufferBytes, sharedBuffers, ringBytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with other network devices.
     *
     * @param names see {@link #networkDevices}
     * @return a configuration
     */
    public UcxNettyConfig withNetworkDevices(String... names) {
        return new UcxNettyConfig(transports, list(names, "networkDevices"), spin, windowBytes,
                handshakeTimeout, closeTimeout, heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare,
                maxBufferBytes, sharedBuffers, ringBytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with another time that idle loops spin.
     *
     * @param value see {@link #spin}
     * @return a configuration
     */
    public UcxNettyConfig withSpin(Duration value) {
        return new UcxNettyConfig(transports, networkDevices, value, windowBytes, handshakeTimeout,
                closeTimeout, heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes,
                sharedBuffers, ringBytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with another window.
     *
     * @param bytes see {@link #windowBytes}
     * @return a configuration
     */
    public UcxNettyConfig withWindowBytes(int bytes) {
        return new UcxNettyConfig(transports, networkDevices, spin, bytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers,
                ringBytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with other limits of time.
     *
     * @param handshake see {@link #handshakeTimeout}
     * @param close see {@link #closeTimeout}
     * @param heartbeat see {@link #heartbeatInterval}
     * @param linkIdle see {@link #linkIdleTimeout}
     * @return a configuration
     */
    public UcxNettyConfig withTimeouts(Duration handshake, Duration close, Duration heartbeat, Duration linkIdle) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshake, close, heartbeat,
                linkIdle, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers, ringBytes, authenticator,
                tls, plainTcp, requiredTransports);
    }

    /**
     * The same with other limits of links and channels.
     *
     * @param links see {@link #maxLinks}
     * @param channels see {@link #maxChannels}
     * @return a configuration
     */
    public UcxNettyConfig withLimits(int links, int channels) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, links, channels, clientShare, maxBufferBytes, sharedBuffers,
                ringBytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with another share of its limits for each client.
     *
     * @param fraction see {@link #clientShare}
     * @return a configuration
     */
    public UcxNettyConfig withClientShare(double fraction) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, fraction, maxBufferBytes, sharedBuffers,
                ringBytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with other buffers for large data.
     *
     * @param bytes see {@link #maxBufferBytes}
     * @param shared see {@link #sharedBuffers}
     * @return a configuration
     */
    public UcxNettyConfig withBuffers(long bytes, boolean shared) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, bytes, shared, ringBytes,
                authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with rings of another size between loops of one host.
     *
     * @param bytes see {@link #ringBytes}
     * @return a configuration
     */
    public UcxNettyConfig withRingBytes(@Nullable Integer bytes) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers,
                bytes, authenticator, tls, plainTcp, requiredTransports);
    }

    /**
     * The same with an authenticator.
     *
     * @param value see {@link #authenticator}
     * @return a configuration
     */
    public UcxNettyConfig withAuthenticator(Authenticator value) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers,
                ringBytes, Objects.requireNonNull(value, "value"), tls, plainTcp, requiredTransports);
    }

    /**
     * The same with TLS.
     *
     * @param value see {@link #tls}
     * @return a configuration
     */
    public UcxNettyConfig withTls(TlsConfig value) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers,
                ringBytes, authenticator, Objects.requireNonNull(value, "value"), plainTcp, requiredTransports);
    }

    /**
     * The same with another rule for plain TCP.
     *
     * @param value see {@link #plainTcp}
     * @return a configuration
     */
    public UcxNettyConfig withPlainTcp(UcxPlainTcpConfig value) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers,
                ringBytes, authenticator, tls, value, requiredTransports);
    }

    /**
     * The same with other required transports.
     *
     * @param kinds see {@link #requiredTransports}; none for any
     * @return a configuration
     */
    public UcxNettyConfig withRequiredTransports(UcxTransportKind... kinds) {
        return new UcxNettyConfig(transports, networkDevices, spin, windowBytes, handshakeTimeout, closeTimeout,
                heartbeatInterval, linkIdleTimeout, maxLinks, maxChannels, clientShare, maxBufferBytes, sharedBuffers,
                ringBytes, authenticator, tls, plainTcp, Arrays.asList(Objects.requireNonNull(kinds, "kinds")));
    }
}
