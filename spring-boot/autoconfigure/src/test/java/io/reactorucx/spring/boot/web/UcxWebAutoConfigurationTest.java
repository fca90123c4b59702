package io.reactorucx.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.server.HttpServer;

/** When the beans of the web server and its clients are there. */
@ExtendWith(OutputCaptureExtension.class)
class UcxWebAutoConfigurationTest {

    private static final String SERVER = "reactor.ucx.web.server.enabled=true";
    private static final String CLIENT = "reactor.ucx.web.client.enabled=true";
    private static final String SERVER_BEAN = "ucxWebServerFactoryCustomizer";
    private static final String CLIENT_BEAN = "ucxClientHttpConnectorBuilderCustomizer";
    private static final String BLOCKING_CLIENT_BEAN = "ucxClientHttpRequestFactoryBuilderCustomizer";

    private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class, UcxWebAutoConfiguration.class))
            .withPropertyValues("spring.reactor.netty.shutdown-quiet-period=0s");

    @Test
    void nothingWithoutAProperty() {
        runner.run(context -> assertThat(context).doesNotHaveBean(UcxLoopResources.class)
                .doesNotHaveBean(WebLoops.class).doesNotHaveBean(SERVER_BEAN).doesNotHaveBean(CLIENT_BEAN));
    }

    @Test
    void theServerAlone() {
        runner.withPropertyValues(SERVER).run(context -> assertThat(context).hasSingleBean(UcxLoopResources.class)
                .hasBean(SERVER_BEAN).doesNotHaveBean(CLIENT_BEAN).doesNotHaveBean(BLOCKING_CLIENT_BEAN));
    }

    @Test
    void clientsAlone() {
        runner.withPropertyValues(CLIENT).run(context -> assertThat(context).hasSingleBean(UcxLoopResources.class)
                .hasBean(CLIENT_BEAN).hasBean(BLOCKING_CLIENT_BEAN).doesNotHaveBean(SERVER_BEAN));
    }

    @Test
    void both() {
        runner.withPropertyValues(SERVER, CLIENT).run(context -> assertThat(context)
                .hasSingleBean(UcxLoopResources.class).hasBean(CLIENT_BEAN).hasBean(SERVER_BEAN));
    }

    @Test
    void missingClasses() {
        runner.withPropertyValues(SERVER, CLIENT).withClassLoader(new FilteredClassLoader(UcxLoopResources.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ucxWebLoops"));
        runner.withPropertyValues(SERVER, CLIENT).withClassLoader(new FilteredClassLoader(HttpServer.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ucxWebLoops"));
        runner.withPropertyValues(SERVER, CLIENT)
                .withClassLoader(new FilteredClassLoader(NettyReactiveWebServerFactory.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SERVER_BEAN).hasBean(CLIENT_BEAN));
        runner.withPropertyValues(SERVER, CLIENT)
                .withClassLoader(new FilteredClassLoader(ClientHttpConnectorBuilderCustomizer.class))
                .run(context -> assertThat(context).hasNotFailed().hasBean(SERVER_BEAN).doesNotHaveBean(CLIENT_BEAN));
    }

    @Test
    void loopsOfTheApplicationStay() {
        UcxLoopResources own = UcxLoopResources.create("own", 1, UcxNettyConfig.DEFAULT);
        runner.withPropertyValues(SERVER).withBean(UcxLoopResources.class, () -> own).run(context -> {
            assertThat(context).getBean(UcxLoopResources.class).isSameAs(own);
            assertThat(context.getBean(WebLoops.class).loops()).isSameAs(own);
        });
        assertThat(own.isDisposed()).isFalse();
        own.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block(TestTime.seconds(10));
    }

    @Test
    void aFactoryOfTheApplicationDecides(CapturedOutput output) {
        ReactorResourceFactory own = new ReactorResourceFactory();
        runner.withPropertyValues(SERVER, CLIENT).withBean(ReactorResourceFactory.class, () -> own).run(context ->
                assertThat(context).hasSingleBean(ReactorResourceFactory.class)
                        .doesNotHaveBean(UcxLoopResources.class).doesNotHaveBean(SERVER_BEAN)
                        .doesNotHaveBean(CLIENT_BEAN).doesNotHaveBean(BLOCKING_CLIENT_BEAN));
        assertThat(output).contains("have no effect, because the application has a ReactorResourceFactory of its own");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            netty.loops                   | 0        | count 0: must be at least 1
            netty.spin                    | 2s       | spin PT2S: must be in PT0S..PT1S
            netty.window-size             | 1KB      | windowBytes 1024: must be in 4096..1073741824
            netty.window-size             | 4GB      | windowBytes 2147483647: must be in 4096..1073741824
            netty.handshake-timeout       | 0s       | handshakeTimeout PT0S: must be in PT0.001S..PT1H
            netty.close-timeout           | 2h       | closeTimeout PT2H: must be in PT0S..PT1H
            netty.heartbeat-interval      | 1ms      | PT0.001S
            netty.link-idle-timeout       | 2h       | linkIdleTimeout PT2H: must be in PT0S..PT1H
            netty.max-links               | 0        | maxLinks 0: must be at least 1
            netty.max-channels            | 0        | maxChannels 0: must be at least 1
            netty.max-buffer-size         | 1MB      | 1048576
            netty.plain-tcp.decision-time | 0s       | decisionTime PT0S: must be in PT0.001S..PT1M
            netty.plain-tcp.remotes       | db:0     | must be host, host:port or *:port
            """)
    void aWrongValueNamesItsProperty(String name, String value, String reason) {
        runner.withPropertyValues(SERVER, "reactor.ucx." + name + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(reason);
            assertThat(context.getStartupFailure()).hasStackTraceContaining("reactor.ucx." + name)
                    .hasStackTraceContaining(InvalidConfigurationPropertyValueException.class.getName());
        });
    }

    @Test
    void plainPeersAndASecretExcludeEachOther() {
        runner.withPropertyValues(SERVER, "reactor.ucx.netty.plain-tcp.accepted=true",
                "reactor.ucx.security.shared-secret=0123456789abcdef").run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure())
                            .hasStackTraceContaining("reactor.ucx.netty.plain-tcp.accepted")
                            .hasStackTraceContaining("must be false with an authenticator");
                });
    }
}
