package io.reactorucx.examples;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.Ucx;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** The demo's server process: serves one client, holds its file in registered memory, ends with the client. */
@Command(name = "demo-server", hidden = true, description = "The server process of the demo.")
final class DemoServer implements Callable<Integer> {

    /** Start of the line that this process prints when it listens; the port and the version of UCX follow. */
    static final String READY = "ready ";
    /** Start of the line that this process prints when it fails; the reason follows. */
    static final String FAILED = "failed ";

    private static final Duration CLIENT_LIMIT = Duration.ofSeconds(120);

    @Option(names = "--tcp")
    private boolean tcp;
    @Option(names = "--port")
    private int port;

    private final MessageDigest fileDigest = DemoProtocol.sha256();
    private final AtomicLong digested = new AtomicLong();
    /** Chunks by their address that come behind one that has not come. */
    private final Map<Long, MemorySegment> fetched = new HashMap<>();
    private final MemoryUse memoryUse = new MemoryUse();
    /** Completes after a graceful close by the client; fails with the loss otherwise. */
    private final Sinks.Empty<Void> outcome = Sinks.empty();
    private @Nullable UcpMemory window;
    private long fileBytes;
    private boolean listening;

    @Override
    public Integer call() {
        try {
            serveOne();
            return 0;
        } catch (RuntimeException e) {
            String reason = Failures.inOneLine(e);
            System.out.println(FAILED + reason);
            if (System.out.checkError() || listening) {
                // The client's process, which reads the standard output, may have ended: a pipe takes text until then.
                System.err.println("demo-server: FAILED: " + reason);
            }
            return 1;
        }
    }

    private void serveOne() {
        UcxResources resources = DemoCommand.resources(tcp);
        try {
            Sinks.One<UcxConnection> client = Sinks.one();
            UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", port).handle(connection -> {
                client.tryEmitValue(connection);
                return serve(connection, resources);
            }).bindNow();
            listening = true;
            System.out.println(READY + server.port() + " " + Ucx.version());
            UcxConnection connection = client.asMono().timeout(CLIENT_LIMIT).block();
            outcome.asMono().then(Objects.requireNonNull(connection).onDispose()).block();
            server.disposeNow();
        } finally {
            memoryUse.close();
            resources.disposeNow();
        }
    }

    private Mono<Void> serve(UcxConnection connection, UcxResources resources) {
        // Not part of the when() below, which fails with the first error of its sources: this subscription gets the
        // error that ended the connection.
        connection.activeMessages().receive(DemoProtocol.MEMORY).concatMap(ask -> answer(connection,
                Long.toString(memoryUse.peak()).getBytes(StandardCharsets.US_ASCII)))
                .subscribe(ignored -> { }, outcome::tryEmitError, outcome::tryEmitEmpty);
        Mono<Void> served = Mono.when(
                connection.activeMessages().receive(DemoProtocol.PING).concatMap(ping -> pong(connection, ping)),
                connection.activeMessages().receive(DemoProtocol.BEGIN)
                        .concatMap(begin -> begin(connection, resources, begin)),
                connection.activeMessages().receive(DemoProtocol.CHUNK)
                        .flatMap(this::fetch, DemoProtocol.WINDOW)
                        .publishOn(Schedulers.single()).doOnNext(this::digest),
                connection.activeMessages().receive(DemoProtocol.END).concatMap(end -> end(connection)),
                connection.activeMessages().receive(DemoProtocol.DIGEST).concatMap(range -> digest(connection, range)));
        return served.doOnError(outcome::tryEmitError);
    }

    private static Mono<Void> pong(UcxConnection connection, ActiveMessage ping) {
        return connection.activeMessages().send(DemoProtocol.PONG, ping.data().toArray(ValueLayout.JAVA_BYTE));
    }

    private Mono<Void> begin(UcxConnection connection, UcxResources resources, ActiveMessage begin) {
        return Mono.fromRunnable(() -> {
            fileBytes = DemoProtocol.header(begin.header(), 0);
            window = resources.allocateMemory(fileBytes + DemoProtocol.SCRATCH_BYTES);
        }).subscribeOn(Schedulers.boundedElastic()).then(answer(connection, new byte[0]));
    }

    /** Fetches a chunk straight into its place in the window, without a copy of it elsewhere in this process. */
    private Mono<MemorySegment> fetch(ActiveMessage chunk) {
        UcpMemory held = window;
        if (held == null) {
            return Mono.error(new DemoFailure("a chunk came before the file"));
        }
        return chunk.fetch(held.segment().asSlice(DemoProtocol.header(chunk.header(), 0), chunk.length()));
    }

    /** Digests a chunk in the order of the file: a small one, as the last may be, overtakes large ones. */
    private void digest(MemorySegment chunk) {
        fetched.put(chunk.address(), chunk);
        long start = Objects.requireNonNull(window).segment().address();
        for (MemorySegment next = fetched.remove(start + digested.get()); next != null;
                next = fetched.remove(start + digested.get())) {
            DemoProtocol.update(fileDigest, next);
            digested.addAndGet(next.byteSize());
        }
    }

    /** Responds when the last chunk has been digested: the message END may overtake chunks. */
    private Mono<Void> end(UcxConnection connection) {
        return Mono.defer(() -> digested.get() < fileBytes ? Mono.empty() : Mono.just(true))
                .repeatWhenEmpty(again -> again.delayElements(Duration.ofMillis(1))).timeout(CLIENT_LIMIT)
                .then(descriptor(connection)).flatMap(both -> answer(connection, both));
    }

    private Mono<byte[]> descriptor(UcxConnection connection) {
        return Mono.fromCallable(() -> {
            UcpMemory held = window;
            if (held == null) {
                throw new DemoFailure("the end came before the file");
            }
            byte[] descriptor = connection.exportMemory(held, EnumSet.of(MemoryRight.READ, MemoryRight.WRITE))
                    .descriptor().toBytes();
            byte[] digest = fileDigest.digest();
            byte[] both = Arrays.copyOf(digest, digest.length + descriptor.length);
            System.arraycopy(descriptor, 0, both, digest.length, descriptor.length);
            return both;
        }).subscribeOn(Schedulers.single());
    }

    private Mono<Void> digest(UcxConnection connection, ActiveMessage range) {
        return Mono.fromCallable(() -> {
            UcpMemory held = window;
            if (held == null) {
                throw new DemoFailure("a digest of nothing");
            }
            MessageDigest digest = DemoProtocol.sha256();
            DemoProtocol.update(digest, held.segment().asSlice(DemoProtocol.header(range.header(), 0),
                    DemoProtocol.header(range.header(), 1)));
            return digest.digest();
        }).subscribeOn(Schedulers.boundedElastic()).flatMap(bytes -> answer(connection, bytes));
    }

    private static Mono<Void> answer(UcxConnection connection, byte[] data) {
        return connection.activeMessages().send(DemoProtocol.ANSWER, data);
    }
}
