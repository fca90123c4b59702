package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.rsocket.autoconfigure.RSocketMessagingAutoConfiguration;
import org.springframework.boot.rsocket.autoconfigure.RSocketStrategiesAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.netty.http.client.HttpClient;

/** What the log says of properties that have no effect. */
@ExtendWith(OutputCaptureExtension.class)
class UcxUnusedAutoConfigurationTest {

    private static final AutoConfigurations ALL = AutoConfigurations.of(UcxAutoConfiguration.class,
            UcxUnusedAutoConfiguration.class, UcxWebAutoConfiguration.class,
            NettyReactiveWebServerAutoConfiguration.class, RSocketStrategiesAutoConfiguration.class,
            RSocketMessagingAutoConfiguration.class);
    private static final String NO_EFFECT = " has no effect, because the application has no ";

    /** An application of servlets, or one without a web server, whose classes of Reactor Netty are there. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            reactor.ucx.web.server.enabled     | web server of Reactor Netty
            reactor.ucx.web.client.enabled     | clients of Reactor Netty
            reactor.ucx.rsocket.server.enabled | RSocketMessageHandler
            """)
    void whatNothingUsesIsNamed(String property, String reason, CapturedOutput output) {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(UcxAutoConfiguration.class,
                        UcxUnusedAutoConfiguration.class)).withPropertyValues(property + "=true")
                .withClassLoader(new FilteredClassLoader(HttpClient.class))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).containsOnlyOnce(NO_EFFECT).contains(property + NO_EFFECT + reason);
    }

    @Test
    void nothingIsSaidOfPropertiesThatHaveAnEffect(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner().withConfiguration(ALL).withPropertyValues(
                "reactor.ucx.web.server.enabled=true", "reactor.ucx.web.client.enabled=true",
                "reactor.ucx.rsocket.server.enabled=true", "spring.reactor.netty.shutdown-quiet-period=0s")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(NO_EFFECT);
    }

    @Test
    void nothingIsSaidWithoutAProperty(CapturedOutput output) {
        new ApplicationContextRunner().withConfiguration(ALL)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(NO_EFFECT);
    }
}
