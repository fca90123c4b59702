package io.reactorucx.spring.boot.discovery;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.client.ServiceInstance;

/**
 * Tells loops of UCX which HTTP servers are to be called by plain TCP: all but those of instances whose metadata say
 * that their port takes UCX, and those not for some time after UCX has failed. It is made for
 * {@code UcxPlainTcpConfig.withRemotes}. Spring Cloud's load balancer tells it each instance that it has chosen, before
 * the request connects.
 *
 * <p><b>Threading:</b> any thread, no waits but for a short lock. <b>Ownership:</b> none; the addresses used last are
 * remembered, 1024 by default. <b>Errors:</b> none; an instance with wrong metadata is called by plain TCP.
 */
public final class UcxHttpPeers implements Predicate<InetSocketAddress> {

    private static final Logger LOG = LoggerFactory.getLogger(UcxHttpPeers.class);
    private static final int MAX_ADDRESSES = 1024;

    private final long retryNanos;
    private final LongSupplier nanoTime;
    private final Map<Address, State> known;

    private enum Ability { UCX, FAILED }

    private record Address(String host, int port) {
    }

    private record State(Ability ability, long sinceNanos) {
    }

    /**
     * Peers of which none is known.
     *
     * @param retryAfter how long an instance is called by plain TCP after UCX has failed
     */
    public UcxHttpPeers(Duration retryAfter) {
        this(retryAfter, MAX_ADDRESSES, System::nanoTime);
    }

    UcxHttpPeers(Duration retryAfter, int maxAddresses, LongSupplier nanoTime) {
        this.retryNanos = retryAfter.toNanos();
        this.nanoTime = nanoTime;
        this.known = new LinkedHashMap<>(16, 0.75f, true) {

            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Address, State> eldest) {
                return size() > maxAddresses;
            }
        };
    }

    /** {@return whether the address has to be called by plain TCP} */
    @Override
    public synchronized boolean test(InetSocketAddress address) {
        State state = known.get(new Address(address.getHostString(), address.getPort()));
        if (state == null && address.getAddress() != null) {
            state = known.get(new Address(address.getAddress().getHostAddress(), address.getPort()));
        }
        return state == null || state.ability() == Ability.FAILED;
    }

    /** An instance is about to be called. */
    synchronized void chosen(ServiceInstance instance) {
        Address address = new Address(instance.getHost(), instance.getPort());
        if (!takesUcx(instance)) {
            known.remove(address);
            return;
        }
        State before = known.get(address);
        long now = nanoTime.getAsLong();
        if (before == null || before.ability() == Ability.FAILED && now - before.sinceNanos() >= retryNanos) {
            known.put(address, new State(Ability.UCX, now));
        }
    }

    private static boolean takesUcx(ServiceInstance instance) {
        try {
            return UcxInstance.of(instance).http();
        } catch (IllegalArgumentException e) {
            LOG.warn("instance {} is called by plain TCP: {}", LogText.of(instance.getInstanceId()),
                    LogText.of(e.getMessage()));
            return false;
        }
    }

    /** An instance did not answer over UCX as it should. */
    synchronized void failed(ServiceInstance instance, Throwable failure) {
        Address address = new Address(instance.getHost(), instance.getPort());
        State before = known.get(address);
        if (before != null && before.ability() == Ability.UCX) {
            known.put(address, new State(Ability.FAILED, nanoTime.getAsLong()));
            LOG.warn("{}:{} is called by plain TCP for {} s, because UCX failed: {}", LogText.of(address.host()),
                    address.port(), Duration.ofNanos(retryNanos).toSeconds(), LogText.of(failure.toString()));
        }
    }
}
