package io.reactorucx.spring.boot.health;

import io.reactorucx.UcxResources;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.ProgressEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Engines are up when each runs a command in time. */
final class EnginesHealthIndicator extends AbstractReactiveHealthIndicator {

    private static final String RUNNING = "running";

    private final StartedResources resources;
    private final Duration timeout;

    EnginesHealthIndicator(StartedResources resources, Duration timeout) {
        super("The engines could not be asked");
        this.resources = resources;
        this.timeout = timeout;
    }

    @Override
    protected Mono<Health> doHealthCheck(Health.Builder builder) {
        Map<String, UcxResources> started = resources.all();
        // To look at engines that nothing uses would keep UCX from the network devices of the first server or client.
        List<ProgressEngine> engines = started.values().stream().filter(StartedResources::inUse)
                .flatMap(each -> each.engines().stream()).toList();
        if (engines.isEmpty()) {
            return Mono.just(builder.unknown().withDetail("state", started.isEmpty() ? "not started" : "not in use")
                    .build());
        }
        return Flux.fromIterable(engines).flatMapSequential(this::answer, engines.size()).collectList()
                .map(answers -> health(builder, answers));
    }

    private static Health health(Health.Builder builder, List<Answer> answers) {
        builder.status(answers.stream().allMatch(Answer::running) ? Status.UP : Status.DOWN);
        answers.forEach(each -> builder.withDetail(each.engine(), each.state()));
        return builder.build();
    }

    private Mono<Answer> answer(ProgressEngine engine) {
        return Mono.<String>create(sink -> engine.execute(new Question(sink)))
                .timeout(timeout, Mono.fromSupplier(() -> "no answer within " + timeout))
                .onErrorResume(error -> Mono.just(String.valueOf(
                        engine.failure() == null ? error.getMessage() : engine.failure())))
                .map(state -> new Answer(engine.name(), state));
    }

    /**
     * What an engine has said.
     *
     * @param engine its name
     * @param state what it does
     */
    private record Answer(String engine, String state) {

        boolean running() {
            return state.equals(RUNNING);
        }
    }

    /**
     * Runs on an engine.
     *
     * @param sink gets the answer
     */
    private record Question(MonoSink<String> sink) implements Command {

        @Override
        public void run(UcpWorker worker) {
            sink.success(RUNNING);
        }

        @Override
        public void reject(RuntimeException cause) {
            sink.error(cause);
        }
    }
}
