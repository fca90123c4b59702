package io.reactorucx.benchmarks.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients in new JVMs, without and with a cache. */
@Tag("slow")
@Timeout(1500)
class StartupProcessesTest {

    private static final int INTERVALS = 4;

    @TempDir
    private Path folder;

    /** The class path of this JVM, with jars in place of folders. */
    private String jars() {
        List<String> entries = new ArrayList<>();
        ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(entry))) {
                String packed = folder.resolve(entries.size() + ".jar").toString();
                assertThat(jar.run(System.out, System.err, "--create", "--file", packed, "-C", entry, ".")).isZero();
                entries.add(packed);
            } else {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static void assertMeasured(Programs.Ended ended) {
        Start start = Start.of(ended.startNanos(), ended.lineOf(StartupClient.REPLIES));
        assertThat(start.firstReplyMillis()).isPositive();
        assertThat(start.steadyMillis()).isGreaterThan(start.firstReplyMillis());
        assertThat(start.steadyRate()).isPositive();
        assertThat(ended.lineOf(StartupClient.TRANSPORTS)).isNotBlank();
    }

    @Test
    void measuresClientsWithoutAndWithACache() throws IOException, InterruptedException {
        Programs programs = new Programs(jars(), Cpus.of("any"), INTERVALS);
        Path cache = folder.resolve("client.aot");
        try (ChildProcess server = programs.server()) {
            assertMeasured(programs.client(server, List.of()));
            programs.train(server, cache);
            assertThat(cache).isNotEmptyFile();
            assertMeasured(programs.clientWith(server, cache));

            // A cache that does not fit is refused here, and ignored by a JVM that is not told to refuse it.
            Files.writeString(cache, "no cache");
            assertThatThrownBy(() -> programs.clientWith(server, cache)).isInstanceOf(MeasurementFailure.class)
                    .hasMessageContaining("the client ended with");
            assertMeasured(programs.client(server, List.of("-XX:AOTCache=" + cache)));
        }
    }

    @Test
    void saysThatTheTrainingRunWroteNoCache() throws IOException, InterruptedException {
        Programs programs = new Programs(jars(), Cpus.of("any"), INTERVALS);
        Path cache = folder.resolve("no-such-folder").resolve("client.aot");
        try (ChildProcess server = programs.server()) {
            assertThatThrownBy(() -> programs.train(server, cache)).isInstanceOf(MeasurementFailure.class);
        }
    }

    @Test
    void refusesFolders() {
        String classPath = "some.jar" + File.pathSeparator + folder;
        assertThatThrownBy(() -> new Programs(classPath, Cpus.of("any"), INTERVALS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("class path entry " + folder + ": must be a jar, because a JVM makes no AOT cache for"
                        + " folders; ./run startup has jars");
    }
}
