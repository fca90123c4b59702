package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.TestTime;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service of the README in one process, and that of {@code docs/guide/first-service.md} in two, from the class path
 * and as a module, with nothing on their paths but what the dependency {@code io.reactorucx:reactor-ucx} brings: so
 * without Micrometer.
 */
@Tag("slow")
class GreeterTest {

    static final String MODULE_INFO = "examples/programs/src/test/resources/greeter/module-info.java";

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final String LISTENING = "listening on port ";
    private static final long LIMIT_SECONDS = TestTime.seconds(60).toSeconds();
    /** What the dependency of an application brings: folders of this build, or files by the start of their names. */
    private static final List<String> FOLDERS = List.of("core", "progress-engine", "transport",
            "reactor-adapter");
    private static final List<String> FILES = List.of("reactor-ucx-0", "reactor-ucx-core-",
            "reactor-ucx-progress-engine-", "reactor-ucx-transport-", "reactor-core-",
            "reactor-pool-", "reactive-streams-1", "jspecify-", "slf4j-api-", "jctools-core-", "agrona-");

    @TempDir
    private Path classes;

    @BeforeEach
    void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @Test
    void greetsWithinOneProcess() throws IOException, InterruptedException {
        compile("-classpath", path(), sources());

        assertPrintsTheGreeting(java(fromClassPath("Greeter"), "0"));
    }

    @Test
    void greetsFromTheClassPath() throws IOException, InterruptedException {
        compile("-classpath", path(), sources());

        assertGreets(fromClassPath("GreeterServer"), fromClassPath("GreeterClient"));
    }

    @Test
    void greetsAsAModule() throws IOException, InterruptedException {
        List<Path> sources = new ArrayList<>(sources());
        sources.add(ROOT.resolve(MODULE_INFO));
        compile("--module-path", path(), sources);

        assertGreets(asModule("GreeterServer"), asModule("GreeterClient"));
    }

    @Test
    void pagesShowDescriptorAndCoordinates() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        String page = Files.readString(ROOT.resolve("docs/guide/first-service.md"));
        String version = Files.readString(ROOT.resolve("pom.xml")).split("<version>")[1].split("</version>")[0];
        String descriptor = Files.readString(ROOT.resolve(MODULE_INFO)).strip().replaceAll("\\s+", " ");

        assertThat(page).contains("`" + descriptor + "`");
        assertThat(readme).contains("<artifactId>reactor-ucx</artifactId>\n    <version>" + version + "</version>");
    }

    private List<String> fromClassPath(String program) {
        return List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes + File.pathSeparator + path(),
                "greeter." + program);
    }

    private List<String> asModule(String program) {
        return List.of("--enable-native-access=io.reactorucx.core", "-p", classes + File.pathSeparator + path(), "-m",
                "greeter/greeter." + program);
    }

    private static String path() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(GreeterTest::isBrought)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isBrought(String entry) {
        Path path = Path.of(entry).toAbsolutePath().normalize();
        String name = path.getFileName().toString();
        return FOLDERS.stream().anyMatch(folder -> path.equals(ROOT.resolve(folder).resolve("target/classes")))
                || FILES.stream().anyMatch(name::startsWith) && !name.endsWith("-tests.jar");
    }

    private static List<Path> sources() {
        return Stream.of("Greeter.java", "GreeterServer.java", "GreeterClient.java")
                .map(name -> ROOT.resolve("examples/programs/src/main/java/greeter").resolve(name)).toList();
    }

    private void compile(String pathOption, String path, List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of("-d", classes.toString(), "-proc:none", pathOption, path);
            var units = files.getJavaFileObjectsFromPaths(sources);
            boolean done = compiler.getTask(said, files, null, options, null, units).call();
            assertThat(done).as("compiled: %s", said).isTrue();
        }
    }

    private void assertGreets(List<String> server, List<String> client) throws IOException, InterruptedException {
        Process serving = java(server, "0");
        try (BufferedReader output = serving.inputReader(StandardCharsets.UTF_8)) {
            String port = output.lines().filter(line -> line.startsWith(LISTENING)).findFirst()
                    .map(line -> line.substring(LISTENING.length()))
                    .orElseThrow(() -> new AssertionError("the server ended: " + errors()));
            assertPrintsTheGreeting(java(client, port));
        } finally {
            serving.destroy();
            end(serving);
        }
    }

    private void assertPrintsTheGreeting(Process asking) throws IOException, InterruptedException {
        try (BufferedReader answer = asking.inputReader(StandardCharsets.UTF_8)) {
            assertThat(answer.lines().toList()).as("output of the client; errors: %s", errors())
                    .containsExactly("Hello UCX");
        } finally {
            end(asking);
        }
        assertThat(asking.exitValue()).isZero();
    }

    private Process java(List<String> options, String port) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String libraryPath = System.getProperty("io.reactorucx.library.path");
        if (libraryPath != null) {
            command.add("-Dio.reactorucx.library.path=" + libraryPath);
        }
        command.addAll(options);
        command.add(port);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(classes.resolve("errors.txt").toFile()));
        // UCX logs to the standard output.
        builder.environment().putIfAbsent("UCX_LOG_LEVEL", "fatal");
        Process process = builder.start();
        process.onExit().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly());
        return process;
    }

    private String errors() {
        try {
            return Files.readString(classes.resolve("errors.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void end(Process process) throws InterruptedException {
        assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("the process ended").isTrue();
    }
}
