package io.reactorucx.examples.store;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.client.NodeDirectory;
import io.reactorucx.examples.store.client.StoreClient;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxPlainTcpConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.discovery.UcxHttpPeers;
import io.reactorucx.spring.boot.discovery.UcxRSocketTargets;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.messaging.rsocket.RSocketStrategies;

/**
 * The configuration that nodes and their clients have in common: UCX, the nodes in the registry, and HTTP over UCX.
 *
 * <p><b>Threading:</b> Spring's. <b>Ownership:</b> the context's. <b>Errors:</b> the context does not start without
 * UCX.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(StoreProperties.class)
public class ClientConfiguration {

    /** A server that only pretends to know UCX is found out sooner than by default. */
    private static final UcxNettyConfig NETTY = UcxNettyConfig.DEFAULT.withTimeouts(Duration.ofSeconds(3),
            UcxNettyConfig.DEFAULT.closeTimeout(), UcxNettyConfig.DEFAULT.heartbeatInterval(),
            UcxNettyConfig.DEFAULT.linkIdleTimeout());
    private static final int WINDOWS = 1 << 16;
    /** Blocks of other sizes stay mapped for a while. */
    private static final int POOL_FACTOR = 2;
    private static final long POOL_RESERVE = 64L << 20;

    /** For Spring. */
    protected ClientConfiguration() {
    }

    @Bean(destroyMethod = "disposeNow")
    UcxResources ucxResources(StoreProperties store) {
        return UcxResources.builder().engines(1)
                .maxBufferBytes(store.maxBytes().toBytes() * POOL_FACTOR + POOL_RESERVE)
                .servedMemory(ServedMemoryConfig.DEFAULT.withMaxWindows(WINDOWS)).build();
    }

    @Bean
    UcxClient ucxClient(UcxResources resources) {
        return UcxClient.create(resources);
    }

    // snippet: http
    @Bean
    ReactorResourceFactory reactorResourceFactory(UcxHttpPeers peers) {
        UcxPlainTcpConfig plain = UcxPlainTcpConfig.DEFAULT.withAccepted(true).withRemotes(peers);
        ReactorResourceFactory factory = new ReactorResourceFactory();
        factory.setUseGlobalResources(false);
        factory.setLoopResourcesSupplier(() -> UcxLoopResources.create("ucx", 1, NETTY.withPlainTcp(plain)));
        return factory;
    }
    // end

    @Bean(destroyMethod = "close")
    NodeDirectory nodeDirectory(UcxRSocketTargets targets, @Value("${spring.application.name}") String service,
            RSocketStrategies strategies, UcxResources resources) {
        return new NodeDirectory(targets, service, strategies, resources);
    }

    @Bean
    StoreClient storeClient(NodeDirectory directory, StoreProperties store) {
        return new StoreClient(directory, store.nodes(), store.deadline());
    }
}
