package io.reactorucx.examples.store.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ./run store} leaves no process and no file, however it ends. */
@Tag("slow")
class StoreProcessTest {

    private static final Duration START = TestTime.seconds(120);
    private static final Duration END = TestTime.seconds(30);

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @CsvSource({"INT, seconds", "KILL, starting"})
    void aSignalEndsItsProcessesToo(String signal, String amid) throws Exception {
        Path output = temporary.resolve("output");
        Path folder = Files.createDirectory(temporary.resolve("tmp"));
        // Tests that run in the background of a shell ignore SIGINT, and so would their children.
        Process store = new ProcessBuilder("env", "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder, "-cp",
                System.getProperty("java.class.path"), Main.class.getName(), "store", "--seconds", "300", "--nodes",
                "2").redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            // With "seconds" the table begins; the registry and both nodes run before.
            await().atMost(START).until(() -> Files.readString(output).contains(amid)
                    && store.children().count() == 3);
            Set<ProcessHandle> children = store.children().collect(Collectors.toSet());

            assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(store.pid())).start().waitFor())
                    .isZero();

            assertThat(store.waitFor(END.toSeconds(), TimeUnit.SECONDS)).as("the program has ended").isTrue();
            await().atMost(END).untilAsserted(() -> assertThat(children).noneMatch(ProcessHandle::isAlive));
            assertThat(files(folder)).as(() -> text(output)).isEmpty();
        } finally {
            store.descendants().forEach(ProcessHandle::destroyForcibly);
            store.destroyForcibly();
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> !file.getFileName().toString().startsWith("hsperfdata")).toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
