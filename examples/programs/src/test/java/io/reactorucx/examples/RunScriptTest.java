package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./run}, in a copy of a working copy that has no sources: what it does there needs no build. */
@Tag("slow")
class RunScriptTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final int WIDTH = 80;
    private static final long LIMIT_SECONDS = TestTime.seconds(60).toSeconds();

    @TempDir
    private Path copy;
    @TempDir
    private Path outputs;
    /** Programs that are found before the system's. */
    @TempDir
    private Path programs;

    private record Ended(int exitCode, List<String> out, List<String> err) {
    }

    @BeforeEach
    void copyScripts() throws IOException {
        Files.copy(ROOT.resolve("run"), copy.resolve("run"));
        Path config = ROOT.resolve("config");
        Files.walkFileTree(config, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path target = copy.resolve("config").resolve(config.relativize(file));
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private Ended run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", copy.resolve("run").toString()));
        command.addAll(List.of(arguments));
        Path out = outputs.resolve("out");
        Path err = outputs.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("PATH", programs + ":" + System.getenv("PATH"));
        builder.environment().remove("MAVEN_ARGS");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("%s ended", command).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readAllLines(out), Files.readAllLines(err));
    }

    private static Stream<String> commands() throws IOException {
        String text = Files.readString(ROOT.resolve("config/help/run.txt"));
        return Pattern.compile("(?m)^  ([a-z]+) ").matcher(text).results().map(command -> command.group(1));
    }

    /** The commands of {@code ./run help} but itself and packages, which it explains, and the parts of perf. */
    private static Stream<String> explained() throws IOException {
        return Stream.concat(commands().filter(command -> !List.of("help", "packages").contains(command)),
                Stream.of("perf server", "perf client"));
    }

    private void assertShown(Ended ended, Path text) throws IOException {
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).hasSizeGreaterThan(3).isEqualTo(Files.readAllLines(text))
                .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(WIDTH));
        assertThat(copy.resolve("target")).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("explained")
    void explainsACommandInEightyColumns(String command) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.add("--help");

        assertShown(run(arguments.toArray(String[]::new)),
                ROOT.resolve("config/help/" + command.replace(' ', '-') + ".txt"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "help", "--help", "-h"})
    void listsTheCommandsInEightyColumns(String argument) throws IOException, InterruptedException {
        assertThat(commands()).contains("demo", "test", "perf", "info");
        assertShown(argument.isEmpty() ? run() : run(argument), ROOT.resolve("config/help/run.txt"));
    }

    /** All but jmh, whose options JMH reads. */
    private static Stream<String> checked() throws IOException {
        return commands().filter(command -> !command.equals("jmh"));
    }

    @ParameterizedTest
    @MethodSource("checked")
    void refusesAnUnknownOptionOfACommandBeforeItBuilds(String command) throws IOException, InterruptedException {
        assertRefused(run(command, "--no-such-option"), "no-such-option");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-command", "demo extra", "demo --port", "demo --port=x", "demo --tcp=yes",
        "dashboard --port x", "dashboard --kill=1", "dashboard --port=65536", "store --nodes 0", "store --nodes=17",
        "store --seconds 0", "store --interval=0.0", "boot --seconds 0", "demo --port=99999999999999999999",
        "perf client --test am", "perf client --connect host:1", "perf client --connect foo --test am",
        "perf client --connect=host:1 --test=amm", "perf client --connect=host:1 --test=or",
        "perf server --strategy lazy", "perf server --error-mode=both", "perf client --format xml",
        "soak --minutes ten", "info --jsn", "info --to", "info --to=host", "info --to=host:0", "info --to=host:65536",
        "info --to=::1:4711", "info --to=[host]:1", "info --to=[::1]", "info --to=:1", "info --timeout=0",
        "perf neither", "perf server --keep --prot 1", "perf client --size -1",
        "bench --pairs x", "bench --minutes 0", "bench --pack", "bench --pack=x --quick", "bench --list --pack x",
        "startup --pairs x",
        "charts --in x", "test clean", "test --no-such-option", "test -pl", "stress nothing", "attack nobody",
        "stress races 0", "stress races 1 2", "stress calls --seed", "stress calls --seed x",
        "stress calls --seconds 0", "stress chaos --transports TCP!", "mutants", "mutants NoSuchClass",
        "mutants no/class", "matrix trixie9", "matrix trixie -- clean", "help no-such-command",
        "help demo extra", "packages nothing", "install clean"})
    void refusesWrongArgumentsBeforeItBuilds(String arguments) throws IOException, InterruptedException {
        assertRefused(run(arguments.split(" ")), "run: ");
    }

    /** The options with a value of the programs whose arguments are checked by their help text. */
    private static Stream<String> valued() throws IOException {
        List<String> options = new ArrayList<>();
        for (String command : List.of("demo", "info", "netty", "boot", "store", "dashboard", "soak", "perf server",
                "perf client", "bench", "charts", "startup")) {
            String text = Files.readString(ROOT.resolve("config/help/" + command.replace(' ', '-') + ".txt"));
            Pattern.compile("[\\[ ](--[a-z-]+)=").matcher(text).results().map(option -> command + " " + option.group(1))
                    .forEach(options::add);
        }
        return options.stream().distinct();
    }

    @ParameterizedTest
    @MethodSource("valued")
    void takesTheValueOfAnOption(String option) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(option.split(" ")));
        arguments.addAll(List.of("1", "--no-such-option"));

        assertRefused(run(arguments.toArray(String[]::new)), "'--no-such-option'");
    }

    private void assertRefused(Ended ended, String reason) {
        assertThat(ended.err()).hasSize(1).first().asString().contains(reason);
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(copy.resolve("target")).doesNotExist();
    }

    @Test
    void listsThePackagesOfAPurpose() throws IOException, InterruptedException {
        List<String> all = run("packages").out();

        assertThat(all).contains("maven", "libucx0", "gcc").doesNotHaveDuplicates();
        assertThat(run("packages", "build").out()).containsExactly("maven");
        assertThat(run("packages", "run").out()).containsExactly("libucx0");
        assertThat(run("packages", "test").out()).hasSize(all.size() - 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"install", "install -o", "install -q -o"})
    void installsWhatOtherBuildsNeedWithTheOptionsOfMavenThatItWasGiven(String arguments) throws IOException,
            InterruptedException {
        Path maven = programs.resolve("mvn");
        Files.writeString(maven, """
                #!/bin/sh
                [ "$1" = -v ] && echo Apache Maven 3.9.9 && exit
                echo maven "$@"
                """);
        assertThat(maven.toFile().setExecutable(true)).isTrue();

        Ended ended = run(arguments.split(" "));

        assertThat(ended.exitCode()).as(ended.err().toString()).isZero();
        assertThat(ended.out()).anySatisfy(line -> assertThat(line).startsWith("maven ")
                .contains("-pl reactor-adapter,netty-transport,rsocket-transport,spring-boot/starter -am install")
                .endsWith(arguments));
    }
}
