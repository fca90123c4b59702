package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.ErrorMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that may lock little memory, and lacks the capability that lifts the limit: a service that is not root. */
class LockedMemoryTest {

    private static final String SMALL_WINDOW = "window=65536";

    @ParameterizedTest(name = "{0}, {1} KiB")
    @CsvSource({"UD, 64", "UD, 8192", "RC, 64", "RC, 49152"})
    void whatDoesNotSufficeIsRefused(Verbs verbs, int kibibytes) {
        assertThatThrownBy(() -> ServerProcess.startLimited(kibibytes, verbs, SMALL_WINDOW))
                .isInstanceOf(AssertionError.class).hasMessageContainingAll("the queues of a worker over ",
                "this process may lock " + kibibytes + " KiB", "process has ended with 1");
    }

    @ParameterizedTest(name = "{0}, {1} KiB")
    @CsvSource({"UD, 24576", "RC, 81920"})
    void whatSufficesWorks(Verbs verbs, int kibibytes) {
        try (ServerProcess server = ServerProcess.startLimited(kibibytes, verbs, SMALL_WINDOW)) {
            try (Client client = Client.connect(verbs, ErrorMode.PEER, server.port())) {
                FaultsTest.requireAnswer(client.connection());
            }
            server.end(ErrorMode.PEER);
        }
    }

    /** Memory that is registered later. */
    @ParameterizedTest(name = "{0}, {1} KiB")
    @CsvSource({"UD, 24576", "RC, 81920"})
    void aWindowThatCannotBeLockedIsAnError(Verbs verbs, int kibibytes) {
        assertThatThrownBy(() -> ServerProcess.startLimited(kibibytes, verbs, "window=" + (128 << 20)))
                .isInstanceOf(AssertionError.class).hasMessageContainingAll("ucp_mem_map of ",
                "this process may lock " + kibibytes + " KiB");
    }
}
