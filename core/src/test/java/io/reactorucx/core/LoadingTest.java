package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.internal.LoadedLibraries;
import io.reactorucx.testsupport.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The effects of loading UCX on a JVM, and the errors when it cannot be loaded; each case in a process of its own. */
@Tag("slow")
class LoadingTest {

    private static final Pattern HANGUP_IGNORED = Pattern.compile("SigIgn:\\s+[0-9a-f]{15}[13579bdf]");
    private static final String RESET_HANGUP = "--default-signal=HUP";
    private static final String[] VERSION_STUBS = {"libucm.so.0", "libucs.so.0", "libuct.so.0", "libucp.so.0"};

    @TempDir
    Path folder;

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static ChildJvm.Builder child(Class<?> program) {
        return ChildJvm.of(program).withoutEnvironment("UCX_ERROR_SIGNALS").withoutEnvironment("UCX_DEBUG_SIGNO")
                .withoutEnvironment("UCX_HANDLE_ERRORS").withoutEnvironment("UCX_MEM_EVENTS")
                .withoutEnvironment("UCX_MEM_MMAP_HOOK_MODE");
    }

    private static String runOk(ChildJvm.Builder builder) {
        ChildJvm.Result result = builder.run();
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    @Test
    void keepsNullChecksOfCompiledCode() {
        String output = runOk(child(LoadingPrograms.NullChecks.class));
        assertThat(output).contains("caught 100000 of 100000").doesNotContain("was loaded before");
    }

    @Test
    void changesNoSignalHandler() {
        String output = runOk(child(LoadingPrograms.NullChecks.class));
        assertThat(line(output, "after ")).isEqualTo(line(output, "before "));
    }

    private static String line(String output, String start) {
        return output.lines().filter(line -> line.startsWith(start)).map(line -> line.substring(start.length()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line '" + start + "' in:\n" + output));
    }

    /**
     * A child in which SIGHUP has its default action. Where this process ignores it, as under nohup, a child would
     * inherit that, and a JVM installs no handler for an ignored SIGHUP: env(1) of coreutils 8.31 or newer resets it
     * before it executes the JVM.
     */
    private static ChildJvm.Builder hangupChild(Class<?> program) throws IOException, InterruptedException {
        if (!HANGUP_IGNORED.matcher(Files.readString(Path.of("/proc/self/status"))).find()) {
            return child(program);
        }
        boolean resets = new ProcessBuilder("env", RESET_HANGUP, "true").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        assumeTrue(resets, "SIGHUP is ignored in this process (nohup) and so in its children, and env knows no "
                + RESET_HANGUP);
        return child(program).within("env", RESET_HANGUP);
    }

    @Test
    void leavesHangupToTheHandlerThatWasInstalledBefore() throws IOException, InterruptedException {
        assertThat(runOk(hangupChild(LoadingPrograms.HangupHandler.class))).contains("handled true");
    }

    @Test
    void shutsDownGracefullyOnHangup() throws IOException, InterruptedException {
        try (ChildJvm child = hangupChild(LoadingPrograms.HangupDefault.class).start()) {
            child.awaitLine("ready");
            child.signal("HUP");
            ChildJvm.Result result = child.result();
            assertThat(result.exitCode()).as(result.output()).isEqualTo(128 + 1);
            assertThat(result.output()).contains("shut down in order");
        }
    }

    @ParameterizedTest
    @CsvSource({"C.UTF-8, \\377", "C, \\303\\274"})
    void loadsBesideMappedFileWithNameInAnotherEncoding(String locale, String name)
            throws IOException, InterruptedException {
        Process creator = new ProcessBuilder("sh", "-c", "echo mapped > \"$1/$(printf \"$2\")\"", "sh",
                folder.toString(), name)
                .inheritIO().start();
        assertThat(creator.waitFor()).isZero();
        String output = runOk(
                child(LoadingPrograms.MappedFile.class).environment("LC_ALL", locale).arguments(folder.toString()));
        assertThat(output).contains("mapped 1 files").contains("available true");
    }

    @Test
    void namesPropertyAndFileWhenLibraryIsMissing() {
        String output =
                runOk(child(LoadingPrograms.Availability.class).options("-Dio.reactorucx.library.path=" + folder));
        assertThat(output).contains("available false");
        for (String start : new String[] {"cause ", "thrown "}) {
            assertThat(line(output, start)).contains("-Dio.reactorucx.library.path").contains("libucm.so.0")
                    .contains(folder.toString());
        }
    }

    @Test
    void namesOptionWhenNativeAccessIsDenied() {
        String output = runOk(child(LoadingPrograms.Availability.class).withoutNativeAccess().options(
                "--illegal-native-access=deny"));
        assertThat(output).contains("available false");
        assertThat(line(output, "thrown ")).contains("--enable-native-access=ALL-UNNAMED");
    }

    @Test
    void namesBothVersionsWhenLibraryIsTooOld() throws IOException, InterruptedException {
        compileStubs("*a = 1; *b = 12; *c = 0;");
        String output =
                runOk(child(LoadingPrograms.Availability.class).options("-Dio.reactorucx.library.path=" + folder));
        assertThat(line(output, "thrown ")).contains("1.12.0").contains("1.13.0");
    }

    private void compileStubs(String version) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("stub.c"),
                "void ucp_get_version(unsigned *a, unsigned *b, unsigned *c) { " + version + " }\n");
        for (String name : VERSION_STUBS) {
            Process compiler;
            try {
                compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", folder.resolve(name).toString(),
                        source.toString())
                        .inheritIO().start();
            } catch (IOException e) {
                assumeTrue(false, "no C compiler: " + e.getMessage());
                return;
            }
            assertThat(compiler.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(compiler.exitValue()).isZero();
        }
    }

    @Test
    void warnsAndRestoresHandlersWhenUcsWasLoadedBefore() {
        Path ucs = LoadedLibraries.find("libucs.so").orElseThrow();
        String output = runOk(child(LoadingPrograms.NullChecks.class).arguments(ucs.toString()));
        assertThat(output).contains("caught 100000 of 100000");
        assertThat(output.lines()).anyMatch(line -> line.contains("WARN") && line.contains(ucs + " was loaded before"));
    }

    @Test
    void loadsFromFolderOfProperty() {
        Path ucp = Ucx.libraryPath().orElseThrow();
        String output =
                runOk(child(LoadingPrograms.Exchange.class).options("-Dio.reactorucx.library.path=" + ucp.getParent())
                .arguments("tcp"));
        assertThat(output).contains("received hello");
    }

    /** Over tcp or shared memory UCX starts a thread for events, over self alone it has no reason to. */
    @Test
    void sendsOverSelfAlone() {
        assertThat(runOk(child(LoadingPrograms.Exchange.class).arguments("self"))).contains("received hello")
                .doesNotContain("WARN");
    }

    /** As after a redeployment, or in two plug-ins of one process. */
    @Test
    void worksInSeveralClassLoaders() {
        String output = runOk(child(LoadingPrograms.TwoClassLoaders.class).arguments("tcp"));
        assertThat(output.lines().filter(line -> line.contains("received hello"))).hasSize(3);
        assertThat(output.lines().filter(line -> line.startsWith("in ")))
                .containsExactly("in first true", "in second true", "in first true");
        assertThat(output).doesNotContain("WARN");
    }

    @Test
    void worksWithAnotherAllocator() throws IOException {
        Path allocator;
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
            allocator = folders.map(path -> path.resolve("libjemalloc.so.2")).filter(Files::exists).findFirst()
                    .orElse(null);
        }
        assumeTrue(allocator != null, "libjemalloc.so.2 is not installed");
        for (String transports : new String[] {"tcp", "posix,tcp"}) {
            String output = runOk(child(LoadingPrograms.Exchange.class).environment("LD_PRELOAD", allocator.toString())
                    .arguments(transports));
            assertThat(output).contains("received hello").doesNotContain("cannot be preloaded");
        }
    }

