package io.reactorucx.spring.boot.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;
import org.springframework.cloud.client.discovery.simple.reactive.SimpleReactiveDiscoveryClient;
import org.springframework.cloud.client.discovery.simple.reactive.SimpleReactiveDiscoveryProperties;
import org.springframework.cloud.client.loadbalancer.LoadBalancerLifecycle;
import org.springframework.cloud.client.serviceregistry.Registration;

class UcxDiscoveryAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxDiscoveryAutoConfiguration.class))
            .withBean(ReactiveDiscoveryClient.class, () ->
                    new SimpleReactiveDiscoveryClient(new SimpleReactiveDiscoveryProperties()));

    /** A registration whose metadata can be changed, or not. */
    private static final class TestRegistration extends DefaultServiceInstance implements Registration {

        private static final long serialVersionUID = 1;

        TestRegistration(Map<String, String> metadata) {
            super("id", "service", "127.0.0.1", 80, false, metadata);
        }
    }

    @Test
    void makesTheBeans() {
        runner.run(context -> assertThat(context).hasSingleBean(UcxRSocketTargets.class)
                .hasSingleBean(UcxHttpPeers.class).hasSingleBean(UcxHttpPeersLifecycle.class)
                .doesNotHaveBean(UcxRegistrationListener.class));
    }

    @Test
    void aPropertySwitchesItOff() {
        runner.withPropertyValues("reactor.ucx.discovery.enabled=false").run(context -> assertThat(context)
                .hasNotFailed().doesNotHaveBean(UcxRSocketTargets.class).doesNotHaveBean(UcxHttpPeers.class));
    }

    @Test
    void backsOffWithoutSpringCloudOrRSocket() {
        runner.withClassLoader(new FilteredClassLoader("io.rsocket")).run(context -> assertThat(context)
                .hasNotFailed().doesNotHaveBean(UcxRSocketTargets.class).hasSingleBean(UcxHttpPeers.class));
        runner.withClassLoader(new FilteredClassLoader(LoadBalancerLifecycle.class)).run(context -> assertThat(context)
                .hasNotFailed().doesNotHaveBean(UcxHttpPeers.class).hasSingleBean(UcxRSocketTargets.class));
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(UcxDiscoveryAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void leavesBeansOfTheApplicationAlone() {
        UcxHttpPeers own = new UcxHttpPeers(Duration.ZERO);
        runner.withBean("own", UcxHttpPeers.class, () -> own).run(context ->
                assertThat(context.getBean(UcxHttpPeers.class)).isSameAs(own));
    }

    @Test
    void addsWhatTheApplicationOffersToItsRegistration() {
        runner.withBean(UcxInstance.class, () -> new UcxInstance(null, 1234, 0, true)).run(context -> {
            Map<String, String> metadata = new HashMap<>(Map.of("ucx.port", "99"));
            context.publishEvent(new InstancePreRegisteredEvent(this, new TestRegistration(metadata)));
            assertThat(metadata).as("what was set stays").containsOnly(Map.entry("ucx.port", "99"),
                    Map.entry("ucx.http", "true"));
            context.publishEvent(new InstancePreRegisteredEvent(this, new TestRegistration(Map.of())));
        });
    }

    @Test
    void propertiesArrive() {
        runner.withPropertyValues("reactor.ucx.discovery.refresh-interval=3s", "reactor.ucx.discovery.max-instances=7",
                "reactor.ucx.discovery.connect-timeout=4s", "reactor.ucx.discovery.retry-after=5s")
                .run(context -> {
                    assertThat(context.getBean(UcxRSocketTargets.class)).extracting("properties").isEqualTo(
                            new UcxDiscoveryProperties(true, Duration.ofSeconds(3), 7, Duration.ofSeconds(4),
                                    Duration.ofSeconds(5)));
                    assertThat((Object) context.getBean(UcxHttpPeers.class)).extracting("retryNanos")
                            .isEqualTo(Duration.ofSeconds(5).toNanos());
                });
    }

    @Test
    void refusesPropertiesOutOfRange() {
        Map.of("refresh-interval=1ms", "must be in PT0.1S..PT1H", "max-instances=0", "must be in 1..10000",
                "connect-timeout=0s", "must be in PT0.001S..PT1H", "retry-after=-1s", "must be in PT0S..PT1H")
                .forEach((property, rule) -> runner.withPropertyValues("reactor.ucx.discovery." + property)
                        .run(context -> assertThat(context).getFailure().rootCause()
                                .hasMessageContaining(property.replaceAll("=.*", "")).hasMessageContaining(rule)));
    }
}
