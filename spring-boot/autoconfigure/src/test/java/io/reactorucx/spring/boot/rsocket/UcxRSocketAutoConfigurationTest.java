package io.reactorucx.spring.boot.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxResources;
import io.reactorucx.rsocket.UcxClientTransport;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.rsocket.transport.netty.client.TcpClientTransport;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.rsocket.autoconfigure.RSocketMessagingAutoConfiguration;
import org.springframework.boot.rsocket.autoconfigure.RSocketServerAutoConfiguration;
import org.springframework.boot.rsocket.autoconfigure.RSocketStrategiesAutoConfiguration;
import org.springframework.boot.rsocket.context.RSocketServerBootstrap;
import org.springframework.boot.rsocket.netty.NettyRSocketServerFactory;
import org.springframework.boot.rsocket.server.RSocketServerFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.messaging.rsocket.annotation.support.RSocketMessageHandler;

/** When RSocket is served over UCX, and what its properties do. */
@ExtendWith(OutputCaptureExtension.class)
class UcxRSocketAutoConfigurationTest {

    private static final String ENABLED = "reactor.ucx.rsocket.server.enabled=true";
    private static final String BOOT_PORT = "spring.rsocket.server.port=0";
    private static final String OWN_PORT = "reactor.ucx.rsocket.server.port=0";
    private static final String LOOPBACK = "spring.rsocket.server.address=127.0.0.1";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class, UcxRSocketAutoConfiguration.class,
                    RSocketStrategiesAutoConfiguration.class, RSocketMessagingAutoConfiguration.class,
                    RSocketServerAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("spring.reactor.netty.shutdown-quiet-period=0s", LOOPBACK);

