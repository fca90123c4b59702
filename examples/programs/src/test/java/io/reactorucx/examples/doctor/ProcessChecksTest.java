package io.reactorucx.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.reactorucx.core.UcxVersion;
import io.reactorucx.examples.doctor.facts.Component;
import io.reactorucx.examples.doctor.facts.MemoryMaps;
import io.reactorucx.examples.doctor.facts.NativeProbe;
import io.reactorucx.examples.doctor.facts.Transport;
import io.reactorucx.uct.UctDeviceType;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks that look at UCX and at this process. */
class ProcessChecksTest {

    private static final Path UCS = Path.of("/usr/lib/libucs.so.0.0.0");
    private static final Path JVM = Path.of("/usr/lib/jvm/libjvm.so");
    private static final MemoryMaps MAPS = new MemoryMaps(List.of(
            "7f0000000000-7f0000001000 r-xp 00000000 fe:00 17   /usr/lib/libc.so.6",
            "7f0000001000-7f0000002000 rw-p 00000000 00:00 0 ",
            "7f0000002000-7f0000003000 r-xp 00000000 fe:00 18   /opt/with space/libucs.so.0.0.0",
            "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]"));

    private static final MemoryMaps WITHOUT_UCX =
            new MemoryMaps(List.of("7f0000000000-7f0000001000 r-xp 00000000 fe:00 17   /usr/lib/libc.so.6",
            "7f0000003000-7f0000004000 r--p 00000000 fe:00 19   /tmp/\u00ff\u00fe"));

