package io.reactorucx.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;

/** Contexts one after the other in one process, what they log, and HTTP/2. */
@ExtendWith(OutputCaptureExtension.class)
class WebContextsTest {

    private static final Duration LIMIT = TestTime.seconds(30);
    private static final String SERVER = "reactor.ucx.web.server.enabled=true";
    private static final String CLIENT = "reactor.ucx.web.client.enabled=true";
    private static final String THREADS = "again";

    @Test
    void aContextStartsAgainAfterItsEnd() {
        for (int i = 0; i < 2; i++) {
            try (ConfigurableApplicationContext context = WebApplication.start(SERVER, CLIENT,
                    "reactor.ucx.netty.name=" + THREADS)) {
                assertThat(WebApplication.client(context, WebApplication.url(context)).get().uri("/greetings/Anna")
                        .retrieve().bodyToMono(String.class).block(LIMIT)).isEqualTo("Hello Anna");
                assertThat(loopThreads()).isOne();
            }
            await().atMost(LIMIT).until(() -> loopThreads() == 0);
        }
    }

    private static long loopThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().startsWith(THREADS)).count();
    }

    @Test
    void theLogSaysWhatRunsOverUcx(CapturedOutput output) {
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER, CLIENT)) {
            WebApplication.client(context, WebApplication.url(context)).get().uri("/greetings/Anna").retrieve()
                    .bodyToMono(String.class).block(LIMIT);
            assertThat(output).containsPattern("The web server runs over UCX at [^ ]*127[.]0[.]0[.]1:"
                    + context.getEnvironment().getRequiredProperty("local.server.port") + "; peers without UCX are"
                    + " refused").containsOnlyOnce("HTTP clients of the application connect over UCX");
        }
    }

    @Test
    void theLogSaysThatPlainTcpIsServed(CapturedOutput output) {
        WebApplication.start(SERVER, "reactor.ucx.netty.plain-tcp.accepted=true").close();

        assertThat(output).contains("peers without UCX are served over plain TCP");
    }

    @Test
    void http2() {
        try (ConfigurableApplicationContext context = WebApplication.start(SERVER, "server.http2.enabled=true")) {
            HttpClient client = HttpClient.newConnection().runOn(context.getBean(UcxLoopResources.class))
                    .protocol(HttpProtocol.H2C);

            assertThat(client.get().uri(WebApplication.url(context) + "/greetings/Anna").responseSingle(
                    (response, body) -> body.asString().map(text -> response.version() + " " + text)).block(LIMIT))
                    .isEqualTo("HTTP/2.0 Hello Anna");
            assertThat(WebApplication.receivedOverUcx(context)).isPositive();
        }
    }
}
