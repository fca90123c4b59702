package io.reactorucx.netty;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Which channels go over plain TCP, because their peer knows nothing of UCX. {@link UcxChannelOption#PLAIN_TCP}
 * decides it for one channel or server.
 *
 * <p><b>Threading:</b> immutable; clients' loops call {@code remotes}, which must not block. <b>Ownership:</b> none.
 * <b>Errors:</b> {@link IllegalArgumentException} for a value out of range; what {@code remotes} throws fails the
 * connect.
 *
 * @param accepted whether servers serve peers that are no clients of UCX, over their TCP sockets; not possible with an
 *     authenticator
 * @param decisionTime how long a server waits for the first four bytes of a peer before the peer counts as plain,
 *     1 ms to 1 min; what the server writes to a peer that has sent nothing waits that long
 * @param remotes to which servers clients connect by plain TCP
 */
public record UcxPlainTcpConfig(boolean accepted, Duration decisionTime, Predicate<InetSocketAddress> remotes) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** No plain TCP. */
    public static final UcxPlainTcpConfig DEFAULT = new UcxPlainTcpConfig(false, Duration.ofMillis(300),
            remote -> false);

    /** Checks the parts. */
    public UcxPlainTcpConfig {
        inRange(decisionTime, SHORTEST, LONGEST, "decisionTime");
        Objects.requireNonNull(remotes, "remotes");
    }

    /**
     * Checks the range of a duration; here, because the defaults of the other configuration need this class, and not
     * the other way round.
     */
    static void inRange(Duration value, Duration min, Duration max, String name) {
        Objects.requireNonNull(value, name);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " " + value + ": must be in " + min + ".." + max);
        }
    }

    /**
     * The same with another rule for the peers of servers.
     *
     * @param value see {@link #accepted}
     * @return a configuration
     */
    public UcxPlainTcpConfig withAccepted(boolean value) {
        return new UcxPlainTcpConfig(value, decisionTime, remotes);
    }

    /**
     * The same with another time for peers that are silent.
     *
     * @param value see {@link #decisionTime}
     * @return a configuration
     */
    public UcxPlainTcpConfig withDecisionTime(Duration value) {
        return new UcxPlainTcpConfig(accepted, value, remotes);
    }

    /**
     * The same with other servers to which clients connect by plain TCP.
     *
     * @param value see {@link #remotes}
     * @return a configuration
     */
    public UcxPlainTcpConfig withRemotes(Predicate<InetSocketAddress> value) {
        return new UcxPlainTcpConfig(accepted, decisionTime, value);
    }
}
