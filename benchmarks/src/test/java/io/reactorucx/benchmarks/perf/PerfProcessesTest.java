package io.reactorucx.benchmarks.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.benchmarks.Main;
import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Client and server as a user starts them. */
class PerfProcessesTest {

    private static ChildJvm.Builder client(ServerProcess server, String... options) {
        return ChildJvm.of(Main.class).environment("UCX_LOG_LEVEL", "fatal").arguments("perf", "client", "--connect", server.address(),
                "--seconds", "0.05", "--warmup-seconds", "0.05", "--format", "json").arguments(options);
    }

    @Test
    void serverEndsWithItsClient() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (ServerProcess server = ServerProcess.start()) {
            ChildProcess.Result result = client(server, "--test", "am").run();

            assertThat(result.exitCode()).as(result.output()).isZero();
            assertThat(JsonLine.fields(result.output().strip())).containsEntry("test", "am");
            assertThat(server.child().result().exitCode()).isZero();
        }
    }

    @Test
    void serverEndsWithItsStandardInput() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try (ChildProcess server = ChildProcess.start(new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"),
                Main.class.getName(), "perf", "server", "--port", "0").redirectInput(new File("/dev/null")))) {
            assertThat(server.result().exitCode()).isZero();
        }
    }

    @Test
    void clientOfNobodyFailsInALine() {
        ChildProcess.Result result = ChildJvm.of(Main.class).environment("UCX_LOG_LEVEL", "fatal")
                .arguments("perf", "client", "--connect", "127.0.0.1:1", "--test", "am").run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output().strip().lines()).hasSize(1).first().asString().contains("FAILED: --connect 127.0.0.1:1");
    }

    @Test
    void clientOfAnotherErrorModeFails() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (ServerProcess server = ServerProcess.start("--error-mode", "none")) {
            ChildProcess.Result result = client(server, "--test", "am").run();

            assertThat(result.exitCode()).as(result.output()).isEqualTo(1);
            assertThat(result.output()).contains("perf client: FAILED: ");
        }
    }

    @Test
    void explainsItself() {
        ChildProcess.Result result = ChildJvm.of(Main.class).arguments("perf").run();

        assertThat(result.exitCode()).isZero();
        assertThat(result.output()).contains("perf server", "perf client", "--connect");
    }
}
