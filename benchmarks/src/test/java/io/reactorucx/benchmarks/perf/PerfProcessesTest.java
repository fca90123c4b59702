package io.reactorucx.benchmarks.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.benchmarks.Main;
import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Client and server of perf in processes of their own, as a user starts them. */
@Tag("slow")
class PerfProcessesTest {

    private static ChildJvm.Builder client(String address, String... options) {
        return ChildJvm.of(Main.class).environment("UCX_LOG_LEVEL", "fatal").arguments("perf", "client",
                "--connect", address, "--seconds", "0.05", "--warmup-seconds", "0.05", "--format", "json")
                .arguments(options);
    }

    @Test
    void serverEndsWithItsClient() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (ServerProcess server = ServerProcess.start()) {
            ChildProcess.Result result = client(server.address(), "--test", "am").run();

            assertThat(result.exitCode()).as(result.output()).isZero();
            assertThat(JsonLine.fields(result.output().strip())).containsEntry("test", "am");
            assertThat(server.child().result().exitCode()).isZero();
        }
    }

    /** As a service, in the background, or over ssh: without an input, or with an input at its end. */
    @ParameterizedTest
    @ValueSource(strings = {"exec \"$@\" < /dev/null", "exec \"$@\" <&-", ": | \"$@\""})
    void serverServesWithoutATerminal(String start) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        List<String> command = new ArrayList<>(List.of("sh", "-c", start, "sh"));
        command.addAll(server());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("UCX_LOG_LEVEL", "fatal");
        try (ChildProcess server = ChildProcess.start(builder)) {
            String port = server.awaitLine(ServerCommand.READY).substring(ServerCommand.READY.length());
            ChildProcess.Result result = client("127.0.0.1:" + port, "--test", "am").run();

            assertThat(result.exitCode()).as(result.output()).isZero();
            assertThat(server.result().exitCode()).isZero();
        }
    }

    @Test
    void serverEndsWithItsStandardInputIfAsked() {
        try (ChildProcess server = ChildProcess.start(new ProcessBuilder(server("--until-input-ends"))
                .redirectInput(new File("/dev/null")))) {
            assertThat(server.result().exitCode()).isZero();
            assertThat(server.output()).contains("perf server: ends with its standard input");
        }
    }

    @Test
    void serverEndsAfterItsTime() {
        try (ChildProcess server = ChildProcess.start(new ProcessBuilder(server("--seconds", "0.1")))) {
            assertThat(server.result().exitCode()).isZero();
            assertThat(server.output()).contains("perf server: ends after 0.1 s");
        }
    }

    @Test
    void serverEndsByASignal() {
        try (ChildProcess server = ChildProcess.start(new ProcessBuilder(server()))) {
            server.awaitLine(ServerCommand.READY);
            server.handle().destroy();

            assertThat(server.result().exitCode()).isEqualTo(128 + 15);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"server --port 65536", "server --seconds 0", "server --connections 0", "server --engines 0",
        "server --no-such-option", "client --test am", "client --connect 127.0.0.1:1 --test nothing",
        "client --connect 127.0.0.1 --test am", "client --connect 127.0.0.1:1 --test am --seconds 0"})
    void refusesWrongArguments(String arguments) {
        ChildProcess.Result result = ChildJvm.of(Main.class).arguments("perf").arguments(arguments.split(" ")).run();

        assertThat(result.exitCode()).as(result.output()).isEqualTo(2);
        assertThat(result.output()).contains("--").doesNotContain(ServerCommand.READY, "\tat ");
    }

    private static List<String> server(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Main.class.getName(), "perf", "server", "--port", "0"));
        command.addAll(List.of(options));
        return command;
    }

    @Test
    void clientWithoutAServerFailsInOneLine() {
        ChildProcess.Result result = ChildJvm.of(Main.class).environment("UCX_LOG_LEVEL", "fatal")
                .arguments("perf", "client", "--connect", "127.0.0.1:1", "--test", "am").run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output().strip().lines()).hasSize(1).first().asString()
                .contains("FAILED: --connect 127.0.0.1:1");
    }

    @Test
    void clientOfAnotherErrorModeFails() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (ServerProcess server = ServerProcess.start("--error-mode", "none")) {
            ChildProcess.Result result = client(server.address(), "--test", "am").run();

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
