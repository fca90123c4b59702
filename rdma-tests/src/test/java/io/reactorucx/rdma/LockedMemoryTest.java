package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that may lock little memory, and lacks the capability that lifts the limit: a service that is not root. */
class LockedMemoryTest {

    @ParameterizedTest(name = "{0}, {1} KiB")
    @CsvSource({"UD, 64", "UD, 8192", "RC, 64", "RC, 8192"})
    void startsOrSaysWhatIsMissing(Verbs verbs, int kibibytes) {
        String limit = "ulimit -l " + kibibytes + "; exec setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock ";
        String output = OtherHost.run(ServerProcess.commandUntilListening(limit, verbs)).text();
        assertThat(output).containsAnyOf("listens at port", "RLIMIT_MEMLOCK");
        assertThat(output).doesNotContain("SIGABRT", "SIGSEGV", "Assertion");
    }
}
