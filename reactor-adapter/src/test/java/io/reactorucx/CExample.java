package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** One of UCX's own example programs in C, as the distribution packages it, compiled for a test. */
final class CExample {

    private static final List<Path> FOLDERS = List.of(Path.of("/usr/share/doc/libucx-dev/examples"),
            Path.of("/usr/share/ucx/examples"),
            Path.of("/usr/share/doc/ucx-devel/examples"), Path.of("/usr/local/share/ucx/examples"));

    /**
     * Prints each line at once, also into a pipe, and listens on the loopback address where it would on all of them.
     */
    private static final String PRELUDE = """
            #include <netdb.h>
            #include <stdio.h>
            #undef AI_PASSIVE
            #define AI_PASSIVE 0
            static void __attribute__((constructor)) line_buffered(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
            """;

    private final Path program;
    private final String source;

    private CExample(Path program, String source) {
        this.program = program;
        this.source = source;
    }

    /** Compiles an example in an empty folder; skips the test where something for that is missing. */
    static CExample compile(String name, Path folder) throws IOException {
        Optional<Path> examples = FOLDERS.stream().filter(Files::isDirectory).findFirst();
        assumeTrue(examples.isPresent(), () -> "UCX's examples are in none of " + FOLDERS);
        assumeTrue(Files.exists(Path.of("/usr/include/ucp/api/ucp.h")), "UCX's headers are not in /usr/include");
        Optional<Path> compiler = compiler();
        assumeTrue(compiler.isPresent(), "no C compiler on the PATH");
        copySources(examples.orElseThrow(), folder);
        assumeTrue(Files.exists(folder.resolve(name + ".c")), () -> examples + " has no " + name + ".c");
        Files.writeString(folder.resolve("prelude.h"), PRELUDE);
        ProcessBuilder command = new ProcessBuilder(compiler.orElseThrow().toString(), "-w", "-include", "prelude.h",
                name + ".c", "-o", name,
                "-lucp", "-lucs").directory(folder.toFile());
        try (ChildProcess compilation = ChildProcess.start(command)) {
            ChildProcess.Result result = compilation.result();
            assertThat(result.exitCode()).as(result.output()).isZero();
        }
        return new CExample(folder.resolve(name), Files.readString(folder.resolve(name + ".c")));
    }

    /** Whether it prints a text, whatever its version. */
    boolean prints(String text) {
        return source.contains(text);
    }

    private static Optional<Path> compiler() {
        String[] path = System.getenv().getOrDefault("PATH", "").split(":", -1);
        return Stream.of("cc", "gcc", "clang").flatMap(name -> Stream.of(path).filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry, name))).filter(Files::isExecutable).findFirst();
    }

    private static void copySources(Path from, Path to) throws IOException {
        try (Stream<Path> sources = Files.list(from)) {
            for (Path source : sources.toList()) {
                String name = source.getFileName().toString();
                boolean packed = name.endsWith(".gz");
                try (InputStream file = Files.newInputStream(source); InputStream in = packed
                        ? new GZIPInputStream(file) : file) {
                    Files.copy(in, to.resolve(packed ? name.substring(0, name.length() - 3) : name));
                }
            }
        }
    }

    /** Starts it, with transports as {@link #resources} takes them. */
    ChildProcess start(String transports, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("UCX_"));
        builder.environment().put("UCX_NET_DEVICES", "lo");
        if (!transports.equals("all")) {
            builder.environment().put("UCX_TLS", transports);
        }
        // Without shared memory it would have other lanes than this side, and abort.
        builder.environment().put("UCX_POSIX_ERROR_HANDLING", "y");
        builder.environment().put("UCX_SYSV_ERROR_HANDLING", "y");
        builder.environment().put("UCX_WARN_UNUSED_ENV_VARS", "n");
        return ChildProcess.start(builder);
    }

    /**
     * Our side's resources over the same transports; newer versions are told to offer large messages, as 1.13 does by
     * itself.
     */
    static UcxResources resources(String transports) {
        UcxResourcesBuilder builder = UcxResources.builder().streams(true).setting("NET_DEVICES", "lo")
                .setting("RNDV_THRESH", "64k");
        return (transports.equals("all") ? builder : builder.transports(transports.split(","))).build();
    }

    /** The text that the examples send: capital letters, and a zero as its last byte. */
    static String theirText(int bytes) {
        return letters('A', bytes);
    }

    /** A text that they do not send, so that it can only be ours. */
    static String ourText(int bytes) {
        return letters('a', bytes);
    }

    private static String letters(char first, int bytes) {
        StringBuilder text = new StringBuilder(bytes - 1);
        for (int i = 0; i < bytes - 1; i++) {
            text.append((char) (first + i % 26));
        }
        return text.toString();
    }

    /** A text as the examples want it: with a zero at its end. */
    static MemorySegment terminated(String text) {
        return Arena.ofAuto().allocateFrom(text, StandardCharsets.US_ASCII);
    }

    /** What stands before the zero that ends it. */
    static String text(MemorySegment terminated) {
        byte[] bytes = Bytes.array(terminated);
        assertThat(bytes).endsWith(0);
        return new String(bytes, 0, bytes.length - 1, StandardCharsets.US_ASCII);
    }
}
