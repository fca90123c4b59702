package io.reactorucx.benchmarks.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * Allocations of operations on the Java heap in compiled code, by the JVM's counter for the engines' threads.
 *
 * <p>The target is 64 bytes for an operation through a Mono, and nothing in engine and core. The limits are what every
 * run reaches today.
 */
@Tag("slow")
class AllocationTest {

    @RegisterExtension
    static final NoLeaks NO_LEAKS = new NoLeaks("perf-");

    /** Longest time until the code is compiled, on a busy machine. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

    /**
     * A send allocates one object of 56 bytes, an arriving message three more (104 bytes). Each further 40 bytes are a
     * memory segment that the compiler could not eliminate: at most two for a send and two for an arrival, different
     * from run to run. In a ping-pong each side has both.
     */
    @ParameterizedTest
    @CsvSource({"am, rate, 140, 200", "am, latency, 330, 330", "tag, rate, 140, 190", "message, rate, 60, 100",
        "get, rate, 140, 8"})
    void staysWithinItsLimit(String test, String mode, double here, double there) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        EngineOptions options = new EngineOptions();
        new CommandLine(options);
        Setup setup = Setup.ofLine(test + " " + mode + " 8 64 1 false 1 false");
        double leastHere = Double.MAX_VALUE;
        double leastThere = Double.MAX_VALUE;
        try (ServerProcess server = ServerProcess.start("--keep")) {
            long begun = System.nanoTime();
            // Repeats until the limit is reached: code that is not yet compiled allocates more.
            while ((leastHere > here || leastThere > there) && System.nanoTime() - begun < PATIENCE_NANOS) {
                PerfResult result = new Client(setup, options, "127.0.0.1", server.port())
                        .measure(Duration.ZERO, Duration.ofSeconds(2), 0);
                leastHere = Math.min(leastHere, result.client().allocatedBytes() / (double) result.operations());
                leastThere = Math.min(leastThere, result.server().allocatedBytes() / (double) result.operations());
                System.out.println(test + " " + mode + ": " + leastHere + " bytes here, " + leastThere + " there");
            }
        }
        assertThat(leastHere).as("bytes for each operation of the client").isLessThanOrEqualTo(here);
        assertThat(leastThere).as("bytes for each operation of the server").isLessThanOrEqualTo(there);
    }
}
