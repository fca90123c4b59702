package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.Jazzer;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No bytes that the peer of a channel could send break what reads them: Jazzer makes them up, as for the frames of the
 * adapter, from the corpus in {@code src/test/resources/fuzz}. The input that breaks one is left in
 * {@code target/fuzz/artifacts}: put it into the corpus, where it is tried each time.
 */
@Tag("slow")
class FrameFuzzTest {

    private static final long INPUTS = 100_000;

    /** How long in {@code ./run stress}; 0 for so many inputs instead. */
    private static final long SECONDS = Long.getLong("io.reactorucx.stress.seconds", 0);
    private static final Duration GRACE = Duration.ofMinutes(2);
    private static final Pattern DONE = Pattern.compile("stat::number_of_executed_units: (\\d+)");
    private static final Pattern COVERED = Pattern.compile("DONE +cov: (\\d+)");

    private static Path corpus(FrameParser parser) throws URISyntaxException {
        URL folder = FrameFuzzTest.class.getResource("/" + parser.corpus());
        return Path.of(Objects.requireNonNull(folder, parser.corpus()).toURI());
    }

    @ParameterizedTest
    @EnumSource
    void corpusIsRead(FrameParser parser) throws IOException, URISyntaxException {
        List<Path> inputs;
        try (Stream<Path> files = Files.list(corpus(parser))) {
            inputs = files.toList();
        }
        assertThat(inputs).isNotEmpty();
        for (Path input : inputs) {
            parser.read(Files.readAllBytes(input));
        }
    }

    @ParameterizedTest
    @EnumSource
    void noInputBreaksTheParser(FrameParser parser) throws IOException, URISyntaxException {
        Path found = Files.createDirectories(Path.of("target", parser.corpus())).toAbsolutePath();
        Path artifacts = Files.createDirectories(Path.of("target", "fuzz", "artifacts")).toAbsolutePath();
        ChildProcess.Result result;
        try (ChildJvm child = ChildJvm.of(Jazzer.class).options("-Xmx256m", "-D" + FuzzTarget.PARSER + "=" + parser)
                .arguments("--target_class=" + FuzzTarget.class.getName(),
                        "--instrumentation_includes=io.reactorucx.**", "--reproducer_path=" + artifacts,
                        "-artifact_prefix=" + artifacts + "/", "-rss_limit_mb=0", "-timeout=10",
                        "-print_final_stats=1", SECONDS == 0 ? "-runs=" + INPUTS : "-max_total_time=" + SECONDS,
                        found.toString(), corpus(parser).toString()).start()) {
            result = child.result(Duration.ofSeconds(SECONDS).plus(GRACE));
        }

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(number(COVERED, result)).as("branches").isGreaterThan(10);
        assertThat(number(DONE, result)).as("inputs").isGreaterThanOrEqualTo(INPUTS);
        System.out.println(parser + ": " + number(DONE, result) + " inputs, " + number(COVERED, result) + " branches");
    }

    private static long number(Pattern pattern, ChildProcess.Result result) {
        Matcher matcher = pattern.matcher(result.output());
        assertThat(matcher.find()).as(result.output()).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
