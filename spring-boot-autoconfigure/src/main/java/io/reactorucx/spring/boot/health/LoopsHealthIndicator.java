package io.reactorucx.spring.boot.health;

import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;

/** Loops are up until they end; their state is unknown where the kernel's TCP takes the place of UCX. */
final class LoopsHealthIndicator extends AbstractReactiveHealthIndicator {

    private final ObjectProvider<UcxLoopResources> loops;

    LoopsHealthIndicator(ObjectProvider<UcxLoopResources> loops) {
        super("The loops could not be asked");
        this.loops = loops;
    }

    @Override
    protected Mono<Health> doHealthCheck(Health.Builder builder) {
        UcxLoopResources found = loops.getIfAvailable();
        if (found == null) {
            return Mono.just(builder.unknown().withDetail("state", "the kernel's TCP takes the place of UCX").build());
        }
        List<UcxLoopStatistics> statistics = found.factory().statistics();
        return Mono.just((found.isDisposed() ? builder.down() : builder.up())
                .withDetail("loops", statistics.size())
                .withDetail("channels", statistics.stream().mapToInt(UcxLoopStatistics::channels).sum())
                .withDetail("plainChannels", statistics.stream().mapToInt(UcxLoopStatistics::plainChannels).sum())
                .withDetail("links", statistics.stream().mapToInt(UcxLoopStatistics::links).sum())
                .withDetail("refusedChannels", statistics.stream().mapToLong(UcxLoopStatistics::refusedChannels).sum())
                .withDetail("violations", statistics.stream().mapToLong(UcxLoopStatistics::violations).sum())
                .build());
    }
}
