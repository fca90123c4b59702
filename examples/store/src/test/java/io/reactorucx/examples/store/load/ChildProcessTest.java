package io.reactorucx.examples.store.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
class ChildProcessTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    /** A parent that ends without a chance to do anything. */
    static final class Parent {

        private Parent() {
        }

        public static void main(String[] arguments) throws Exception {
            ChildProcess child = ChildProcess.registry();
            child.awaitPort();
            System.out.println(child.pid());
            System.in.read();
            Runtime.getRuntime().halt(1);
        }
    }

    @Test
    void aChildEndsWithItsParent() throws Exception {
        Process parent = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                Parent.class.getName()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader lines = parent.inputReader(StandardCharsets.UTF_8)) {
            ProcessHandle child = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
            assertThat(child.isAlive()).isTrue();
            parent.destroyForcibly();
            await().atMost(LIMIT).until(() -> !child.isAlive());
        } finally {
            parent.destroyForcibly();
        }
    }
}
