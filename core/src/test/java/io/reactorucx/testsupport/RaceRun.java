package io.reactorucx.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run of a module's tests of races (jcstress, {@code src/jcstress/java}) in a JVM of its own, which starts one more
 * for each.
 *
 * <p>Short: each race runs briefly, compiled as the JVM chooses. Long, with {@code -Dio.reactorucx.stress.seconds}: on
 * each kind of JVM, with each way to compile each actor, for so many seconds in all, the starts of JVMs aside.
 *
 * @param verdicts what became of each test, by its simple name: {@code OK} or else
 * @param samples how often the actors met
 * @param output what jcstress printed
 */
public record RaceRun(Map<String, String> verdicts, long samples, String output) {

    private static final long SECONDS = Long.getLong("io.reactorucx.stress.seconds", 0);
    private static final long SHORT_MILLIS = 300;
    /** For the start of a hundred JVMs. */
    private static final Duration GRACE = Duration.ofMinutes(15);

    /** What jcstress makes of one test, of kinds of JVMs and ways to compile. */
    private static final long WAYS = 14;

    private static final Pattern VERDICT = Pattern.compile("\\.{3,} \\[([A-Z ]+)] \\S*\\.(\\w+)");
    private static final Pattern SAMPLES =
            Pattern.compile("\\s([\\d,]+)\\s+[\\d.]+%\\s+(?:Acceptable|Interesting|Forbidden)\\b");

    /**
     * Runs tests, for a short time or as long as the system property says.
     *
     * @param main jcstress's main class
     * @param tests pattern of their names
     * @param count how many they are
     * @return what came of it
     */
    public static RaceRun of(Class<?> main, String tests, int count) {
        return SECONDS == 0 ? shortly(main, tests)
                : run(main, tests, "-jvmArgsPrepend", "--enable-native-access=ALL-UNNAMED",
                "-time", Long.toString(Math.max(SHORT_MILLIS, SECONDS * 1000 / (count * WAYS))));
    }

    /**
     * Runs tests for a short time.
     *
     * @param main jcstress's main class
     * @param tests pattern of their names
     * @return what came of it
     */
    public static RaceRun shortly(Class<?> main, String tests) {
        return run(main, tests, "-jvmArgs", "--enable-native-access=ALL-UNNAMED -Xmx256m", "-sc", "false", "-af",
                "NONE", "-time", Long.toString(SHORT_MILLIS));
    }

    private static RaceRun run(Class<?> main, String tests, String... more) {
        try (ChildJvm child = ChildJvm.of(main).directory(folder())
                .arguments("-t", tests, "-v", "-c", "2", "-f", "1", "-fsm", "1", "-iters", "1").arguments(more)
                .start()) {
            return parse(child.result(Duration.ofSeconds(2 * SECONDS).plus(GRACE)).output());
        }
    }

    /** Where jcstress leaves its results. */
    private static Path folder() {
        try {
            return Files.createDirectories(Path.of("target", "jcstress"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RaceRun parse(String output) {
        Map<String, String> verdicts = new TreeMap<>();
        Matcher verdict = VERDICT.matcher(output);
        while (verdict.find()) {
            // A test that fails in one way of many has failed.
            verdicts.merge(verdict.group(2), verdict.group(1), (before, now) -> before.equals("OK") ? now : before);
        }
        long samples = 0;
        // What follows is the summary, which names them again.
        Matcher sample = SAMPLES.matcher(output.split("Interesting tests:", 2)[0]);
        while (sample.find()) {
            samples += Long.parseLong(sample.group(1).replace(",", ""));
        }
        return new RaceRun(verdicts, samples, output);
    }
}
