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

/** Samples the resident anonymous memory of this process (RssAnon) and keeps the peak. */
final class MemoryUse implements AutoCloseable {

    private static final String STATUS = "/proc/self/status";
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final AtomicLong peak = new AtomicLong();
    private final Disposable sampling = Flux.interval(INTERVAL).onBackpressureDrop().subscribe(tick -> sample());

    private void sample() {
        peak.accumulateAndGet(now(), Math::max);
    }

    /** Reads without a channel: disposing the sampling may interrupt its thread, which would close a channel. */
    private static long now() {
        try (BufferedReader lines = new BufferedReader(new FileReader(STATUS, StandardCharsets.US_ASCII))) {
            return lines.lines().filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024).findFirst().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The peak of all samples in bytes, including one that is taken now. */
    long peak() {
        sample();
        return peak.get();
    }

    @Override
    public void close() {
        sampling.dispose();
    }
}
