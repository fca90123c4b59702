package io.reactorucx.examples;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Watches how much anonymous memory this process has resident (RssAnon), and remembers the most. */
final class MemoryUse implements AutoCloseable {

    private static final String STATUS = "/proc/self/status";
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final AtomicLong most = new AtomicLong();
    private final Disposable sampling = Flux.interval(INTERVAL).onBackpressureDrop().subscribe(tick -> sample());

    private void sample() {
        most.accumulateAndGet(now(), Math::max);
    }

    /** Not by a channel: the end of the sampling may interrupt its thread, which would close it amid the read. */
    private static long now() {
        try (BufferedReader lines = new BufferedReader(new FileReader(STATUS, StandardCharsets.US_ASCII))) {
            return lines.lines().filter(line -> line.startsWith("RssAnon:")).mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Most bytes that were resident at any sample, the present one included. */
    long most() {
        sample();
        return most.get();
    }

    @Override
    public void close() {
        sampling.dispose();
    }
}
