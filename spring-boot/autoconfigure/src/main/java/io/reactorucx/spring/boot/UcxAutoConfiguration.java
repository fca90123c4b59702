package io.reactorucx.spring.boot;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxConnectionPoolBuilder;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.UcxServer;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import reactor.pool.InstrumentedPool;

/**
 * Beans for {@link UcxResources}, and the templates of servers, clients and pools. The engines start with the first
 * bean that needs them; without one, nothing of UCX is loaded.
 */
@AutoConfiguration
@ConditionalOnClass(UcxResources.class)
@EnableConfigurationProperties(UcxProperties.class)
public final class UcxAutoConfiguration {

    /** For Spring. */
    UcxAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("reactor.ucx.security.shared-secret")
    Authenticator ucxAuthenticator(UcxProperties properties) {
        String secret = properties.security().sharedSecret();
        try {
            return Authenticator.sharedSecret((secret == null ? "" : secret).getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            // No exception of Spring Boot's for properties: their report shows the value.
            throw new InvalidSecretException(e);
        }
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("reactor.ucx.ssl.bundle")
    TlsConfig ucxTlsConfig(UcxProperties properties, SslBundles bundles) {
        return BundledTls.config(properties.ssl(), bundles);
    }

    @Bean
    @ConditionalOnProperty(UcxLibraryPath.PROPERTY)
    static UcxLibraryPath ucxLibraryPath(Environment environment) {
        return new UcxLibraryPath(environment);
    }

    @Bean
    UcxProbe ucxProbe(UcxProperties properties) {
        return new UcxProbe(properties);
    }

    /** Checks the properties at the start, also those of resources that nothing uses yet. */
    @Bean
    ResourcesFactory ucxResourcesFactory(UcxProperties properties) {
        ResourcesFactory factory = new ResourcesFactory(properties);
        factory.builder();
        return factory;
    }

    @Bean(destroyMethod = "disposeNow")
    @Lazy
    @ConditionalOnMissingBean
    UcxResources ucxResources(ResourcesFactory factory, UcxProbe probe,
            ObjectProvider<UcxResourcesBuilderCustomizer> customizers) {
        if (probe.cause() instanceof InvalidConfigurationPropertyValueException wrong) {
            throw wrong;
        }
        UcxResourcesBuilder builder = factory.builder();
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return builder.build();
    }

    @Bean
    @Scope("prototype")
    @ConditionalOnMissingBean
    UcxServer ucxServer(ResourcesFactory factory, UcxResources resources, ObjectProvider<Authenticator> authenticator,
            ObjectProvider<TlsConfig> tls) {
        return factory.server(resources, authenticator.getIfAvailable(), tls.getIfAvailable());
    }

    @Bean
    @Scope("prototype")
    @ConditionalOnMissingBean
    UcxClient ucxClient(ResourcesFactory factory, UcxResources resources, ObjectProvider<Authenticator> authenticator,
            ObjectProvider<TlsConfig> tls) {
        return factory.client(resources, authenticator.getIfAvailable(), tls.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    UcxShutdownLifecycle ucxShutdownLifecycle(ConfigurableListableBeanFactory beans, UcxProperties properties) {
        return new UcxShutdownLifecycle(beans, properties.shutdown());
    }

    /** Pools, whose library an application may lack. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(InstrumentedPool.class)
    @ConditionalOnProperty({"reactor.ucx.client.host", "reactor.ucx.client.port"})
    static class PoolConfiguration {

        @Bean
        @Scope("prototype")
        @ConditionalOnMissingBean
        UcxConnectionPoolBuilder ucxConnectionPoolBuilder(UcxClient client, UcxProperties properties) {
            UcxConnectionPoolBuilder builder = UcxConnectionPool.builder(client);
            UcxProperties.Pool from = properties.pool();
            PropertyTarget target = new PropertyTarget("reactor.ucx.pool");
            target.set("max-connections", from.maxConnections(), builder::maxConnections);
            target.set("min-connections", from.minConnections(), builder::minConnections);
            target.set("max-pending-acquires", from.maxPendingAcquires(), builder::pendingAcquireMaxCount);
            target.set("pending-acquire-timeout", from.pendingAcquireTimeout(), builder::pendingAcquireTimeout);
            target.set("max-idle-time", from.maxIdleTime(), builder::maxIdleTime);
            target.set("max-life-time", from.maxLifeTime(), builder::maxLifeTime);
            return builder;
        }
    }
}
