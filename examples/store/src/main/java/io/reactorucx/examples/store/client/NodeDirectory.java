package io.reactorucx.examples.store.client;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.replica.Peers;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.spring.boot.discovery.UcxRSocketTargets;
import io.rsocket.transport.ClientTransport;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.messaging.rsocket.RSocketStrategies;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The nodes of the store by their numbers, as the registry knows them.
 *
 * <p><b>Threading:</b> any thread; nothing blocks. <b>Ownership:</b> {@link #close()} ends the links. <b>Errors:</b> a
 * node that is not in the registry is a {@link StoreUnavailableException}.
 */
public final class NodeDirectory implements Peers, AutoCloseable {

    /** Key of the metadata for the number of the node. */
    public static final String NODE = "store.node";
    /** Key of the metadata for when the node was started, in ms since 1970. */
    public static final String STARTED = "store.started";

    private final UcxRSocketTargets targets;
    private final RSocketStrategies strategies;
    private final @Nullable UcxResources resources;
    private final Disposable registry;

    private volatile Map<Integer, Link> links = Map.of();

    private record Link(String instance, NodeLink link) {
    }

    /**
     * Follows the registry until it is closed.
     *
     * @param targets of the registry
     * @param service name of the store in it
     * @param strategies codecs
     * @param resources for connections to the nodes' memory; null where there is no UCX
     */
    public NodeDirectory(UcxRSocketTargets targets, String service, RSocketStrategies strategies,
            @Nullable UcxResources resources) {
        this.targets = targets;
        this.strategies = strategies;
        this.resources = resources;
        this.registry = targets.instances(service).subscribe(this::update);
    }

    /** Two instances with one number are the new process of a node and the old one, which has not expired. */
    private synchronized void update(List<ServiceInstance> instances) {
        Map<Integer, ServiceInstance> newest = new TreeMap<>();
        instances.stream().filter(instance -> number(instance, NODE) >= 0)
                .sorted(Comparator.comparingLong(instance -> number(instance, STARTED)))
                .forEach(instance -> newest.put((int) number(instance, NODE), instance));
        Map<Integer, Link> before = links;
        Map<Integer, Link> after = new HashMap<>();
        newest.forEach((node, instance) -> {
            Link known = before.get(node);
            if (known != null && known.instance().equals(instance.getInstanceId())) {
                after.put(node, known);
            } else {
                connect(instance).ifPresent(link -> after.put(node, link));
            }
        });
        links = Map.copyOf(after);
        before.forEach((node, link) -> {
            if (!link.equals(after.get(node))) {
                link.link().close();
            }
        });
    }

    private static long number(ServiceInstance instance, String key) {
        try {
            Map<String, String> metadata = Objects.requireNonNullElse(instance.getMetadata(), Map.of());
            return Long.parseLong(metadata.getOrDefault(key, "-1"));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private Optional<Link> connect(ServiceInstance instance) {
        Optional<ClientTransport> transport = targets.transport(instance);
        return transport.map(each -> new Link(Objects.requireNonNull(instance.getInstanceId()), new NodeLink(
                instance.getHost(), each, strategies, resources)));
    }

    @Nullable NodeLink link(int node) {
        Link known = links.get(node);
        return known == null ? null : known.link();
    }

    /** {@return numbers of the nodes that the registry knows} */
    public Set<Integer> nodes() {
        return links.keySet();
    }

    @Override
    public Mono<Boolean> replicate(int node, Batch batch) {
        NodeLink link = link(node);
        return link == null ? Mono.error(unknown(node)) : link.replicate(batch);
    }

    @Override
    public Flux<JoinPart> join(int node, JoinRequest request) {
        NodeLink link = link(node);
        return link == null ? Flux.error(unknown(node)) : link.join(request);
    }

    private static StoreUnavailableException unknown(int node) {
        return new StoreUnavailableException("node " + node + " is not in the registry");
    }

    @Override
    public synchronized void close() {
        registry.dispose();
        links.values().forEach(link -> link.link().close());
        links = Map.of();
    }
}
