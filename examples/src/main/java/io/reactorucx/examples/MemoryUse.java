package io.reactorucx.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Watches how much anonymous memory this process has resident (RssAnon), and remembers the most. */
final class MemoryUse implements AutoCloseable {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final AtomicLong most = new AtomicLong();
    private final Disposable sampling = Flux.interval(INTERVAL).onBackpressureDrop().subscribe(tick -> sample());

    private void sample() {
        most.accumulateAndGet(now(), Math::max);
    }

    private static long now() {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("RssAnon:")).mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
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
