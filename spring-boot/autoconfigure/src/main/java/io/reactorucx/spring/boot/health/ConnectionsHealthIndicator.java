package io.reactorucx.spring.boot.health;

import io.reactorucx.UcxResources;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;

/** Connections are up while new ones are possible: resources with too many parked endpoints refuse them. */
final class ConnectionsHealthIndicator extends AbstractReactiveHealthIndicator {

    private final StartedResources resources;

    ConnectionsHealthIndicator(StartedResources resources) {
        super("The connections could not be counted");
        this.resources = resources;
    }

    @Override
    protected Mono<Health> doHealthCheck(Health.Builder builder) {
        Map<String, UcxResources> started = resources.all();
        if (started.isEmpty()) {
            return Mono.just(builder.unknown().withDetail("state", "not started").build());
        }
        builder.up();
        started.forEach((name, each) -> {
            if (each.isDisposed() || each.parkedEndpoints() >= each.maxParkedEndpoints()) {
                builder.down();
            }
            builder.withDetail(name, each.isDisposed() ? "disposed" : counts(each));
        });
        return Mono.just(builder.build());
    }

    private static Map<String, Object> counts(UcxResources resources) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("open", resources.openConnections());
        counts.put("pendingHandshakes", resources.pendingHandshakes());
        counts.put("parkedEndpoints", resources.parkedEndpoints());
        counts.put("maxParkedEndpoints", resources.maxParkedEndpoints());
        counts.put("listening", resources.listeningAddresses().stream().map(ConnectionsHealthIndicator::text).toList());
        return counts;
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}
