package io.reactorucx.spring.boot.health;

import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.UcxProbe;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;

/**
 * Loops are up until they end, unless one refuses clients because it cannot use UCX; their state is unknown where the
 * kernel's TCP takes the place of UCX.
 */
final class LoopsHealthIndicator extends AbstractReactiveHealthIndicator {

    private final ObjectProvider<UcxLoopResources> loops;
    private final UcxProbe probe;

    LoopsHealthIndicator(ObjectProvider<UcxLoopResources> loops, UcxProbe probe) {
        super("The loops could not be asked");
        this.loops = loops;
        this.probe = probe;
    }

    @Override
    protected Mono<Health> doHealthCheck(Health.Builder builder) {
        UcxLoopResources found = loops.getIfAvailable();
        if (found == null) {
            builder.unknown().withDetail("state", "the kernel's TCP takes the place of UCX");
            Throwable cause = probe.knownCause();
            return Mono.just((cause == null ? builder
                    : builder.withDetail("reason", String.valueOf(cause.getMessage()))).build());
        }
        List<UcxLoopStatistics> statistics = found.factory().statistics();
        List<String> refusing = statistics.stream().filter(UcxLoopStatistics::refusesClients)
                .map(UcxLoopStatistics::loop).toList();
        if (!refusing.isEmpty()) {
            builder.withDetail("reason", "clients are refused, because UCX cannot be used: see the log")
                    .withDetail("refusingLoops", refusing);
        }
        return Mono.just((found.isDisposed() || !refusing.isEmpty() ? builder.down() : builder.up())
                .withDetail("loops", statistics.size())
                .withDetail("channels", statistics.stream().mapToInt(UcxLoopStatistics::channels).sum())
                .withDetail("plainChannels", statistics.stream().mapToInt(UcxLoopStatistics::plainChannels).sum())
                .withDetail("links", statistics.stream().mapToInt(UcxLoopStatistics::links).sum())
                .withDetail("sentBytes", statistics.stream().mapToLong(UcxLoopStatistics::sentBytes).sum())
                .withDetail("receivedBytes", statistics.stream().mapToLong(UcxLoopStatistics::receivedBytes).sum())
                .withDetail("refusedChannels", statistics.stream().mapToLong(UcxLoopStatistics::refusedChannels).sum())
                .withDetail("violations", statistics.stream().mapToLong(UcxLoopStatistics::violations).sum())
                .build());
    }
}
