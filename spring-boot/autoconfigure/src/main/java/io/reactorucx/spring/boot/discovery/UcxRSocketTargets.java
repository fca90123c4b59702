package io.reactorucx.spring.boot.discovery;

import io.reactorucx.spring.boot.rsocket.UcxClientTransports;
import io.rsocket.loadbalance.LoadbalanceTarget;
import io.rsocket.transport.ClientTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The instances of a service as targets of RSocket: over UCX where their metadata name a port for it, and over TCP
 * where they do not, where this process has no UCX, or where connecting over UCX fails.
 *
 * <p><b>Threading:</b> any thread. The registry is asked by one lookup at a time for each subscriber. <b>Ownership:</b>
 * a subscriber cancels to end the lookups; targets own nothing until they connect. <b>Errors:</b> a lookup that fails,
 * or takes longer than 5 s, is logged, and the instances that were known remain. An instance whose registration is
 * wrong is logged and left out, and takes no place of another.
 */
public final class UcxRSocketTargets {

    private static final Logger LOG = LoggerFactory.getLogger(UcxRSocketTargets.class);

    private static final Duration LOOKUP = Duration.ofSeconds(5);

    private final ReactiveDiscoveryClient registry;
    private final @Nullable UcxClientTransports ucx;
    private final BiFunction<String, Integer, ClientTransport> tcp;
    private final UcxDiscoveryProperties properties;

    /**
     * Targets of a registry.
     *
     * @param registry that knows the instances
     * @param ucx transports over UCX; null where this process cannot use it
     * @param tcp transports over TCP
     * @param properties the limits
     */
    public UcxRSocketTargets(ReactiveDiscoveryClient registry, @Nullable UcxClientTransports ucx,
            BiFunction<String, Integer, ClientTransport> tcp, UcxDiscoveryProperties properties) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.ucx = ucx;
        this.tcp = Objects.requireNonNull(tcp, "tcp");
        this.properties = Objects.requireNonNull(properties, "properties");
    }

    /**
     * Follows the instances of a service, for {@link io.rsocket.loadbalance.LoadbalanceRSocketClient} or
     * {@code RSocketRequester.Builder.transports}.
     *
     * @param serviceId the service
     * @return the targets, and again whenever they have changed; never ends
     */
    public Flux<List<LoadbalanceTarget>> targets(String serviceId) {
        return instances(serviceId).map(instances -> {
            List<LoadbalanceTarget> targets = new ArrayList<>(instances.size());
            for (ServiceInstance instance : instances) {
                transport(instance).ifPresent(transport ->
                        targets.add(LoadbalanceTarget.from(key(instance), transport)));
            }
            return targets;
        });
    }

    /**
     * Follows the instances of a service.
     *
     * @param serviceId the service
     * @return its instances, ordered by their ids, those with a wrong registration last, and again whenever they have
     *     changed; never ends
     */
    public Flux<List<ServiceInstance>> instances(String serviceId) {
        Objects.requireNonNull(serviceId, "serviceId");
        return Flux.interval(Duration.ZERO, properties.refreshInterval()).onBackpressureDrop()
                .concatMap(tick -> lookup(serviceId), 1)
                .distinctUntilChanged(instances -> instances.stream().map(UcxRSocketTargets::key).toList());
    }

    private Mono<List<ServiceInstance>> lookup(String serviceId) {
        return Flux.defer(() -> registry.getInstances(serviceId))
                .collect(TreeMap::new, this::add)
                .map(found -> List.copyOf(found.values()))
                .timeout(LOOKUP)
                .onErrorResume(error -> {
                    LOG.warn("the instances of {} stay as they were known: {}", serviceId,
                            LogText.of(error.toString()));
                    return Mono.empty();
                });
    }

    /** Keeps the first ones in their order. */
    private void add(TreeMap<String, ServiceInstance> found, ServiceInstance instance) {
        try {
            found.put((isWrong(instance) ? "1" : "0") + key(instance), instance);
        } catch (RuntimeException e) {
            LOG.debug("an instance cannot be read", e);
        }
        if (found.size() > properties.maxInstances()) {
            found.pollLastEntry();
        }
    }

    private static boolean isWrong(ServiceInstance instance) {
        try {
            return hostOf(instance, UcxInstance.of(instance)).isBlank();
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    private static String hostOf(ServiceInstance instance, UcxInstance metadata) {
        return Objects.requireNonNullElse(metadata.host(), Objects.requireNonNullElse(instance.getHost(), ""));
    }

    /** Says which instance it is and how it is reached: a change of either makes another target. */
    private static String key(ServiceInstance instance) {
        return instance.getInstanceId() + " " + instance.getHost() + ":" + instance.getPort() + " "
                + instance.getMetadata();
    }

    /**
     * How an instance is reached.
     *
     * @param instance from the registry
     * @return the transport; empty if the metadata name no port that this process can use, or the registration is wrong
     */
    public Optional<ClientTransport> transport(ServiceInstance instance) {
        try {
            return transport(instance, UcxInstance.of(instance));
        } catch (RuntimeException e) {
            LOG.warn("instance {} is left out: {}", LogText.of(instance.getInstanceId()), LogText.of(e.toString()));
            return Optional.empty();
        }
    }

    private Optional<ClientTransport> transport(ServiceInstance instance, UcxInstance metadata) {
        String host = hostOf(instance, metadata);
        if (host.isBlank() && (metadata.port() > 0 || metadata.tcpPort() > 0)) {
            throw new IllegalArgumentException("the registration has no host");
        }
        // The metadata's host is that of the network of UCX.
        String tcpHost = instance.getHost();
        ClientTransport overTcp = metadata.tcpPort() == 0 || tcpHost == null ? null
                : tcp.apply(tcpHost, metadata.tcpPort());
        if (ucx == null || metadata.port() == 0) {
            return Optional.ofNullable(overTcp);
        }
        ClientTransport overUcx = ucx.to(host, metadata.port());
        return Optional.of(overTcp == null ? overUcx : new FallbackTransport(LogText.of(instance.getInstanceId()),
                overUcx, overTcp, properties.connectTimeout(), properties.retryAfter(), System::nanoTime));
    }
}
