package io.reactorucx.examples.boot.load;

import io.reactorucx.examples.boot.Greeting;
import io.reactorucx.examples.boot.UcxConfiguration;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.ReactorClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Measures GETs of the application by the {@code WebClient} of a context of its own, over one transport. */
final class LoadClient implements AutoCloseable {

    private static final String NAME = "UCX";
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int MAX_IN_FLIGHT = 64;
    private static final int MAX_LATE = 100_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int FIRST_TRIES = 20;

    private final ConfigurableApplicationContext context;
    private final Mono<Greeting> get;

    LoadClient(boolean ucx, int port) {
        context = new SpringApplicationBuilder(Client.class).web(WebApplicationType.NONE)
                // An error is reported once, in a line, and not with the stacks of each connection.
                .run("--example.ucx=" + ucx, "--logging.level.reactor.netty=error");
        get = context.getBean(WebClient.Builder.class).baseUrl("http://127.0.0.1:" + port).build()
                .get().uri("/greetings/{name}", NAME).retrieve().bodyToMono(Greeting.class)
                .doOnNext(LoadClient::check);
        // A busy application may take longer for its first connection than a handshake may.
        get.retryWhen(Retry.fixedDelay(FIRST_TRIES, Duration.ofSeconds(1))
                .filter(WebClientRequestException.class::isInstance).onRetryExhaustedThrow((spec, last) ->
                        new LoadFailure("the application does not answer: " + last.failure().getMessage())))
                .block();
    }

    private static void check(Greeting greeting) {
        if (!greeting.equals(Greeting.of(NAME))) {
            throw new LoadFailure("the application answered " + greeting);
        }
    }

    /**
     * The client is an application of Spring Boot as well, without a server. It is no {@code @Configuration}, so that
     * the server's scan does not find it.
     */
    @EnableAutoConfiguration
    @Import(UcxConfiguration.class)
    static class Client {

        @Bean
        ChannelType channelType() {
            return new ChannelType(new AtomicReference<>("none"));
        }

        @Bean
        ClientHttpConnectorBuilderCustomizer<ReactorClientHttpConnectorBuilder> seeChannels(ChannelType type) {
            return builder -> builder.withHttpClientCustomizer(client -> client.doOnConnected(connection ->
                    type.name().set(connection.channel().getClass().getSimpleName())));
        }
    }

    /**
     * The type of the channels of the client's connections.
     *
     * @param name of the type of the channel that was connected last
     */
    record ChannelType(AtomicReference<String> name) {
    }

    /** {@return the type of the client's channels} */
    String channel() {
        return context.getBean(ChannelType.class).name().get();
    }

    /** {@return what the loops over UCX have counted; null without them} */
    @Nullable UcxBytes bytes() {
        if (!(context.getBean(ReactorResourceFactory.class).getLoopResources() instanceof UcxLoopResources loops)) {
            return null;
        }
        List<UcxLoopStatistics> each = loops.factory().statistics();
        return new UcxBytes(each.stream().mapToLong(UcxLoopStatistics::sentBytes).sum(),
                each.stream().mapToLong(UcxLoopStatistics::receivedBytes).sum());
    }

    /**
     * Bytes over UCX.
     *
     * @param sent by the client
     * @param received by the client
     */
    record UcxBytes(long sent, long received) {
    }

    /** Asks one request after the other for some time. Returns times in ns. */
    Histogram closedLoop(Duration time) {
        Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
        long start = System.nanoTime();
        Mono.defer(() -> {
            long begun = System.nanoTime();
            return get.map(ignored -> System.nanoTime() - begun);
        }).repeat(() -> System.nanoTime() - start < time.toNanos()).doOnNext(nanos::recordValue)
                .then().block(LIMIT.plus(time));
        return nanos;
    }

    /**
     * Asks at a fixed rate for some time. Returns times in ns, each from when the request was due, so that the time a
     * request has waited for others counts.
     */
    Histogram fixedRate(int perSecond, Duration time) {
        Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
        long period = TimeUnit.SECONDS.toNanos(1) / perSecond;
        long start = System.nanoTime() + period;
        Flux.interval(Duration.ofNanos(period), Duration.ofNanos(period)).take(Math.max(1, time.toNanos() / period))
                .onBackpressureBuffer(MAX_LATE)
                .flatMap(i -> get.map(ignored -> Math.max(0, System.nanoTime() - (start + i * period))), MAX_IN_FLIGHT)
                .doOnNext(nanos::recordValue).then().block(LIMIT.plus(time));
        return nanos;
    }

    @Override
    public void close() {
        ReactorResourceFactory resources = context.getBean(ReactorResourceFactory.class);
        resources.setShutdownQuietPeriod(Duration.ZERO);
        context.close();
    }
}
