package io.reactorucx.internal.connect;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.config.ConnectionConfig;
import io.reactorucx.internal.socket.PeerName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Connects to a host and a port. A name is resolved, and its addresses are tried in turn until one connects; each gets
 * an equal part of the time that is left.
 */
public final class AddressConnector {

    private static final Logger LOG = LoggerFactory.getLogger(AddressConnector.class);

    private final Function<InetSocketAddress, Mono<EngineResources>> reaching;
    private final Function<EngineResources, ConnectingEngine> engine;
    private final ConnectionConfig config;
    private final InetSocketAddress remote;

    /** Gets the engines that reach an address, and chooses one of them, for each address that is tried. */
    public AddressConnector(Function<InetSocketAddress, Mono<EngineResources>> reaching,
            Function<EngineResources, ConnectingEngine> engine, ConnectionConfig config, InetSocketAddress remote) {
        this.reaching = reaching;
        this.engine = engine;
        this.config = config;
        this.remote = remote;
    }

    /** Returns a Mono that connects, for one subscription. */
    public Mono<Established> connect() {
        return Mono.defer(() -> {
            if (!remote.isUnresolved()) {
                return attempt(remote, config);
            }
            List<InetSocketAddress> addresses;
            try {
                addresses = Stream.of(InetAddress.getAllByName(remote.getHostString()))
                        .map(address -> new InetSocketAddress(address, remote.getPort())).toList();
            } catch (UnknownHostException e) {
                return Mono.error(new UcxException(UcxStatus.UNREACHABLE, "connect", PeerName.of(remote),
                        "the host name has no known address: check the name, and the resolver of this host", e));
            }
            return addresses.size() == 1 ? attempt(addresses.getFirst(), config)
                    : attempt(addresses, System.nanoTime() + config.handshakeTimeout().toNanos(), new ArrayList<>());
        });
    }

    private Mono<Established> attempt(InetSocketAddress address, ConnectionConfig limited) {
        return reaching.apply(address).flatMap(resources -> limited.raw()
                ? new EndpointConnector(resources, engine.apply(resources), limited, address, null).connect()
                : new SocketConnector(resources, engine.apply(resources), limited, address).connect());
    }

    /** Tries the first of the addresses that have not failed yet. */
    private Mono<Established> attempt(List<InetSocketAddress> addresses, long deadlineNanos,
            List<UcxException> failures) {
        int left = addresses.size() - failures.size();
        long millis = Math.max(1, (deadlineNanos - System.nanoTime()) / left / 1_000_000);
        return attempt(addresses.get(failures.size()), config.withHandshakeTimeout(Duration.ofMillis(millis)))
                .onErrorResume(UcxException.class, error -> {
                    failures.add(error);
                    if (!isUnreached(error)) {
                        return Mono.error(error);
                    }
                    LOG.debug("[{}] {}", PeerName.of(remote), error.getMessage());
                    return failures.size() < addresses.size() ? attempt(addresses, deadlineNanos, failures)
                            : Mono.error(unreached(failures));
                });
    }

    /** Returns whether the server may be reached by another address. */
    private boolean isUnreached(UcxException error) {
        // UCX's own connection manager reports a port on which nothing listens as a rejection.
        return error.isConnectionLost() || error.status() == UcxStatus.TIMED_OUT
                || config.raw() && error.status() == UcxStatus.REJECTED;
    }

    private UcxException unreached(List<UcxException> failures) {
        UcxException last = failures.getLast();
        UcxException all = new UcxException(last.status(), "connect", PeerName.of(remote),
                "none of the " + failures.size() + " addresses of the name could be connected: " + failures.stream()
                .map(UcxException::getMessage).collect(Collectors.joining("; ")), last);
        failures.subList(0, failures.size() - 1).forEach(all::addSuppressed);
        return all;
    }
}
