package io.reactorucx.spring.boot.discovery;

import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.UcxFallback;
import io.reactorucx.spring.boot.UcxProbe;
import io.reactorucx.spring.boot.UcxProperties;
import io.reactorucx.spring.boot.rsocket.UcxClientTransports;
import io.reactorucx.spring.boot.rsocket.UcxRSocketAutoConfiguration;
import io.rsocket.loadbalance.LoadbalanceTarget;
import io.rsocket.transport.netty.client.TcpClientTransport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;
import org.springframework.cloud.client.loadbalancer.LoadBalancerLifecycle;
import org.springframework.cloud.client.serviceregistry.Registration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Beans for the discovery of Spring Cloud: an application's {@link UcxInstance} goes into its registration,
 * {@link UcxHttpPeers} learns from the load balancer, and {@link UcxRSocketTargets} follows the registry. None replaces
 * one of the application.
 *
 * <p><b>Threading:</b> Spring's. <b>Ownership:</b> the context's. <b>Errors:</b> those of
 * {@link UcxDiscoveryProperties}.
 */
@AutoConfiguration(after = {UcxAutoConfiguration.class, UcxRSocketAutoConfiguration.class}, afterName = {
    "org.springframework.cloud.client.CommonsClientAutoConfiguration",
    "org.springframework.cloud.client.discovery.composite.reactive.ReactiveCompositeDiscoveryClientAutoConfiguration"})
@ConditionalOnClass(ReactiveDiscoveryClient.class)
@ConditionalOnBooleanProperty(name = "reactor.ucx.discovery.enabled", matchIfMissing = true)
@EnableConfigurationProperties(UcxDiscoveryProperties.class)
public final class UcxDiscoveryAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(UcxDiscoveryAutoConfiguration.class);

    /** For Spring. */
    UcxDiscoveryAutoConfiguration() {
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.cloud.zookeeper.serviceregistry.ZookeeperRegistration")
    static class ZookeeperConfiguration {

        @Bean
        RegistrationMetadata ucxRegistrationMetadata() {
            return new ZookeeperMetadata();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.cloud.zookeeper.serviceregistry.ZookeeperRegistration")
    static class OtherRegistryConfiguration {

        @Bean
        RegistrationMetadata ucxRegistrationMetadata() {
            return Registration::getMetadata;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(InstancePreRegisteredEvent.class)
    static class RegistrationConfiguration {

        @Bean
        @ConditionalOnBean(UcxInstance.class)
        UcxRegistrationListener ucxRegistrationListener(UcxInstance self, RegistrationMetadata metadata) {
            return new UcxRegistrationListener(self, metadata);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LoadBalancerLifecycle.class)
    static class LoadBalancerConfiguration {

        @Bean
        @ConditionalOnMissingBean
        UcxHttpPeers ucxHttpPeers(UcxDiscoveryProperties properties) {
            return new UcxHttpPeers(properties.retryAfter());
        }

        @Bean
        UcxHttpPeersLifecycle ucxHttpPeersLifecycle(UcxHttpPeers peers) {
            return new UcxHttpPeersLifecycle(peers);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({LoadbalanceTarget.class, TcpClientTransport.class, UcxClientTransport.class})
    static class TargetsConfiguration {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(ReactiveDiscoveryClient.class)
        UcxRSocketTargets ucxRSocketTargets(ReactiveDiscoveryClient registry,
                ObjectProvider<UcxClientTransports> ucx, ObjectProvider<UcxProbe> probe,
                ObjectProvider<UcxProperties> common, UcxDiscoveryProperties properties) {
            UcxProbe found = probe.getIfAvailable();
            Throwable cause = found == null ? null : found.cause();
            UcxProperties shared = common.getIfAvailable();
            if (cause instanceof InvalidConfigurationPropertyValueException invalid && shared != null
                    && shared.fallback() == UcxFallback.NONE) {
                throw invalid;
            }
            if (cause != null) {
                LOG.warn("RSocket reaches instances over TCP only: {}", cause.getMessage());
            }
            return new UcxRSocketTargets(registry, cause == null ? ucx.getIfAvailable() : null,
                    TcpClientTransport::create, properties);
        }
    }
}
