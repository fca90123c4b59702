package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxConnectionPoolBuilder;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;
import reactor.pool.InstrumentedPool;

/** The beans of engines, servers, clients and pools. */
class UcxAutoConfigurationTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final String[] CLIENT = {"reactor.ucx.client.host=127.0.0.1", "reactor.ucx.client.port=4711"};

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class))
            .withPropertyValues("reactor.ucx.transports=tcp,self,posix");

    @Test
    void nothingStartsThatNothingUses() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(UcxResources.class).hasSingleBean(UcxServer.class)
                    .hasSingleBean(UcxClient.class);
            assertThat(context.getBeanFactory().containsSingleton("ucxResources")).isFalse();
        });
    }

    @Test
    void resourcesEndWithTheContext() {
        UcxResources[] resources = new UcxResources[1];
        runner.withPropertyValues("reactor.ucx.engine.count=2", "reactor.ucx.engine.name=store").run(context -> {
            resources[0] = context.getBean(UcxResources.class);
            assertThat(resources[0].engines()).extracting(ProgressEngine::name).containsExactly("store-0", "store-1");
            assertThat(resources[0].isDisposed()).isFalse();
        });
        assertThat(resources[0].isDisposed()).isTrue();
        assertThat(resources[0].engines()).allMatch(ProgressEngine::isClosed);
    }

    /** Two applications with these properties talk to each other. */
    @Test
    void templatesConnect() {
        runner.withPropertyValues("reactor.ucx.security.shared-secret=a secret of at least 16 bytes").run(context -> {
            UcxBoundServer server = context.getBean(UcxServer.class)
                    .handle((in, out) -> out.sendStrings(in.receiveStrings().map(text -> "Hello " + text)))
                    .bindNow();
            UcxClient client = context.getBean(UcxClient.class).remoteAddress(server.address());
            UcxConnection connection = client.connectNow(LIMIT);

            connection.outbound().sendStrings(Mono.just("Anna")).subscribe();
            assertThat(connection.inbound().receiveStrings().blockFirst(LIMIT)).isEqualTo("Hello Anna");
            assertThat(client.authenticator(Authenticator.sharedSecret(new byte[16])).connect()
                    .map(each -> "connected").onErrorReturn("refused").block(LIMIT)).isEqualTo("refused");
        });
    }

    @Test
    void beansOfTheApplicationStay() {
        Authenticator authenticator = Authenticator.sharedSecret(new byte[16]);
        UcxServer server = UcxServer.create(SharedResources.INSTANCE);
        UcxClient client = UcxClient.create(SharedResources.INSTANCE);
        UcxConnectionPoolBuilder pool = UcxConnectionPool.builder(client);
        runner.withPropertyValues(CLIENT).withPropertyValues("reactor.ucx.security.shared-secret=0123456789abcdef")
                .withBean(UcxResources.class, () -> SharedResources.INSTANCE)
                .withBean(Authenticator.class, () -> authenticator).withBean(UcxServer.class, () -> server)
                .withBean(UcxClient.class, () -> client).withBean(UcxConnectionPoolBuilder.class, () -> pool)
                .run(context -> {
                    assertThat(context).getBean(UcxResources.class).isSameAs(SharedResources.INSTANCE);
                    assertThat(context).getBean(Authenticator.class).isSameAs(authenticator);
                    assertThat(context).getBean(UcxServer.class).isSameAs(server);
                    assertThat(context).getBean(UcxClient.class).isSameAs(client);
                    assertThat(context).getBean(UcxConnectionPoolBuilder.class).isSameAs(pool);
                });
        assertThat(SharedResources.INSTANCE.isDisposed()).isFalse();
    }

    @Test
    void anAuthenticatorOfTheApplicationReachesTheTemplates() {
        Authenticator authenticator = Authenticator.sharedSecret(new byte[16]);
        runner.withBean(UcxResources.class, () -> SharedResources.INSTANCE)
                .withBean(Authenticator.class, () -> authenticator).run(context -> {
                    assertThat(context.getBean(UcxServer.class))
                            .extracting("config.protocol.authentication.authenticator").isSameAs(authenticator);
                    assertThat(context.getBean(UcxClient.class))
                            .extracting("config.protocol.authentication.authenticator").isSameAs(authenticator);
                });
    }

    @Test
    void customizersComeAfterTheProperties() {
        runner.withPropertyValues("reactor.ucx.engine.count=2")
                .withBean(UcxResourcesBuilderCustomizer.class, () -> builder -> builder.engines(1))
                .run(context -> assertThat(context.getBean(UcxResources.class).engines()).hasSize(1));
    }

    @Test
    void poolsNeedTheirLibraryAndAServer() {
        runner.run(context -> assertThat(context).doesNotHaveBean(UcxConnectionPoolBuilder.class));
        runner.withPropertyValues("reactor.ucx.client.host=127.0.0.1")
                .run(context -> assertThat(context).doesNotHaveBean(UcxConnectionPoolBuilder.class));
        runner.withPropertyValues(CLIENT)
                .run(context -> assertThat(context).hasSingleBean(UcxConnectionPoolBuilder.class));
        runner.withPropertyValues(CLIENT).withClassLoader(new FilteredClassLoader(InstrumentedPool.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ucxConnectionPoolBuilder")
                        .hasSingleBean(UcxClient.class));
    }

    @Test
    void anAuthenticatorNeedsASecret() {
        runner.run(context -> assertThat(context).doesNotHaveBean(Authenticator.class));
        runner.withPropertyValues("reactor.ucx.security.shared-secret=0123456789abcdef")
                .run(context -> assertThat(context).hasSingleBean(Authenticator.class));
    }

    @Test
    void withoutTheLibraryThereIsNothing() {
        runner.withClassLoader(new FilteredClassLoader(UcxResources.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ucxResources")
                        .doesNotHaveBean(UcxProperties.class));
    }

    /** The exception is one that Spring Boot reports with the property's file and line. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            engine.count                  | 0       | engines 0: must be in 1..1024
            engine.name                   | a name of more than 24 characters | at most 24 characters
            engine.spins                  | -1      | spins -1: must be in 0..2147483647
            engine.command-queue-capacity | 1       | commandQueueCapacity 1: must be in 2..16777216
            engine.max-in-flight          | 0       | maxInFlight 0: must be in 1..1048576
            engine.stall-threshold        | 2h      | stallThreshold PT2H: must be 0 or in 1 ms..PT1H
            engine.close-timeout          | 2h      | closeTimeout PT2H: must be in 0..PT1H
            buffers.max-size              | 1MB     | 1048576
            buffers.max-waiters           | -1      | -1
            network-devices               | 'eth0,' | is no name of a network device
            security.threads              | 0       | threads 0: must be in 1..1024
            security.max-queued-steps     | 0       | queuedSteps 0: must be in 1..1048576
            shutdown.timeout              | 2h      | timeout PT2H: must be in 1 ms..1 h
            shutdown.grace-period         | 26s     | grace-period PT26S: must be in 0..reactor.ucx.shutdown.timeout
            """)
    void aWrongValueNamesItsProperty(String name, String value, String reason) {
        runner.withPropertyValues("reactor.ucx." + name + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause().satisfiesAnyOf(
                    cause -> assertThat(cause).hasMessageContaining(reason));
            assertThat(context.getStartupFailure()).hasStackTraceContaining(
                    InvalidConfigurationPropertyValueException.class.getName())
                    .hasStackTraceContaining("reactor.ucx." + name);
        });
    }

    /** A template is made when a bean needs it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            server.port                   | 70000 | 70000
            server.max-connections        | 0     | maxConnections 0: must be at least 1
            server.max-pending-handshakes | 0     | 0
            server.handshake-timeout      | 0s    | PT0S
            connection.window-size        | 2GB   | must be below 2 GiB
            connection.max-message-size   | 0B    | 0
            connection.heartbeat-interval | 1ms   | PT0.001S
            """)
    void aWrongValueOfATemplateNamesItsProperty(String name, String value, String reason) {
        runner.withBean(UcxResources.class, () -> SharedResources.INSTANCE)
                .withPropertyValues("reactor.ucx." + name + "=" + value).run(context ->
                        assertThat(org.assertj.core.api.Assertions.catchThrowable(() ->
                                context.getBean(UcxServer.class))).hasStackTraceContaining(reason)
                                .hasStackTraceContaining("reactor.ucx." + name));
    }

    @Test
    void aShortSecretIsNotShown() {
        runner.withPropertyValues("reactor.ucx.security.shared-secret=swordfish").run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause()
                    .hasMessage("secret of 9 bytes: must have at least 16");
            assertThat(context.getStartupFailure()).hasStackTraceContaining("reactor.ucx.security.shared-secret");
            assertThat(stackTrace(context.getStartupFailure())).doesNotContain("swordfish");
        });
        assertThat(new UcxProperties.Security("swordfish", 4, 1024).toString()).doesNotContain("swordfish");
    }

    private static String stackTrace(Throwable error) {
        java.io.StringWriter text = new java.io.StringWriter();
        error.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }

    @Test
    void propertiesCannotBeChanged() {
        runner.withPropertyValues("reactor.ucx.settings.RNDV_THRESH=64k").run(context -> {
            UcxProperties properties = context.getBean(UcxProperties.class);
            assertThat(properties.settings()).isEqualTo(Map.of("RNDV_THRESH", "64k")).isUnmodifiable();
            assertThat(properties.transports()).isUnmodifiable();
        });
    }
}
