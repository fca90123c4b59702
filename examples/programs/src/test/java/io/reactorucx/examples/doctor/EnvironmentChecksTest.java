package io.reactorucx.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks that read variables of the environment. */
class EnvironmentChecksTest {

    private static final String HOOKS = "UCX_MEM_MMAP_HOOK_MODE";

    private static Finding only(Check check) {
        List<Finding> findings = check.findings();
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().check()).isEqualTo(check.name());
        return findings.getFirst();
    }

    private static Map<String, String> environment(String name, String value) {
        return Map.of(name, value, "PATH", "/bin");
    }

    @Test
    void namesAVariableThatUcxDoesNotKnowAndTheNearestOne() {
        Finding finding = only(new UnknownVariables(Map.of("UCX_TLZ", "tcp", "UCX_NET_DEVICES", "lo", "UCX_LOG_LEVEL",
                "info")));

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.measured()).isEqualTo("UCX_TLZ=tcp");
        assertThat(finding.remedy()).contains("UCX_TLS");
    }

    @Test
    void hasNothingAgainstVariablesThatUcxReads() {
        assertThat(only(new UnknownVariables(Map.of("UCX_TLS", "tcp", "UCX_MEM_EVENTS", "n"))))
                .isEqualTo(Finding.ok("unknown-variables", "UCX_MEM_EVENTS, UCX_TLS", "UCX reads what is set"));
        assertThat(only(new UnknownVariables(Map.of("PATH", "/bin"))).severity()).isEqualTo(Severity.OK);
    }

    @ParameterizedTest
    @CsvSource({"UCX_MEM_MMAP_HOOK_MODE, reloc, WARNING", "UCX_MEM_MMAP_HOOK_MODE, none, OK",
        "UCX_POSIX_ERROR_HANDLING, n, WARNING", "UCX_SYSV_ERROR_HANDLING, no, WARNING",
        "UCX_SYSV_ERROR_HANDLING, y, OK", "UCX_TLS, 'posix,sysv', WARNING", "UCX_TLS, ^tcp, WARNING",
        "UCX_TLS, ^cma, OK", "UCX_TLS, 'posix,tcp', OK", "UCX_TLS, all, OK", "UCX_TLS, 'sysv,rc_x', OK",
        "UCX_TLS, 'posix,tcp:aux', WARNING", "UCX_TLS, 'rc_verbs,tcp:aux', OK", "UCX_TLS, '\\tcp', OK",
        "UCX_TLS, '^\\tcp', WARNING", "UCX_TLS, ^TCP, OK", "UCX_TLS, TCP, WARNING", "UCX_TLS, '^sysv,tcp', WARNING",
        "UCX_LOG_LEVEL, trace, NOTE", "UCX_LOG_LEVEL, warn, OK", "UCX_KEEPALIVE_INTERVAL, inf, OK",
        "UCX_KEEPALIVE_INTERVAL, 0s, OK", "UCX_KEEPALIVE_INTERVAL, 10s, WARNING"})
    void judgesASetting(String name, String value, Severity expected) {
        Finding finding = only(new DangerousVariables(environment(name, value)));

        assertThat(finding.severity()).isEqualTo(expected);
        if (expected != Severity.OK) {
            assertThat(finding.measured()).isEqualTo(name + "=" + value);
            assertThat(finding.remedy()).contains(name);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', OK", "/usr/lib/libjsig.so, NOTE", "/opt/ucx/libucs.so.0, WARNING",
        "/usr/lib/libjemalloc.so.2, NOTE"})
    void judgesAPreloadedLibrary(String libraries, Severity expected) {
        assertThat(only(new Preloads(environment("LD_PRELOAD", libraries))).severity()).isEqualTo(expected);
    }

    @Test
    void judgesEachPreloadedLibrary() {
        assertThat(new Preloads(environment("LD_PRELOAD", "libjsig.so:/x/libucp.so libc.so")).findings())
                .extracting(Finding::severity).containsExactly(Severity.NOTE, Severity.WARNING, Severity.NOTE);
    }

    @ParameterizedTest
    @CsvSource({"C, OK", "C.UTF-8, OK", "en_US.UTF-8, OK", "de_DE.UTF-8, NOTE", "fr_FR@euro, NOTE", "POSIX, OK"})
    void seesADecimalComma(String locale, Severity expected) {
        assertThat(only(new DecimalPoint(environment("LANG", locale))).severity()).isEqualTo(expected);
    }

    @Test
    void takesTheLocaleThatCounts() {
        assertThat(only(new DecimalPoint(Map.of("LC_ALL", "", "LC_NUMERIC", "C", "LANG", "de_DE"))).severity())
                .isEqualTo(Severity.OK);
        assertThat(only(new DecimalPoint(Map.of("LC_ALL", "de_DE", "LC_NUMERIC", "C"))).severity())
                .isEqualTo(Severity.NOTE);
        assertThat(only(new DecimalPoint(Map.of())).severity()).isEqualTo(Severity.OK);
    }

    @Test
    void believesWhatItMeasuresOfHooksAndOtherwiseTheSetting() {
        assertThat(only(new MemoryHooks(() -> Optional.of(true), Map.of())).severity()).isEqualTo(Severity.WARNING);
        assertThat(only(new MemoryHooks(() -> Optional.of(false), environment(HOOKS, "bistro"))).severity())
                .isEqualTo(Severity.OK);
        assertThat(only(new MemoryHooks(Optional::empty, environment(HOOKS, "bistro"))).severity())
                .isEqualTo(Severity.WARNING);
        assertThat(only(new MemoryHooks(Optional::empty, Map.of())).severity()).isEqualTo(Severity.OK);
    }
}
