package io.reactorucx.examples;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.metrics.UcxMetrics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The client of the demo: its steps over one connection. Each step prints its figure when it ends. */
final class DemoClient {

    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final Duration MEASURED = Duration.ofSeconds(2);
    /** A step fails when no data moves for so long; a busy machine may need seconds. */
    private static final Duration STALL_LIMIT = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = 1e9;

    private final UcxConnection connection;
    private final UcxResources resources;
    private final Questions questions;
    private final DemoReport report;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    DemoClient(UcxConnection connection, UcxResources resources, DemoReport report) {
        this.connection = connection;
        this.resources = resources;
        this.report = report;
        this.questions = new Questions(connection);
        new UcxMetrics(resources).bindTo(meters);
    }

    void run(Path file, long size) {
        roundTrips();
        byte[] digest = streamFile(file, size);
        byte[] answer = questions.ask(DemoProtocol.END);
        report.fact("sha256", HexFormat.of().formatHex(digest));
        check("the file that was streamed", digest, Arrays.copyOf(answer, DemoProtocol.DIGEST_BYTES));
        WindowDescriptor descriptor = WindowDescriptor.fromBytes(
                Arrays.copyOfRange(answer, DemoProtocol.DIGEST_BYTES, answer.length));
        report.window(descriptor.length());
        RemoteMemory window = connection.memory(descriptor);
        check("the file that was read back", digest, readBack(window, size));
        put(window, size);
        window.close();
        String peak = new String(questions.ask(DemoProtocol.MEMORY), StandardCharsets.US_ASCII);
        report.memory("server", Long.parseLong(peak));
        report.meters(meters);
    }

    private void roundTrips() {
        System.out.println("(2) request and reply of 8 bytes through Mono");
        try (RoundTrips roundTrips = new RoundTrips(connection)) {
            Histogram nanos = Objects.requireNonNull(roundTrips.measure(WARM_UP, MEASURED)
                    .block(WARM_UP.plus(MEASURED).plus(STALL_LIMIT)));
            report.latency("8 B request/reply", Long.BYTES * 2 * nanos.getTotalCount(),
                    MEASURED.toNanos() / NANOS_PER_SECOND, nanos);
        }
    }

    private byte[] streamFile(Path file, long size) {
        System.out.println("(3) stream " + file + " by rendezvous active messages");
        questions.ask(DemoProtocol.BEGIN, size);
        try (FileChunks source = new FileChunks(file, size, resources.buffers())) {
            ProgressBar bar = new ProgressBar("streaming", size);
            long start = System.nanoTime();
            source.chunks().flatMap(chunk -> send(chunk)
                    .doOnTerminate(() -> bar.advance(chunk.buffer().length()))
                    .doFinally(signal -> source.release(chunk))
                    .thenReturn(chunk.offset()), DemoProtocol.WINDOW, 1).timeout(STALL_LIMIT).blockLast();
            report.transfer("stream (AM rendezvous)", size, (System.nanoTime() - start) / NANOS_PER_SECOND);
            return source.sha256();
        }
    }

    private Mono<Void> send(FileChunks.Chunk chunk) {
        return connection.activeMessages().send(DemoProtocol.CHUNK, DemoProtocol.header(chunk.offset()),
                chunk.buffer(), AmProtocol.RENDEZVOUS);
    }

    private byte[] readBack(RemoteMemory window, long size) {
        System.out.println("(4) read it back from the memory that the server exports, by get");
        MessageDigest digest = DemoProtocol.sha256();
        ProgressBar bar = new ProgressBar("reading", size);
        long start = System.nanoTime();
        window.getFlux(0, size, DemoProtocol.CHUNK_BYTES, DemoProtocol.WINDOW).publishOn(Schedulers.single(), 1)
                .doOnNext(buffer -> {
                    digest.update(buffer.byteBuffer());
                    bar.advance(buffer.length());
                    buffer.release();
                }).timeout(STALL_LIMIT).blockLast();
        report.transfer("read (get)", size, (System.nanoTime() - start) / NANOS_PER_SECOND);
        return digest.digest();
    }

    private void put(RemoteMemory window, long offset) {
        System.out.println("(5) put, confirmed by the server");
        byte[] random = new byte[DemoProtocol.SCRATCH_BYTES];
        ThreadLocalRandom.current().nextBytes(random);
        MemorySegment source = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, random);
        long start = System.nanoTime();
        window.put(offset, source).block(STALL_LIMIT);
        report.transfer("write (put)", random.length, (System.nanoTime() - start) / NANOS_PER_SECOND);
        check("what was put", DemoProtocol.sha256().digest(random),
                questions.ask(DemoProtocol.DIGEST, offset, random.length));
    }

    private static void check(String what, byte[] ours, byte[] theirs) {
        HexFormat hex = HexFormat.of();
        if (!MessageDigest.isEqual(ours, theirs)) {
            throw new DemoFailure("SHA-256 of " + what + ": " + hex.formatHex(ours) + " here, "
                    + hex.formatHex(theirs) + " there");
        }
        System.out.println("    SHA-256 of " + what + " is the same on both sides: " + hex.formatHex(ours));
    }
}
