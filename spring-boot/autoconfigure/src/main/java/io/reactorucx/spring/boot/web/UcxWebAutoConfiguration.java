package io.reactorucx.spring.boot.web;

import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxServerChannel;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.security.Authenticator;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.Exposure;
import io.reactorucx.spring.boot.UcxAvailability;
import io.reactorucx.spring.boot.UcxNettyProperties;
import io.reactorucx.spring.boot.UcxProbe;
import io.reactorucx.spring.boot.UcxProperties;
import io.reactorucx.spring.boot.UcxWebProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.ReactorClientHttpConnectorBuilder;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Puts the web server, the clients, or both on loops of UCX. It leaves an application alone that has a
 * {@link ReactorResourceFactory} of its own, because that decides about loops.
 */
@AutoConfiguration(after = UcxAutoConfiguration.class, beforeName = {
    "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration",
    "org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration",
    "org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration",
    "org.springframework.boot.rsocket.autoconfigure.RSocketServerAutoConfiguration"})
@ConditionalOnClass({UcxLoopResources.class, HttpServer.class, ReactorResourceFactory.class})
@Conditional(UcxWebAutoConfiguration.OnServerOrClient.class)
@EnableConfigurationProperties({UcxNettyProperties.class, UcxWebProperties.class})
public final class UcxWebAutoConfiguration {

    static final String SERVER = "reactor.ucx.web.server.enabled";
    static final String CLIENT = "reactor.ucx.web.client.enabled";

    /** Behind Spring Boot's own choice of loops, before the customizers of the application. */
    private static final int ORDER = 10;
    private static final String QUIET_PERIOD = "spring.reactor.netty.shutdown-quiet-period";
    private static final Logger LOG = LoggerFactory.getLogger(UcxWebAutoConfiguration.class);

    /** For Spring. */
    UcxWebAutoConfiguration() {
    }

    /** One of them is enabled. */
    static final class OnServerOrClient extends AnyNestedCondition {

        OnServerOrClient() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        /** The server is. */
        @ConditionalOnBooleanProperty(SERVER)
        static final class OnServer {
        }

        /** Clients are. */
        @ConditionalOnBooleanProperty(CLIENT)
        static final class OnClient {
        }
    }

    /** The application has decided about loops. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ReactorResourceFactory.class)
    static class OwnFactoryConfiguration {

        OwnFactoryConfiguration() {
            LOG.warn("{} and {} have no effect, because the application has a ReactorResourceFactory of its own",
                    SERVER, CLIENT);
        }
    }

    /** The loops: those of the application, or some that the context ends. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(ReactorResourceFactory.class)
    static class LoopsConfiguration {

        @Bean
        @ConditionalOnMissingBean(UcxLoopResources.class)
        WebLoops ucxWebLoops(UcxProperties common, UcxNettyProperties properties, UcxProbe probe,
                Environment environment, ObjectProvider<Authenticator> authenticator) {
            UcxNettyConfig config = LoopsFactory.config(common, properties, authenticator.getIfAvailable());
            if (!UcxAvailability.check(() -> cause(probe), common.fallback(), "HTTP goes")) {
                return WebLoops.none();
            }
            int count = LoopsFactory.count(properties);
            UcxLoopResources loops = LoopsFactory.loops(properties, config, count);
            String shortage = SharedMemoryRoom.shortage(count, common.transports());
            if (shortage != null) {
                LOG.warn(shortage);
            }
            return WebLoops.owned(loops, Binder.get(environment).bind(QUIET_PERIOD, Duration.class).orElse(null));
        }

        private static @Nullable Throwable cause(UcxProbe probe) {
            Throwable found = probe.cause();
            return found != null ? found : UcxIoHandler.unavailabilityCause();
        }

        @Bean
        @ConditionalOnMissingBean
        WebLoops ucxBorrowedWebLoops(UcxLoopResources loops) {
            return WebLoops.borrowed(loops);
        }

        /** Null where UCX cannot be used and the kernel's TCP takes its place. */
        @Bean(destroyMethod = "")
        @ConditionalOnMissingBean
        @Nullable UcxLoopResources ucxLoopResources(WebLoops loops) {
            return loops.loops();
        }
    }

    /** The web server. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(NettyReactiveWebServerFactory.class)
    @ConditionalOnBooleanProperty(SERVER)
    @ConditionalOnMissingBean(ReactorResourceFactory.class)
    static class ServerConfiguration {

        @Bean
        @Order(ORDER)
        WebServerFactoryCustomizer<NettyReactiveWebServerFactory> ucxWebServerFactoryCustomizer(WebLoops web) {
            // A customizer of the HttpServer is no use: the web server chooses its loops after these.
            return factory -> web.ifActive(loops -> {
                factory.setResourceFactory(loops);
                factory.addServerCustomizers(server -> server.doOnBound(bound -> logServer(bound, web)));
            });
        }

        /** Says what the server has become, whatever later customizers have changed. */
        private static void logServer(DisposableServer bound, WebLoops web) {
            UcxLoopResources loops = web.loops();
            if (loops != null && bound.channel() instanceof UcxServerChannel) {
                LOG.info("The web server runs over UCX at {}; peers without UCX are {}", bound.address(),
                        loops.factory().config().plainTcp().accepted() ? "served over plain TCP"
                                : "refused, because reactor.ucx.netty.plain-tcp.accepted is false");
                Exposure.warn("The web server over UCX", bound.address(),
                        loops.factory().config().authenticator() != null, "server.address");
            }
        }
    }

    /** Reactive clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpConnectorBuilderCustomizer.class)
    @ConditionalOnBooleanProperty(CLIENT)
    @ConditionalOnMissingBean(ReactorResourceFactory.class)
    static class ClientConfiguration {

        @Bean
        @Order(ORDER)
        ClientHttpConnectorBuilderCustomizer<ReactorClientHttpConnectorBuilder> ucxClientHttpConnectorBuilderCustomizer(
                WebLoops web) {
            return builder -> !web.active() ? builder
                    : builder.withHttpClientFactory(web::client).withHttpClientCustomizer(web::runOn);
        }
    }

    /** Blocking clients, where Reactor Netty makes their requests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestFactoryBuilderCustomizer.class)
    @ConditionalOnBooleanProperty(CLIENT)
    @ConditionalOnMissingBean(ReactorResourceFactory.class)
    static class BlockingClientConfiguration {

        @Bean
        @Order(ORDER)
        ClientHttpRequestFactoryBuilderCustomizer<ReactorClientHttpRequestFactoryBuilder>
                ucxClientHttpRequestFactoryBuilderCustomizer(WebLoops web) {
            return builder -> !web.active() ? builder
                    : builder.withHttpClientFactory(web::client).withHttpClientCustomizer(web::runOn);
        }
    }
}
