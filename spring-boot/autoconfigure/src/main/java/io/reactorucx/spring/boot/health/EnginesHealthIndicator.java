package io.reactorucx.spring.boot.health;

import io.reactorucx.UcxResources;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.spring.boot.UcxProbe;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;

/** Engines are up while each runs: one that is closed, has failed, or has stalled is down. */
final class EnginesHealthIndicator extends AbstractReactiveHealthIndicator {

    private final StartedResources resources;
    private final UcxProbe probe;

    EnginesHealthIndicator(StartedResources resources, UcxProbe probe) {
        super("The engines could not be asked");
        this.resources = resources;
        this.probe = probe;
    }

    @Override
    protected Mono<Health> doHealthCheck(Health.Builder builder) {
        Map<String, UcxResources> started = resources.all();
        if (started.isEmpty()) {
            Throwable cause = probe.knownCause();
            return Mono.just((cause == null ? builder.unknown().withDetail("state", "not started")
                    : builder.unknown().withDetail("state", "UCX cannot be used")
                            .withDetail("reason", String.valueOf(cause.getMessage()))).build());
        }
        builder.up();
        started.forEach((name, each) -> {
            Map<String, Object> engines = new LinkedHashMap<>();
            for (EngineHealth engine : each.health()) {
                if (engine.state() != EngineHealth.State.RUNNING) {
                    builder.down();
                }
                engines.put(engine.engine(), details(engine));
            }
            builder.withDetail(name, engines);
        });
        return Mono.just(builder.build());
    }

    private static Map<String, Object> details(EngineHealth engine) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", engine.state().name().toLowerCase(Locale.ROOT));
        details.put("stalls", engine.stalls());
        details.put("longestStallMillis", engine.longestStall().toMillis());
        EngineHealth.UnderWay oldest = engine.oldest();
        if (engine.state() == EngineHealth.State.STALLED && oldest != null) {
            details.put("blockedBy", oldest.operation());
            details.put("blockedMillis", oldest.age().toMillis());
        }
        if (engine.failure() != null) {
            details.put("failure", String.valueOf(engine.failure()));
        }
        return details;
    }
}
