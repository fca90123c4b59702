package io.reactorucx.examples.netty;

import io.reactorucx.netty.UcxNettyConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of loops over UCX.
 *
 * <p><b>Threading:</b> one thread. <b>Ownership:</b> none. <b>Errors:</b> {@link IllegalArgumentException} for a value
 * out of range.
 */
public final class UcxOptions {

    @Option(names = "--transports", paramLabel = "NAMES", split = ",", description = "UCX's transports, such as shm or"
            + " tcp; by default those that fit, which is shared memory.")
    private List<String> transports = new ArrayList<>();
    @Option(names = "--spin", paramLabel = "N", description = "How many microseconds a loop over UCX without work spins"
            + " before it sleeps, at most 1000000; by default as the library does.")
    private @Nullable Long spinMicros;

    /** For picocli. */
    public UcxOptions() {
    }

    /** {@return the configuration of the loops} */
    public UcxNettyConfig config() {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports(transports.toArray(String[]::new));
        return spinMicros == null ? config : config.withSpin(Duration.ofNanos(Math.multiplyExact(spinMicros, 1000)));
    }

    /** {@return the same as arguments of another process} */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (!transports.isEmpty()) {
            arguments.addAll(List.of("--transports", String.join(",", transports)));
        }
        if (spinMicros != null) {
            arguments.addAll(List.of("--spin", spinMicros.toString()));
        }
        return arguments;
    }
}
