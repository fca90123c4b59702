package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application in a process without UCX, or without enough of what UCX needs. */
@Tag("slow")
class FallbackTest {

    private static final long LIMIT_SECONDS = TestTime.seconds(60).toSeconds();

    @TempDir
    private Path folder;

    @Test
    void theKernelsTcpServesByProperty() throws IOException, InterruptedException {
        Result result = run("--reactor.ucx.fallback=tcp");

        assertThat(result.output()).contains("HTTP goes over the kernel's TCP, because reactor.ucx.fallback is tcp")
                .contains("RSocket is served over the kernel's TCP").contains("RSocket connects over the kernel's TCP")
                .contains(FallbackApplication.HTTP + "Hello Anna").contains(FallbackApplication.RSOCKET + "Hello Anna")
                .contains(FallbackApplication.HEALTH + "UNKNOWN");
        assertThat(result.code()).isZero();
    }

    @Test
    void withoutThePropertyTheStartFailsWithARemedy() throws IOException, InterruptedException {
        Result result = run();

        assertThat(result.output()).contains("APPLICATION FAILED TO START")
                .contains("UCX cannot be used in this process: There is no libucm.so.0 in " + folder)
                .contains("reactor.ucx.fallback=tcp");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void thePropertyNamesTheFolderOfUcx() throws IOException, InterruptedException {
        Result result = run(List.of("--enable-native-access=ALL-UNNAMED"), "--reactor.ucx.library-path=" + folder);

        assertThat(result.output()).contains("There is no libucm.so.0 in " + folder)
                .contains("reactor.ucx.library-path names a folder of UCX, too");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void deniedNativeAccessIsReportedWithItsFlag() throws IOException, InterruptedException {
        Result result = run(List.of("--illegal-native-access=deny"));

        assertThat(result.output()).contains("APPLICATION FAILED TO START")
                .contains("The JVM does not allow native access to this library")
                .contains("Start java with --enable-native-access=ALL-UNNAMED");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void moreLoopsThanFilesAreReported() throws IOException, InterruptedException {
        Result result = run(List.of("bash", "-c", "ulimit -n 1024; exec \"$@\"", "bash"),
                List.of("--enable-native-access=ALL-UNNAMED"), "--reactor.ucx.netty.loops=2000");

        assertThat(result.output()).contains("APPLICATION FAILED TO START")
                .contains("Invalid value '2000' for configuration property 'reactor.ucx.netty.loops'")
                .contains("2000 loops cannot be made: ").contains("Too many open files");
        assertThat(result.code()).isEqualTo(1);
    }

    /**
     * What a process has done.
     *
     * @param code with which it has ended
     * @param output what it has printed
     */
    private record Result(int code, String output) {
    }

    /** Starts the application with an empty folder as that of UCX. */
    private Result run(String... arguments) throws IOException, InterruptedException {
        return run(List.of("--enable-native-access=ALL-UNNAMED", "-Dio.reactorucx.library.path=" + folder), arguments);
    }

    private Result run(List<String> options, String... arguments) throws IOException, InterruptedException {
        return run(List.of(), options, arguments);
    }

    private Result run(List<String> launcher, List<String> options, String... arguments) throws IOException,
            InterruptedException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FallbackApplication.class.getName()));
        command.addAll(List.of(arguments));
        Path log = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), java.nio.file.Files.readString(log, StandardCharsets.UTF_8));
    }
}
