package io.reactorucx.examples.store.load;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.ClientConfiguration;
import io.reactorucx.examples.store.client.NodeDirectory;
import io.reactorucx.examples.store.client.StoreClient;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.client.loadbalancer.reactive.ReactorLoadBalancerExchangeFilterFunction;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.scheduler.Schedulers;

/** A client of the store: an application of Spring Boot without a server. */
final class LoadContext implements AutoCloseable {

    /** The deadline of each request. */
    static final Duration DEADLINE = Duration.ofSeconds(2);

    private final ConfigurableApplicationContext context;

    LoadContext(int nodes, int registryPort) {
        context = new SpringApplicationBuilder(Client.class).web(WebApplicationType.NONE).run(
                "--store.nodes=" + nodes, "--store.registry=127.0.0.1:" + registryPort,
                "--store.deadline=" + DEADLINE.toMillis() + "ms",
                "--spring.cloud.zookeeper.discovery.register=false",
                // A killed node ends requests, which are counted: no stack trace for each.
                "--logging.level.reactor.netty.http.client=error");
    }

    /** The configuration of the client: no {@code @Configuration}, so that the nodes' scan does not find it. */
    @EnableAutoConfiguration
    @Import({ClientConfiguration.class, Http.class})
    static class Client {
    }

    /** The client whose hosts are names of services. */
    static final class Http {

        private final WebClient client;

        // snippet: balanced-http
        Http(WebClient.Builder builder, ReactorLoadBalancerExchangeFilterFunction balancer) {
            // The balancer may wait for the registry, which a loop must not.
            client = builder.filter((request, next) -> next.exchange(request).subscribeOn(Schedulers.boundedElastic()))
                    .filter(balancer).baseUrl("http://store").build();
        }
        // end
    }

    StoreClient store() {
        return bean(StoreClient.class);
    }

    NodeDirectory directory() {
        return bean(NodeDirectory.class);
    }

    WebClient http() {
        return bean(Http.class).client;
    }

    UcxResources resources() {
        return bean(UcxResources.class);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Has something done when the context is closed, also by a signal to the process, before its beans end. */
    void beforeClose(Runnable action) {
        context.addApplicationListener((ContextClosedEvent event) -> action.run());
    }

    /** {@return bytes of HTTP that the loops have sent over UCX} */
    long httpBytes() {
        return bean(ReactorResourceFactory.class).getLoopResources() instanceof UcxLoopResources loops
                ? loops.factory().statistics().stream().mapToLong(UcxLoopStatistics::sentBytes).sum() : 0;
    }

    @Override
    public void close() {
        context.close();
    }
}
