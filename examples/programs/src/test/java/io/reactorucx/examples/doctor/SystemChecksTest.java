package io.reactorucx.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.examples.doctor.SharedMemoryRoom.Room;
import io.reactorucx.examples.doctor.facts.ByteSize;
import io.reactorucx.examples.doctor.facts.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks that read the kernel's files, here copies with other contents. */
class SystemChecksTest {

    @TempDir
    private Path proc;

    private static Finding only(Check check) {
        List<Finding> findings = check.findings();
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().check()).isEqualTo(check.name());
        return findings.getFirst();
    }

    private Path limits(String lockedMemory, String openFiles) throws IOException {
        return Files.writeString(proc.resolve("limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max open files            %-20s 1048576              files
                Max locked memory         %-20s unlimited            bytes
                """.formatted(openFiles, lockedMemory));
    }

    @ParameterizedTest
    @CsvSource({"unlimited, true, OK, unlimited", "8388608, false, NOTE, 8 MiB", "65536, true, WARNING, 64 KiB",
        "0, true, WARNING, 0 B"})
    void weighsTheLimitOfLockedMemory(String limit, boolean rdma, Severity expected, String shown) throws IOException {
        limits(limit, "1024");
        Finding finding = only(new LockedMemory(proc, rdma));

        assertThat(finding.severity()).isEqualTo(expected);
        assertThat(finding.measured()).isEqualTo("RLIMIT_MEMLOCK is " + shown);
        assertThat(finding.remedy().isEmpty()).isEqualTo(expected == Severity.OK);
    }

    @ParameterizedTest
    @CsvSource({"8388608, the queues of one worker (16 MiB over ud)",
        "50000000, the queues of one worker over rc (73 MiB", "1073741824, Registration of more than that"})
    void saysWhatTheLimitOfLockedMemoryMeansForRdma(String limit, String meaning) throws IOException {
        limits(limit, "1024");
        assertThat(only(new LockedMemory(proc, true)).meaning()).contains(meaning);
    }

    /** Capability 14 is CAP_IPC_LOCK. */
    @ParameterizedTest
    @CsvSource({"00000000a80425fb, WARNING", "0000000000004000, OK", "000001ffffffffff, OK"})
    void knowsProcessesWithoutALimitOfLockedMemory(String capabilities, Severity expected) throws IOException {
        limits("65536", "1024");
        Files.writeString(proc.resolve("status"), "Name:\tjava\nCapEff:\t" + capabilities + "\n");
        assertThat(only(new LockedMemory(proc, true)).severity()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"256, WARNING", "1024, WARNING", "2048, NOTE", "20000, OK", "unlimited, OK"})
    void weighsTheLimitOfOpenFiles(String limit, Severity expected) throws IOException {
        assertThat(only(new OpenFiles(limits("0", limit))).severity()).isEqualTo(expected);
    }

    @Test
    void readsTheRealLimits() {
        assertThat(Limits.read(Path.of("/proc/self/limits")).soft("Max open files")).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"24000, 24000, OK", "1024, 65, OK", "64, 64, WARNING", "24000, 20, WARNING", "64, 7, ERROR",
        "64, 0, ERROR"})
    void weighsTheRoomForSharedMemory(long sizeMebibytes, long freeMebibytes, Severity expected) {
        Finding finding = only(new SharedMemoryRoom(proc, directory ->
                new Room(sizeMebibytes << 20, freeMebibytes << 20)));

        assertThat(finding.severity()).isEqualTo(expected);
    }

    @Test
    void missesTheDirectoryForSharedMemory() {
        assertThat(only(new SharedMemoryRoom(proc.resolve("none"), SharedMemoryRoom::roomOf)).severity())
                .isEqualTo(Severity.WARNING);
        Room room = SharedMemoryRoom.roomOf(proc);
        assertThat(room.sizeBytes()).isPositive().isGreaterThanOrEqualTo(room.freeBytes());
    }

    private void namespace(String name, long number) throws IOException {
        Files.createSymbolicLink(proc.resolve(name), Path.of(name + ":[" + number + "]"));
    }

    @Test
    void notesEachNamespaceOfItsOwn() throws IOException {
        namespace("pid", 4026532836L);
        namespace("ipc", 4026532839L);
        namespace("user", 4026531837L);

        assertThat(new Namespaces(proc).findings()).extracting(Finding::measured)
                .containsExactly("own pid namespace 4026532836", "own ipc namespace 4026532839");
    }

    @Test
    void isContentWithTheNamespacesOfTheHost() throws IOException {
        namespace("pid", 4026531836L);
        namespace("ipc", 4026531839L);
        namespace("user", 4026531837L);

        assertThat(only(new Namespaces(proc)).severity()).isEqualTo(Severity.OK);
    }

    /** Capability 19 is CAP_SYS_PTRACE. */
    @ParameterizedTest
    @CsvSource({"'', 0000000000000000, 0, OK", "0, 0000000000000000, 0, OK", "1, 0000000000000000, 0, OK",
        "2, 0000000000000000, 0, NOTE", "2, 0000000000080000, 0, OK", "3, 000001ffffffffff, 0, NOTE",
        "'', 0000000000000000, 2, NOTE", "1, 000001ffffffffff, 2, OK"})
    void knowsWhenOneProcessMayReadAnother(String scope, String capabilities, String seccomp, Severity expected)
            throws IOException {
        Files.createDirectories(proc.resolve("self"));
        Files.writeString(proc.resolve("self/status"), "Name:\tjava\nCapEff:\t" + capabilities + "\nSeccomp:\t"
                + seccomp + "\n");
        if (!scope.isEmpty()) {
            Files.createDirectories(proc.resolve("sys/kernel/yama"));
            Files.writeString(proc.resolve("sys/kernel/yama/ptrace_scope"), scope + "\n");
        }

        assertThat(only(new CrossMemoryAttach(proc)).severity()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1536, 1.5 KiB", "67108864, 64 MiB", "9223372036854775807, unlimited"})
    void writesSizesForPeople(long bytes, String expected) {
        assertThat(new ByteSize(bytes)).hasToString(expected);
    }
}
