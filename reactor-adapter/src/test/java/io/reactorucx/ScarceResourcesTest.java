package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that lacks a resource, or has a wrong setting, gets an error that names it and the remedy. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ScarceResourcesTest implements NeedsUcx {

    private static final String UNSHARE = "/usr/bin/unshare";
    private static final String PRLIMIT = "/usr/bin/prlimit";
    /** The limit is one of the descriptors' numbers: those below are standard input, output and error. */
    private static final long NO_MORE = 3;

    private static void assertFails(ChildJvm.Result result, String... parts) {
        assertThat(result.output()).doesNotContain(ScarceProcess.CONNECTED);
        assertThat(failures(result)).hasSize(1).first(InstanceOfAssertFactories.STRING).contains(parts);
    }

    /** Returns the errors that a process told after it was ready. */
    private static List<String> failures(ChildJvm.Result result) {
        assertThat(result.exitCode()).as("%s", result.output()).isZero();
        return result.output().lines().dropWhile(line -> result.output().contains(ScarceProcess.READY)
                && !line.startsWith(ScarceProcess.READY))
                .filter(line -> line.startsWith(ScarceProcess.FAILED)).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 6, 10})
    void limitOfOpenFilesIsNamedByResources(int more) {
        ChildJvm.Result result = limited(ScarceProcess.EARLY, open -> open + more);

        assertFails(result, "files open", "ulimit -n");
    }

    @Test
    void limitOfOpenFilesIsNamedByServerAndClient() {
        ChildJvm.Result result = limited(ScarceProcess.LATE, open -> NO_MORE);

        assertThat(failures(result)).hasSize(2).allSatisfy(failure -> assertThat(failure)
                .contains("Too many open files", "ulimit -n"));
        assertThat(failures(result)).first(InstanceOfAssertFactories.STRING).contains("bind at");
        assertThat(failures(result)).last(InstanceOfAssertFactories.STRING).contains("connect to 127.0.0.1:");
    }

    /** Limits the files of a process that has loaded its classes already. */
    private static ChildJvm.Result limited(String when, LongUnaryOperator limitOfOpen) {
        assumeTrue(Files.isExecutable(Path.of(PRLIMIT)), "prlimit (package util-linux) is not installed");
        try (ChildJvm child = ChildJvm.of(ScarceProcess.class).options("-D" + ScarceProcess.WAIT + "=" + when)
                .arguments("tcp").start()) {
            long open = Long.parseLong(child.awaitLine(ScarceProcess.READY).split(" ")[1]);
            ProcessBuilder limit = new ProcessBuilder(PRLIMIT, "--pid", String.valueOf(child.handle().pid()),
                    "--nofile=" + limitOfOpen.applyAsLong(open));
            try (ChildProcess limiting = ChildProcess.start(limit)) {
                assertThat(limiting.result().exitCode()).isZero();
            }
            child.send("go on");

            return child.result();
        }
    }

    @Test
    void sharedMemoryThatCannotBeWrittenToIsNamed() {
        String mount = "mount -t tmpfs -o ro tmpfs /dev/shm";
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may make a mount namespace");
        assumeTrue(Files.isExecutable(Path.of(UNSHARE)), "unshare (package util-linux) is not installed");
        try (ChildProcess probe = ChildProcess.start(new ProcessBuilder(UNSHARE, "--mount", "sh", "-c", mount))) {
            assumeTrue(probe.result().exitCode() == 0, "a mount namespace cannot be made here");
        }

        ChildJvm.Result result = ChildJvm.of(ScarceProcess.class).arguments("posix", "tcp")
                .within(UNSHARE, "--mount", "sh", "-c", mount + " && exec \"$@\"", "sh").run();

        assertFails(result, "/dev/shm cannot be written to", "remount,rw", "leave posix out");
    }

    @ParameterizedTest
    @CsvSource({
        "UCX_RNDV_THRESH, banana, one of these settings and variables",
        "UCX_TCP_TX_SEG_SIZE, banana, one of these settings and variables",
        "UCX_NET_DEVICES, foo0, ucx_info -d"})
    void variableWithAWrongValueIsNamed(String name, String value, String remedy) {
        ChildJvm.Result result = ChildJvm.of(ScarceProcess.class).environment(name, value).arguments("tcp").run();

        assertFails(result, name + "=" + value, remedy);
    }

    @Test
    void transportsThatThisHostLacksAreNamed() {
        ChildJvm.Result result = ChildJvm.of(ScarceProcess.class).environment("UCX_TLS", "nonsense").run();

        assertFails(result, "UCX_TLS=nonsense", "ucx_info -d");
    }
}