    @Test
    void logsWarningsOfUcxOnlyWhenAsked() {
        String quiet = runOk(child(LoadingPrograms.Unheard.class).withoutEnvironment("UCX_LOG_LEVEL"));
        assertThat(quiet).contains("dropped").doesNotContain("no registered callback");
        String asked = runOk(child(LoadingPrograms.Unheard.class).environment("UCX_LOG_LEVEL", "warn"));
        assertThat(asked).contains("dropped").contains("no registered callback");
    }

    @Test
    void worksInLocaleWithDecimalComma() throws IOException, InterruptedException {
        Process locales = new ProcessBuilder("locale", "-a").start();
        String known = new String(locales.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        locales.waitFor();
        Matcher german = Pattern.compile("(?im)^de_DE\\.utf-?8$").matcher(known);
        assumeTrue(german.find(), "the locale de_DE.UTF-8 is not installed");
        for (String transports : new String[] {"tcp", "posix,tcp", "self"}) {
            String output = runOk(
                    child(LoadingPrograms.Exchange.class).environment("LC_ALL", "de_DE.UTF-8").arguments(transports));
            assertThat(output).as(transports).contains("locale de_DE received hello");
        }
    }

    @Test
    void replacesHookModeThatDeadlocks() {
        String output = runOk(child(LoadingPrograms.Exchange.class).environment("UCX_MEM_MMAP_HOOK_MODE",
                "reloc").arguments("tcp"));
        assertThat(output).contains("received hello");
        assertThat(output.lines()).anyMatch(line -> line.contains("WARN")
                && line.contains("UCX_MEM_MMAP_HOOK_MODE=reloc"));
    }
}
