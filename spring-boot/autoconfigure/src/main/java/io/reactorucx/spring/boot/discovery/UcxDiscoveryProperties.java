package io.reactorucx.spring.boot.discovery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How instances of a registry are called over UCX.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> {@link IllegalArgumentException} for a value
 * out of range.
 *
 * @param enabled Whether there are beans for the discovery of Spring Cloud.
 * @param refreshInterval How often the registry is asked for the instances of a service, 100 ms to 1 h.
 * @param maxInstances Instances of a service that are used, 1 to 10000. Further ones are left out.
 * @param connectTimeout How long a connection over UCX may take before TCP is tried, 1 ms to 1 h.
 * @param retryAfter How long an instance that UCX has not reached is called over TCP, up to 1 h.
 */
@ConfigurationProperties("reactor.ucx.discovery")
public record UcxDiscoveryProperties(@DefaultValue("true") boolean enabled,
        @DefaultValue("1s") Duration refreshInterval, @DefaultValue("256") int maxInstances,
        @DefaultValue("2s") Duration connectTimeout, @DefaultValue("30s") Duration retryAfter) {

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST_INSTANCES = 10_000;

    /** Checks the parts. */
    public UcxDiscoveryProperties {
        inRange(refreshInterval, Duration.ofMillis(100), "refresh-interval");
        inRange(connectTimeout, Duration.ofMillis(1), "connect-timeout");
        inRange(retryAfter, Duration.ZERO, "retry-after");
        if (maxInstances < 1 || maxInstances > MOST_INSTANCES) {
            throw new IllegalArgumentException("reactor.ucx.discovery.max-instances " + maxInstances
                    + ": must be in 1.." + MOST_INSTANCES);
        }
    }

    private static void inRange(Duration value, Duration least, String name) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("reactor.ucx.discovery." + name + " " + value + ": must be in " + least
                    + ".." + LONGEST);
        }
    }
}
