package io.reactorucx.spring.boot.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** A server that serves other hosts without authentication says so. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class ExposureTest {

    private static final String RSOCKET = "RSocket over UCX serves whoever reaches";
    private static final String WEB = "The web server over UCX serves whoever reaches";

    @ParameterizedTest
    @CsvSource({"0.0.0.0, , true", "127.0.0.1, , false", "0.0.0.0, a secret of more than 16 bytes, false"})
    void theLogNamesTheServerAndTheRemedy(String address, String secret, boolean exposed, CapturedOutput log) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(RSocketApplication.class)
                .web(WebApplicationType.REACTIVE);
        if (secret != null) {
            application.properties("reactor.ucx.security.shared-secret=" + secret);
        }
        try (ConfigurableApplicationContext context = application.run("--spring.main.banner-mode=off",
                "--spring.reactor.netty.shutdown-quiet-period=0s", "--reactor.ucx.netty.loops=1",
                // UCX itself listens nowhere.
                "--reactor.ucx.transports=self,sysv,posix", "--server.port=0", "--server.address=" + address,
                "--reactor.ucx.web.server.enabled=true", "--spring.rsocket.server.port=0",
                "--spring.rsocket.server.address=" + address, "--reactor.ucx.rsocket.server.enabled=true")) {
            assertThat(context.isRunning()).isTrue();
        }

        List<String> warnings = log.getAll().lines().filter(line -> line.contains("serves whoever reaches")).toList();
        if (exposed) {
            assertThat(warnings).hasSize(2).allSatisfy(line -> assertThat(line).contains("WARN",
                    "reactor.ucx.security.shared-secret", "reactor.ucx.network-devices"))
                    .anySatisfy(line -> assertThat(line).contains(RSOCKET, "spring.rsocket.server.address"))
                    .anySatisfy(line -> assertThat(line).contains(WEB, "server.address"));
        } else {
            assertThat(warnings).isEmpty();
        }
    }
}