    @Test
    void clientsAloneWithoutAProperty() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(UcxClientTransports.class).doesNotHaveBean(RSocketServerFactory.class)
                    .doesNotHaveBean(UcxRSocketLifecycle.class);
            assertThat(context.getBeanFactory().containsSingleton("ucxResources")).isFalse();
            assertThat(context.getBean(UcxClientTransports.class).to("127.0.0.1", 4711))
                    .isInstanceOf(UcxClientTransport.class);
        });
    }

    @Test
    void theServerOfSpringBootStaysWithoutTheProperty() {
        runner.withPropertyValues(BOOT_PORT).run(context -> {
            assertThat(context).getBean(RSocketServerFactory.class).isInstanceOf(NettyRSocketServerFactory.class);
            assertThat(context.getBeanFactory().containsSingleton("ucxResources")).isFalse();
        });
    }

    @Test
    void ucxInPlaceOfTcp() {
        runner.withPropertyValues(ENABLED, BOOT_PORT).run(context -> {
            assertThat(context).hasSingleBean(RSocketServerBootstrap.class)
                    .doesNotHaveBean(UcxRSocketLifecycle.class)
                    .getBean(RSocketServerFactory.class).isInstanceOf(UcxRSocketServerFactory.class);
            assertThat(context.getBean(UcxResources.class).connectionStatistics().maxServerConnections())
                    .isEqualTo(2048);
        });
    }

    @Test
    void theLogSaysWhatRunsOverUcx(CapturedOutput output) {
        runner.withPropertyValues(ENABLED, BOOT_PORT).run(context -> {
            UcxClientTransports transports = context.getBean(UcxClientTransports.class);
            assertThat(transports.to("127.0.0.1", 1)).isNotSameAs(transports.to("127.0.0.1", 2));
            assertThat(output).containsOnlyOnce("RSocket clients of UcxClientTransports connect over UCX");
        });
        runner.withPropertyValues(ENABLED, OWN_PORT).run(context ->
                assertThat(output).contains("RSocket is served over UCX at "));
    }

    @Test
    void unknownTransportsStopTheServerAndClients() {
        runner.withPropertyValues(ENABLED, OWN_PORT, "reactor.ucx.transports=tpc").run(context ->
                assertThat(context).getFailure().hasStackTraceContaining("reactor.ucx.transports")
                        .hasStackTraceContaining("The transports of this host are ["));
        runner.withPropertyValues("reactor.ucx.transports=tpc", "reactor.ucx.fallback=tcp").run(context ->
                assertThat(context.getBean(UcxClientTransports.class).to("127.0.0.1", 1))
                        .isInstanceOf(TcpClientTransport.class));
    }

    @Test
    void ucxBesideTcp() {
        runner.withPropertyValues(ENABLED, BOOT_PORT, OWN_PORT).run(context -> {
            assertThat(context).hasSingleBean(RSocketServerBootstrap.class)
                    .getBean(RSocketServerFactory.class).isInstanceOf(NettyRSocketServerFactory.class);
            InetSocketAddress address = context.getBean(UcxRSocketLifecycle.class).address();
            assertThat(address).isNotNull();
            assertThat(address.getAddress().isLoopbackAddress()).isTrue();
            assertThat(context.getEnvironment().getProperty(UcxRSocketLifecycle.PORT, Integer.class))
                    .isEqualTo(address.getPort()).isPositive();
        });
    }

    @Test
    void ucxAlone() {
        runner.withPropertyValues(ENABLED, OWN_PORT).run(context -> {
            assertThat(context).doesNotHaveBean(RSocketServerBootstrap.class);
            assertThat(context.getBean(UcxRSocketLifecycle.class).isRunning()).isTrue();
        });
    }

    /** A frame above the peer's limit would end the connection, with all of its requests. */
    @Test
    void framesAreNoLargerThanMessages() {
        runner.withPropertyValues("reactor.ucx.connection.max-message-size=1MB").run(context -> assertThat(
                context.getBean(UcxClientTransports.class).to("127.0.0.1", 1).maxFrameLength()).isEqualTo(1 << 20));
        runner.run(context -> assertThat(context.getBean(UcxClientTransports.class).to("127.0.0.1", 1)
                .maxFrameLength()).isEqualTo((1 << 24) - 1));
    }

    @Test
    void addressAndFragmentSize() {
        runner.withPropertyValues(ENABLED, BOOT_PORT, "spring.rsocket.server.fragment-size=2KB").run(context ->
                assertThat(context.getBean(UcxRSocketServerFactory.class))
                        .hasFieldOrPropertyWithValue("address", new InetSocketAddress("127.0.0.1", 0))
                        .extracting("fragmentSize").hasToString("2048B"));
        runner.withPropertyValues(ENABLED, BOOT_PORT, "reactor.ucx.rsocket.server.address=127.0.0.2",
                "reactor.ucx.rsocket.server.fragment-size=4KB").run(context -> {
                    assertThat(context.getBean(UcxRSocketServerFactory.class))
                            .hasFieldOrPropertyWithValue("address", new InetSocketAddress("127.0.0.2", 0))
                            .extracting("fragmentSize").hasToString("4096B");
                });
    }

    @Test
    void beansOfTheApplicationStay() {
        UcxClientTransports transports = (host, port) -> TcpClientTransport.create(host, port);
        RSocketServerFactory factory = new NettyRSocketServerFactory();
        runner.withPropertyValues(ENABLED, BOOT_PORT).withBean(UcxClientTransports.class, () -> transports)
                .withBean(RSocketServerFactory.class, () -> factory).run(context -> {
                    assertThat(context).getBean(UcxClientTransports.class).isSameAs(transports);
                    assertThat(context).getBean(RSocketServerFactory.class).isSameAs(factory);
                });
    }

    @Test
    void missingClasses() {
        runner.withPropertyValues(ENABLED, BOOT_PORT)
                .withClassLoader(new FilteredClassLoader(UcxClientTransport.class)).run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean("ucxClientTransports")
                                .doesNotHaveBean("ucxRSocketServerFactory"));
        runner.withPropertyValues(ENABLED).withClassLoader(new FilteredClassLoader(RSocketServerFactory.class,
                RSocketMessageHandler.class)).run(context -> assertThat(context).hasNotFailed()
                        .hasSingleBean(UcxClientTransports.class).doesNotHaveBean("ucxRSocketParts"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            spring.rsocket.server.mapping-path=/x | needs reactor.ucx.rsocket.server.port or spring.rsocket.server.port
            spring.rsocket.server.port=0,spring.rsocket.server.ssl.bundle=x | RSocket over UCX has no TLS
            spring.rsocket.server.port=0,spring.rsocket.server.transport=websocket | transport is WEBSOCKET
            reactor.ucx.rsocket.server.port=70000 | must be in 0..65535
            reactor.ucx.rsocket.server.port=-1 | Property reactor.ucx.rsocket.server.port with value '-1' is invalid
            reactor.ucx.rsocket.server.port= | Property reactor.ucx.rsocket.server.port with value '' is invalid
            spring.rsocket.server.port=65536 | Property spring.rsocket.server.port with value '65536' is invalid
            spring.rsocket.server.port=0,spring.rsocket.server.fragment-size=1B | Property spring.rsocket.server.frag
            spring.rsocket.server.port=0,reactor.ucx.rsocket.server.fragment-size=100GB | in 64..16777215 bytes
            spring.rsocket.server.port=0,reactor.ucx.rsocket.server.fragment-size=2MB,\
            reactor.ucx.connection.max-message-size=1MB | 0 or in 64..1048576 bytes, which is the largest frame
            """)
    void refusesWhatWouldHaveNoEffect(String properties, String reason) {
        runner.withPropertyValues(ENABLED).withPropertyValues(properties.split(",")).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).hasStackTraceContaining(reason)
                    .hasStackTraceContaining(InvalidConfigurationPropertyValueException.class.getName());
        });
    }
}