    private static Finding only(Check check) {
        List<Finding> findings = check.findings();
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().check()).isEqualTo(check.name());
        return findings.getFirst();
    }

    @Test
    void findsLibrariesInTheMaps() {
        assertThat(MAPS.find("libucs.so")).contains(Path.of("/opt/with space/libucs.so.0.0.0"));
        assertThat(MAPS.find("libucp.so")).isEmpty();
        assertThat(MAPS.fileAt(0x7f0000000fffL)).contains(Path.of("/usr/lib/libc.so.6"));
        assertThat(MAPS.fileAt(0x7f0000001000L)).isEmpty();
        assertThat(MAPS.fileAt(0xffffffffff600000L)).isEmpty();
        assertThat(MAPS.fileAt(0)).isEmpty();
    }

    @Test
    void tellsWhetherUcxWasThereBefore() {
        assertThat(only(new LoadedBefore(MAPS))).satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.measured()).contains("/opt/with space/libucs.so.0.0.0");
        });
        assertThat(only(new LoadedBefore(WITHOUT_UCX)).severity()).isEqualTo(Severity.OK);
    }

    @Test
    void knowsNothingWhereTheMapsCannotBeRead() {
        Finding finding = new Doctor(List.of(new LoadedBefore(new MemoryMaps(List.of())))).findings().getFirst();

        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
        assertThat(finding.measured()).startsWith("could not be measured").contains("cannot be read");
    }

    @ParameterizedTest
    @CsvSource({"e91122334400000000000000, true", "48b81122334455667788ffe0, true", "48b81122334455667788ffe1, false",
        "f30f1efa4189ca41f7c1ff0f, false", "554889e5415741564155e9ff, false"})
    void tellsJumpsOfHooksFromOtherCode(String code, boolean jump) {
        assertThat(NativeProbe.beginsWithJump(HexFormat.of().parseHex(code))).isEqualTo(jump);
    }

    @Test
    void namesTheSignalsThatUcxHolds() {
        SignalHandlers check = new SignalHandlers(signal -> signal == 11 || signal == 1 ? Optional.of(UCS)
                : Optional.of(JVM), Map.of());

        assertThat(only(check).severity()).isEqualTo(Severity.ERROR);
        assertThat(only(check).measured()).isEqualTo("UCX handles SIGHUP, SIGSEGV");
    }

    @Test
    void notesVariablesThatAskForSignals() {
        List<Finding> findings = new SignalHandlers(signal -> Optional.empty(),
                Map.of("UCX_HANDLE_ERRORS", "bt", "UCX_ERROR_SIGNALS", "", "UCX_DEBUG_SIGNO", "HUP")).findings();

        assertThat(findings).extracting(Finding::severity).containsExactly(Severity.OK, Severity.NOTE, Severity.NOTE);
        assertThat(findings).extracting(Finding::measured).contains("UCX_HANDLE_ERRORS=bt", "UCX_DEBUG_SIGNO=HUP");
    }

    @Test
    void asksTheRealProcess() {
        assertThat(NativeProbe.handlerOf(11)).hasValueSatisfying(library -> assertThat(library.getFileName())
                .hasToString("libjvm.so"));
        assertThat(NativeProbe.handlerOf(10_000)).isEmpty();
        assertThat(NativeProbe.isPatched("mmap").orElse(false)).isFalse();
        assertThat(NativeProbe.isPatched("no_such_function")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1.13.1, 2, NOTE", "1.14.0, 2, WARNING", "1.15.0, 1, NOTE", "1.18.1, 1, NOTE", "1.19.0, 1, WARNING",
        "1.20.0, 1, OK", "1.22.0, 1, OK", "2.0.0, 1, OK"})
    void knowsTheBugsOfAVersion(String version, int findings, Severity worst) {
        String[] numbers = version.split("[.]");
        List<Finding> found = new KnownBugs(new UcxVersion(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]),
                Integer.parseInt(numbers[2]))).findings();

        assertThat(found).hasSize(findings);
        assertThat(found.stream().map(Finding::severity).max(Severity::compareTo)).contains(worst);
    }

    @Test
    void saysWhatToDoWithoutUcx() {
        Finding finding = only(new UcxLibrary(Optional.empty(),
                Optional.of("UCX 1.12.0 is too old, 1.13.0 is the oldest. Install UCX 1.13")));

        assertThat(finding).isEqualTo(Finding.error("ucx-library", "UCX 1.12.0 is too old, 1.13.0 is the oldest",
                "Nothing of this project can run", "Install UCX 1.13"));
        assertThat(only(new UcxLibrary(Optional.of(new UcxVersion(1, 22, 0)), Optional.empty())).severity())
                .isEqualTo(Severity.OK);
    }

    private static Transport transport(String name, UctDeviceType type) {
        return new Transport(name, "device0", type);
    }

    @Test
    void missesTransports() {
        Transport tcp = transport("tcp", UctDeviceType.NET);
        Transport posix = transport("posix", UctDeviceType.SHM);
        Transport rc = transport("rc_verbs", UctDeviceType.NET);

        assertThat(new Transports(List.of(tcp, posix, rc)).findings()).extracting(Finding::severity)
                .containsExactly(Severity.OK);
        assertThat(new Transports(List.of(tcp, posix)).findings()).extracting(Finding::measured)
                .containsExactly("no RDMA device");
        assertThat(new Transports(List.of(tcp, rc, transport("cma", UctDeviceType.SHM))).findings())
                .extracting(Finding::measured).containsExactly("no shared memory");
        assertThat(new Transports(List.of(posix, rc)).findings()).extracting(Finding::measured)
                .containsExactly("no tcp");
        assertThat(new Transports(List.of()).findings()).extracting(Finding::severity)
                .containsExactly(Severity.ERROR, Severity.WARNING, Severity.NOTE);
        assertThat(new Transports(List.of(tcp, posix, rc, transport("cuda_copy", UctDeviceType.ACC))).findings())
                .extracting(Finding::measured).containsExactly("there is an accelerator");
    }

    @ParameterizedTest
    @CsvSource({"rc_verbs, true", "rc_mlx5, true", "dc_mlx5, true", "ud_verbs, true", "gga_mlx5, true", "srd, true",
        "tcp, false", "rcache, false", "self, false"})
    void tellsRdmaByTheTransport(String name, boolean rdma) {
        assertThat(transport(name, UctDeviceType.NET).isRdma()).isEqualTo(rdma);
    }

    @Test
    void writesProcessorsAsRanges() {
        BitSet cpus = new BitSet();
        assertThat(Component.ranges(cpus)).isEmpty();
        cpus.set(0, 4);
        cpus.set(8);
        assertThat(Component.ranges(cpus)).isEqualTo("0-3,8");
    }

    @Test
    void goesOnWhenACheckFails() {
        Check broken = new OpenFiles(Path.of("/no/such/file"));
        Check fine = new LoadedBefore(WITHOUT_UCX);

        assertThat(new Doctor(List.of(broken, fine)).findings()).extracting(Finding::check, Finding::severity)
                .containsExactly(tuple("open-files", Severity.NOTE),
                        tuple("loaded-before", Severity.OK));
    }
}
