package io.reactorucx.spring.boot.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringApplicationAotProcessor;

/**
 * Spring Boot's processing ahead of time: the generated sources compile, and an application that is made of them alone
 * runs over UCX. What a native image does with it was not tried.
 */
@Tag("slow")
class AotTest {

    private static final long LIMIT_SECONDS = TestTime.seconds(60).toSeconds();
    private static final String CLASS_PATH = System.getProperty("java.class.path");

    @TempDir
    private Path folder;

    @Test
    void anApplicationRunsFromGeneratedBeans() throws IOException, InterruptedException {
        Path sources = folder.resolve("sources");
        Path classes = Files.createDirectories(folder.resolve("classes"));
        assertThat(run(CLASS_PATH, List.of(), SpringApplicationAotProcessor.class.getName(),
                AotApplication.class.getName(), sources.toString(), folder.resolve("resources").toString(),
                classes.toString(), "io.reactorucx", "aot").code()).isZero();

        List<String> generated = javaFiles(sources);
        assertThat(generated).anyMatch(file -> file.endsWith("UcxWebAutoConfiguration__BeanDefinitions.java"))
                .anyMatch(file -> file.endsWith("UcxRSocketAutoConfiguration__BeanDefinitions.java"));
        List<String> arguments = new ArrayList<>(List.of("-cp", classes + ":" + CLASS_PATH, "-d", classes.toString(),
                "-proc:none", "-nowarn"));
        arguments.addAll(generated);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        assertThat(Files.readString(folder.resolve(
                "resources/META-INF/native-image/io.reactorucx/aot/reachability-metadata.json"))
                .replace("\\/", "/"))
                .contains("io/reactorucx/core/internal/*.txt").contains("io.reactorucx.spring.boot.UcxProperties");

        Result result = run(classes + ":" + CLASS_PATH, List.of("-Dspring.aot.enabled=true"),
                AotApplication.class.getName());
        assertThat(result.output()).contains("Starting AOT-processed").contains(AotApplication.RESULT + "Hello Anna");
        assertThat(result.code()).isZero();
    }

    @Test
    void filesOfTheLibraryAreRegistered() {
        RuntimeHints hints = new RuntimeHints();
        new UcxRuntimeHints().registerHints(hints, null);

        assertThat(RuntimeHintsPredicates.resource()
                .forResource("io/reactorucx/core/internal/ucx-config-keys.txt")).accepts(hints);
    }

    private static List<String> javaFiles(Path sources) {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.map(Path::toString).filter(file -> file.endsWith(".java")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What a process has done.
     *
     * @param code with which it has ended
     * @param output what it has printed
     */
    private record Result(int code, String output) {
    }

    private Result run(String classPath, List<String> options, String... main) throws IOException,
            InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(main));
        Path log = Files.createTempFile(folder, "output", ".txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log, StandardCharsets.UTF_8);
        return new Result(process.exitValue(), output);
    }
}
