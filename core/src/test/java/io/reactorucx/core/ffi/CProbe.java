package io.reactorucx.core.ffi;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Evaluates integer expressions with the machine's C compiler. An expression that does not compile, because the
 * installed headers lack what it names, has no value. Each expression stands on a line of its own, so that the
 * compiler's complaint names the expression.
 */
final class CProbe {
    private static final int MAX_ROUNDS = 5;
    private static final long TIMEOUT_SECONDS = TestTime.seconds(60).toSeconds();
    private static final Pattern ERROR = Pattern.compile("^probe\\.c:(\\d+):.*error:.*$", Pattern.MULTILINE);

    private final Path folder;
    private final Path headers;
    private final String compiler;

    private record Outcome(int exitCode, String output) {
    }

    private CProbe(Path folder, Path headers, String compiler) {
        this.folder = folder;
        this.headers = headers;
        this.compiler = compiler;
    }

    /** A probe that uses the first compiler on the PATH, if there is one. */
    static Optional<CProbe> create(Path folder, Path headers) {
        String[] path = System.getenv().getOrDefault("PATH", "").split(":", -1);
        return Stream.of("cc", "gcc", "clang")
                .filter(name -> Stream.of(path).anyMatch(entry -> !entry.isEmpty()
                && Files.isExecutable(Path.of(entry, name))))
                .findFirst()
                .map(name -> new CProbe(folder, headers, name));
    }

    /** What the compiler says about the headers alone, empty when it accepts them. */
    String complaintAboutHeaders() throws IOException, InterruptedException {
        Files.writeString(folder.resolve("probe.c"), "#include \"ucx.h\"\n");
        Outcome outcome = compile("-fsyntax-only");
        return outcome.exitCode == 0 ? "" : outcome.output;
    }

    /** The values of the expressions that compile, in their order. */
    Map<String, Long> evaluate(List<String> expressions) throws IOException, InterruptedException {
        TreeSet<Integer> dropped = new TreeSet<>();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            Files.writeString(folder.resolve("probe.c"), source(expressions, dropped));
            Outcome outcome = compile("-o", "probe");
            if (outcome.exitCode == 0) {
                return parse(expressions, run("./probe"));
            }
            boolean progress = ERROR.matcher(outcome.output).results()
                    .map(match -> Integer.parseInt(match.group(1)) - 1)
                    .filter(index -> index < expressions.size())
                    .map(dropped::add)
                    .reduce(false, Boolean::logicalOr);
            if (!progress) {
                throw new IOException("the probe does not compile:\n" + outcome.output);
            }
        }
        throw new IOException("the probe does not compile after " + MAX_ROUNDS + " rounds");
    }

    /** Line n + 1 is the function of expression n; the includes come from the command line to keep it so. */
    private static String source(List<String> expressions, TreeSet<Integer> dropped) {
        StringBuilder functions = new StringBuilder();
        StringBuilder main = new StringBuilder("int main(void) {\n");
        for (int i = 0; i < expressions.size(); i++) {
            if (!dropped.contains(i)) {
                functions.append("static long long v%d(void) { return (long long)(%s); }"
                        .formatted(i, expressions.get(i)));
                main.append("    printf(\"%d %%lld\\n\", v%d());%n".formatted(i, i));
            }
            functions.append('\n');
        }
        return functions.append(main).append("    return 0;\n}\n").toString();
    }

    private static Map<String, Long> parse(List<String> expressions, Outcome outcome) throws IOException {
        if (outcome.exitCode != 0) {
            throw new IOException("the probe ended with " + outcome.exitCode + ": " + outcome.output);
        }
        Map<String, Long> values = new LinkedHashMap<>();
        outcome.output.lines().map(line -> line.split(" ", 2))
                .forEach(pair -> values.put(expressions.get(Integer.parseInt(pair[0])), Long.parseLong(pair[1])));
        return values;
    }

    private Outcome compile(String... options) throws IOException, InterruptedException {
        return run(Stream.of(
                Stream.of(compiler, "-std=gnu11", "-w", "-I", headers.toString(), "-include", "ucx.h", "-include",
                        "stddef.h"),
                Stream.of(options),
                Stream.of("probe.c")).flatMap(words -> words).toArray(String[]::new));
    }

    private Outcome run(String... command) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " takes longer than " + TIMEOUT_SECONDS + " s");
        }
        return new Outcome(process.exitValue(), Files.readString(output));
    }
}
