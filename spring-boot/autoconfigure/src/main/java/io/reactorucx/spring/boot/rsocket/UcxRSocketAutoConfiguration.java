package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxServer;
import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.spring.boot.PropertyTarget;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.UcxProbe;
import io.reactorucx.spring.boot.UcxProperties;
import io.reactorucx.spring.boot.UcxRSocketProperties;
import io.rsocket.transport.ClientTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.rsocket.autoconfigure.RSocketProperties;
import org.springframework.boot.rsocket.server.RSocketServer.Transport;
import org.springframework.boot.rsocket.server.RSocketServerCustomizer;
import org.springframework.boot.rsocket.server.RSocketServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler;
import org.springframework.util.unit.DataSize;

/** Serves methods with {@code @MessageMapping} over UCX, and makes the transports of {@code RSocketRequester}. */
@AutoConfiguration(after = UcxAutoConfiguration.class,
    afterName = "org.springframework.boot.rsocket.autoconfigure.RSocketMessagingAutoConfiguration",
    beforeName = "org.springframework.boot.rsocket.autoconfigure.RSocketServerAutoConfiguration")
@ConditionalOnClass({UcxClientTransport.class, ClientTransport.class})
public final class UcxRSocketAutoConfiguration {

    private static final String ENABLED = "reactor.ucx.rsocket.server.enabled";
    private static final String PORT = "reactor.ucx.rsocket.server.port";
    private static final String BOOT_PORT = "spring.rsocket.server.port";
    private static final int MAX_PORT = 65_535;

    /** For Spring. */
    UcxRSocketAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    UcxClientTransports ucxClientTransports(ObjectProvider<UcxClient> client, UcxProbe probe,
            UcxProperties properties) {
        return new ClientTransports(client::getObject, probe, properties);
    }

    /** Servers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RSocketServerFactory.class, RSocketMessageHandler.class})
    @ConditionalOnBooleanProperty(ENABLED)
    @ConditionalOnBean(RSocketMessageHandler.class)
    @EnableConfigurationProperties({UcxRSocketProperties.class, RSocketProperties.class})
    static class ServerConfiguration {

        /** The server of Spring Boot runs over UCX. */
        @Configuration(proxyBeanMethods = false)
        @Conditional(OnNoPort.class)
        static class InPlaceOfTcp {

            @Bean
            RSocketDrainLifecycle ucxRSocketDrainLifecycle(UcxProperties common) {
                return new RSocketDrainLifecycle(common.shutdown());
            }

            @Bean
            @ConditionalOnMissingBean(RSocketServerFactory.class)
            UcxRSocketServerFactory ucxRSocketServerFactory(Parts parts, RSocketDrainLifecycle drain) {
                RSocketProperties.Server boot = parts.boot().getServer();
                Integer port = boot.getPort();
                if (port == null) {
                    throw refused("it needs " + PORT + " or " + BOOT_PORT);
                }
                if (Ssl.isEnabled(boot.getSsl())) {
                    throw refused("RSocket over UCX has no TLS of its own, so that spring.rsocket.server.ssl would have"
                            + " no effect; reactor.ucx.ssl.bundle secures it; remove one of them");
                }
                if (boot.getTransport() != Transport.TCP) {
                    throw refused("spring.rsocket.server.transport is " + boot.getTransport()
                            + "; remove one of them");
                }
                return parts.factory(BOOT_PORT, port, drain::add);
            }

            private static InvalidConfigurationPropertyValueException refused(String reason) {
                return new InvalidConfigurationPropertyValueException(ENABLED, true, reason);
            }
        }

        /** A server over UCX beside that of Spring Boot. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnProperty(PORT)
        static class BesideTcp {

            @Bean
            @ConditionalOnMissingBean
            UcxRSocketLifecycle ucxRSocketLifecycle(Parts parts, RSocketMessageHandler handler,
                    ConfigurableEnvironment environment) {
                Integer port = parts.properties().server().port();
                if (port == null) {
                    throw new InvalidConfigurationPropertyValueException(PORT, "", "must be in 0.." + MAX_PORT);
                }
                return new UcxRSocketLifecycle(parts.factory(PORT, port, made -> { }), handler.responder(),
                        environment);
            }
        }

        @Bean
        Parts ucxRSocketParts(ObjectProvider<UcxServer> server, UcxProbe probe, UcxProperties common,
                UcxRSocketProperties properties, RSocketProperties boot,
                ObjectProvider<RSocketServerCustomizer> customizers, RSocketMessageHandler handler,
                ObjectProvider<Authenticator> authenticator, ObjectProvider<TlsConfig> tls) {
            TlsConfig secured = tls.getIfAvailable();
            return new Parts(server, probe, common, properties, boot, customizers, handler,
                    authenticator.getIfAvailable() != null || secured != null && secured.clientCertificateRequired());
        }
    }

    /** There is no port for a second server. */
    static final class OnNoPort extends NoneNestedConditions {

        OnNoPort() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        /** A port of its own. */
        @ConditionalOnProperty(PORT)
        static final class OnPort {
        }
    }

    /**
     * The parts that servers are made of.
     *
     * @param server the template
     * @param probe tells whether UCX can be used
     * @param common the properties of UCX
     * @param properties the properties of RSocket over UCX
     * @param boot the properties of Spring Boot's server
     * @param customizers of the server
     * @param handler of the methods with {@code @MessageMapping}
     * @param authenticated whether clients are authenticated
     */
    record Parts(ObjectProvider<UcxServer> server, UcxProbe probe, UcxProperties common,
            UcxRSocketProperties properties, RSocketProperties boot,
            ObjectProvider<RSocketServerCustomizer> customizers, RSocketMessageHandler handler,
            boolean authenticated) {

        UcxRSocketServerFactory factory(String portProperty, int port, Consumer<DrainingRSocketServer<?>> created) {
            if (port < 0 || port > MAX_PORT) {
                throw new InvalidConfigurationPropertyValueException(portProperty, port, "must be in 0.." + MAX_PORT);
            }
            UcxRSocketProperties.Server own = properties.server();
            RSocketProperties.Server other = boot.getServer();
            return new UcxRSocketServerFactory(server::getObject, probe, common,
                    address(own.address() != null ? own.address() : other.getAddress(), port),
                    own.fragmentSize() != null ? checked("reactor.ucx.rsocket.server", own.fragmentSize())
                            : checked("spring.rsocket.server", other.getFragmentSize()),
                    customizers.orderedStream().toList(),
                    handler.getRSocketStrategies().dataBufferFactory() instanceof NettyDataBufferFactory, created,
                    authenticated);
        }

        private @Nullable DataSize checked(String prefix, @Nullable DataSize size) {
            new PropertyTarget(prefix).set("fragment-size", size, each -> FrameLength.checkFragment(each, common));
            return size;
        }

        private static InetSocketAddress address(@Nullable InetAddress address, int port) {
            return address == null ? new InetSocketAddress(port) : new InetSocketAddress(address, port);
        }
    }
}
