package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The server's side of one test, with its own UCX resources. */
final class ServedTest implements AutoCloseable {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(50);
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final Setup setup;
    private final UcxResources resources;
    private final List<ServerPart> parts = new CopyOnWriteArrayList<>();
    private final Set<Long> threads = ConcurrentHashMap.newKeySet();
    private final UcxBoundServer server;
    private volatile @Nullable Throwable failure;

    ServedTest(Setup setup, EngineOptions options, InetAddress address) {
        setup.checkHere(options.peerErrors());
        this.setup = setup;
        resources = options.resources(setup);
        try {
            server = options.with(UcxServer.create(resources), setup).bindAddress(new InetSocketAddress(address, 0))
                    .handle(this::serve).bindNow();
        } catch (RuntimeException e) {
            resources.disposeNow();
            throw e;
        }
    }

    private Mono<Void> serve(UcxConnection connection) {
        threads.add(Thread.currentThread().threadId());
        ServerPart part = new ServerPart(setup, connection, error -> failed(connection, error));
        // The client opens its connections one by one, so at most one is being accepted here.
        part.begin(parts.size());
        parts.add(part);
        return Mono.never();
    }

    private void failed(UcxConnection connection, Throwable error) {
        if (!connection.isDisposed()) {
            failure = error;
            System.err.println("perf server: " + connection.peer() + ": " + error);
        }
    }

    int port() {
        return server.port();
    }

    /** Waits for the window of a connection. */
    String awaitWindow(int number) {
        await(number + " connections", () -> parts.size() > number);
        return parts.get(number).window();
    }

    /** Waits until a number of messages has arrived. */
    void awaitReceived(long messages) {
        await(messages + " messages", () -> received() >= messages);
    }

    private long received() {
        return parts.stream().mapToLong(ServerPart::received).sum();
    }

    private void await(String what, BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            Throwable error = failure;
            if (error != null) {
                throw new IllegalStateException(error.getMessage(), error);
            }
            if (System.nanoTime() - begun > PATIENCE_NANOS) {
                throw new IllegalStateException("waited for " + what + ", there were " + received() + " messages on "
                        + parts.size() + " connections");
            }
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    ProcessUse use() {
        return ProcessUse.now(threads);
    }

    @Override
    public void close() {
        resources.disposeNow();
    }
}
