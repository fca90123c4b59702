package io.reactorucx.spring.boot.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnavailableException;
import io.reactorucx.spring.boot.UcxAutoConfiguration;
import io.reactorucx.spring.boot.web.UcxWebAutoConfiguration;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.core.io.support.SpringFactoriesLoader;
import reactor.core.publisher.Mono;

/** What is said about an application that does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalyzersTest {

    /** A server at a port that is taken. */
    @SpringBootConfiguration
    @ImportAutoConfiguration(UcxAutoConfiguration.class)
    static class ServerApplication {

        @Bean
        UcxBoundServer server(UcxServer server) {
            return server.bindNow();
        }
    }

    /** A server of this host, and one of all addresses. */
    @SpringBootConfiguration
    @ImportAutoConfiguration(UcxAutoConfiguration.class)
    static class TwoServersApplication {

        @Bean
        UcxBoundServer local(UcxServer server) {
            return server.bindAddress("127.0.0.1", 0).handle(connection -> Mono.empty()).bindNow();
        }

        @Bean
        @DependsOn("local")
        UcxBoundServer all(UcxServer server) {
            return server.bindAddress("0.0.0.0", 0).handle(connection -> Mono.empty()).bindNow();
        }
    }

    /** Loops. */
    @SpringBootConfiguration
    @ImportAutoConfiguration({UcxAutoConfiguration.class, UcxWebAutoConfiguration.class})
    static class WebApplication {
    }

    private static List<FailureAnalyzer> registered() {
        return SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class,
                SpringFactoriesLoader.FailureHandler.logging(org.apache.commons.logging.LogFactory.getLog("test")));
    }

    private static FailureAnalysis analysis(Throwable error) {
        return registered().stream().filter(each -> each.getClass().getPackage()
                        .equals(FailureAnalyzersTest.class.getPackage()))
                .map(each -> each.analyze(new IllegalStateException("wrapped", error))).filter(Objects::nonNull)
                .findFirst().orElse(null);
    }

    @Test
    void aPortInUse(CapturedOutput output) {
        try (UcxResourcesHolder holder = new UcxResourcesHolder()) {
            UcxBoundServer taken = UcxServer.create(holder.resources()).bindNow();

            Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(ServerApplication.class)
                    .web(WebApplicationType.NONE).run("--reactor.ucx.server.port=" + taken.port()));

            assertThat(failure).hasStackTraceContaining("bind at");
            assertThat(output).contains("APPLICATION FAILED TO START").contains("bind at")
                    .contains("End the process that listens there, or choose another port");
        }
    }

    @Test
    void aServerOfThisHostBesideOneOfAllAddressesStarts() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(TwoServersApplication.class)
                .web(WebApplicationType.NONE).run()) {
            assertThat(context.getBeansOfType(UcxBoundServer.class)).hasSize(2);
        }
    }

    @Test
    void anAddressThatNamedDevicesDoNotHave(CapturedOutput output) throws SocketException {
        String address = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress()).findFirst()
                .map(InetAddress::getHostAddress).orElse("");
        assumeTrue(!address.isEmpty(), "this host has no network device but loopback");

        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(ServerApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx.network-devices=lo",
                        "--reactor.ucx.server.address=" + address).close());

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START").contains(address)
                .contains("Name the network device of that address in reactor.ucx.network-devices");
    }

    /** Resources of another process, as it were. */
    private record UcxResourcesHolder(UcxResources resources) implements AutoCloseable {

        UcxResourcesHolder() {
            this(UcxResources.builder().transports("tcp", "self", "posix").build());
        }

        @Override
        public void close() {
            resources.disposeNow();
        }
    }

    @Test
    void anUnknownTransport(CapturedOutput output) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(ServerApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx.transports=pigeon"));

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START")
                .contains("Invalid value 'pigeon' for configuration property 'reactor.ucx.transports'")
                .contains("The transports of this host are [").contains("posix");
    }

    /** UCX takes them, and each connect would fail; cma would even end the process. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            transports   | self     | Invalid value 'self' for configuration property 'reactor.ucx.transports'
            transports   | self,cma | Invalid value 'self,cma' for configuration property 'reactor.ucx.transports'
            transports   | cma      | Invalid value 'cma' for configuration property 'reactor.ucx.transports'
            settings.TLS | self     | Correct reactor.ucx.transports, reactor.ucx.network-devices, and the variables
            """)
    void transportsByWhichNothingConnects(String property, String value, String report, CapturedOutput output) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(WebApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx.web.client.enabled=true",
                        "--reactor.ucx." + property + "=" + value).close());

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START").contains(report).contains("add shm");
    }

    @Test
    void anEmptyNameAtTheEndOfAListIsNoTransport(CapturedOutput output) {
        new SpringApplicationBuilder(WebApplication.class).web(WebApplicationType.NONE).run(
                "--reactor.ucx.web.client.enabled=true", "--reactor.ucx.transports=shm,",
                "--spring.reactor.netty.shutdown-quiet-period=0s").close();

        assertThat(output).doesNotContain("which this host does not have");
    }

    /** The loops of the web ask UCX with their first channel, which is too late for a report. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            web.server.enabled | transports      | tpc       | The transports of this host are [
            web.client.enabled | transports      | tpc       | The transports of this host are [
            web.server.enabled | network-devices | eht0,eht1 | this host has none of them. Its network devices are [
            """)
    void theWebDoesNotStartWithUnknownNames(String enabled, String property, String value, String reason,
            CapturedOutput output) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(WebApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx." + enabled + "=true",
                        "--reactor.ucx." + property + "=" + value).close());

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START").contains("Invalid value '" + value
                + "' for configuration property 'reactor.ucx." + property + "'").contains(reason);
    }

    /** Devices are those of tcp: where that is not used they have no effect; and UCX has words for all of them. */
    @ParameterizedTest
    @CsvSource({"shm, eht1", "'^tcp', eht1", "tcp, all", "'shm,tcp', lo"})
    void devicesThatAreNotLookedUpStart(String transports, String devices) {
        assertThatCode(() -> new SpringApplicationBuilder(WebApplication.class).web(WebApplicationType.NONE).run(
                "--reactor.ucx.web.client.enabled=true", "--reactor.ucx.network-devices=" + devices,
                "--reactor.ucx.transports=" + transports,
                "--spring.reactor.netty.shutdown-quiet-period=0s").close()).doesNotThrowAnyException();
    }

    /** A list for several kinds of hosts has names that one of them lacks. */
    @Test
    void aListWithOneNameOfThisHostStarts(CapturedOutput output) {
        new SpringApplicationBuilder(WebApplication.class).web(WebApplicationType.NONE).run(
                "--reactor.ucx.web.client.enabled=true", "--reactor.ucx.network-devices=lo,eht1",
                "--reactor.ucx.transports=shm,tcp,tpc",
                "--spring.reactor.netty.shutdown-quiet-period=0s").close();

        assertThat(output).contains("reactor.ucx.network-devices names [eht1], which this host does not have")
                .contains("reactor.ucx.transports names [tpc], which this host does not have");
    }

    @Test
    void aShortSecretIsReportedWithoutItsValue(CapturedOutput output) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(ServerApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx.security.shared-secret=swordfish").close());

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START").contains("reactor.ucx.security.shared-secret")
                .contains("secret of 9 bytes: must have at least 16").contains("openssl rand -hex 32")
                .doesNotContain("swordfish");
    }

    @Test
    void anAddressOfAnotherHost(CapturedOutput output) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(ServerApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx.server.address=192.0.2.1"));

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START").contains("Choose an address of this host");
    }

    @Test
    void aWrongValue(CapturedOutput output) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(ServerApplication.class)
                .web(WebApplicationType.NONE).run("--reactor.ucx.engine.count=0"));

        assertThat(failure).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START")
                .contains("Invalid value '0' for configuration property 'reactor.ucx.engine.count'")
                .contains("engines 0: must be in 1..1024");
    }

    @Test
    void theLibraryIsMissing() {
        FailureAnalysis analysis = analysis(new UcxUnavailableException("libucp.so.0 cannot be loaded",
                "Install UCX 1.13 or newer", null));

        assertThat(analysis.getDescription()).contains("libucp.so.0 cannot be loaded. Install UCX 1.13 or newer");
        assertThat(analysis.getAction()).contains("reactor.ucx.fallback=tcp")
                .doesNotContain("--enable-native-access");
    }

    @Test
    void nativeAccessIsDenied() {
        FailureAnalysis analysis = analysis(new UcxUnavailableException("The JVM does not allow native access",
                "Start java with a flag", new IllegalCallerException("Illegal native access")));

        assertThat(analysis.getAction()).startsWith("Start java with --enable-native-access=ALL-UNNAMED")
                .contains("Enable-Native-Access: ALL-UNNAMED");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NO_MEMORY     | worker_create | a worker takes some MiB of shared memory   | --shm-size=1g
            SHMEM_SEGMENT | mem_map       | cannot be written to                       | --shm-size=1g
            NO_RESOURCE   | selector      | raise the limit (ulimit -n 65536; ...)     | LimitNOFILE=65536
            NO_DEVICE     | init          | no transport or device is left             | reactor.ucx.transports
            INVALID_PARAM | init          | UCX cannot read the value                  | reactor.ucx.settings
            """)
    void errorsOfUcx(UcxStatus status, String operation, String detail, String remedy) {
        FailureAnalysis analysis = analysis(new UcxException(status, operation, null, detail));

        assertThat(analysis.getDescription()).contains(detail);
        assertThat(analysis.getAction()).contains(remedy);
    }

    @Test
    void otherErrorsAreLeftToOthers() {
        assertThat(analysis(new UcxException(UcxStatus.CONNECTION_RESET, "am_send", "peer", "lost"))).isNull();
        assertThat(analysis(new IllegalArgumentException("other"))).isNull();
    }
}
