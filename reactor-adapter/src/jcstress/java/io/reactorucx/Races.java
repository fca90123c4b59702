package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.command.EngineExecutor;
import io.reactorucx.transport.carrier.EndpointCarrier;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What the tests of races share in one process: native things, which are too dear for each of the millions of states.
 */
final class Races {

    private static final UcpContext CONTEXT = UcpContext.create(UcpConfig.builder()
            .features(UcpFeature.AM, UcpFeature.WAKEUP).build());

    private static final LeakReporter LEAKS = new LeakReporter(LeakDetection.DISABLED);

    private static final EngineConfig CONFIG = EngineConfig.of("race");

    private Races() {
    }

    /** A pool with room for the leases of all states that exist at once. */
    static UcxBufferPool pool() {
        return new LeasePool(new BufferPool(CONTEXT, LeasedBuffer::new, 1L << 30, 0, false, 0, LEAKS));
    }

    /** A connection whose engine is never stepped: the actors play its thread. */
    static ConnectionCore connection(boolean engineClosed) {
        ProgressEngine engine = new ProgressEngine(CONTEXT, CONFIG.withLimits(4, 4), 0, EngineObserver.NONE);
        if (engineClosed) {
            engine.closeAsync();
        }
        ResourceLimits limits = ResourceLimits.of(1, 1, 1, 0, 1);
        EngineConnections connections = new EngineConnections(engine, limits, 1 << 20);
        // Without a worker, because no endpoint is made.
        EndpointCarrier carrier = new EndpointCarrier("peer", engine, null, null, limits, process -> { }, null);
        return new ConnectionCore(connections, ConnectionConfig.DEFAULT, "peer", null, carrier);
    }

    /** Whether the memory that went back last is leased to one at a time; had it gone back twice, it were to two. */
    static boolean isLeasedOnce(UcxBufferPool pool) {
        UcxBuffer first = pool.acquire(1);
        UcxBuffer second = pool.acquire(1);
        boolean different = first.segment().address() != second.segment().address();
        first.release();
        second.release();
        return different;
    }

    /** An engine with a thread, and with room for the commands of all states that exist at once. */
    static ProgressEngine running() {
        return UcxResources.builder().transports("tcp").engineConfig(CONFIG.withLimits(1 << 17, 1 << 10)).build()
                .engines().getFirst();
    }

    /** Waits until the engine has run what was submitted before. */
    static void awaitAllRun(ProgressEngine engine) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        new EngineExecutor(engine).execute(() -> reached.complete(null));
        reached.orTimeout(20, TimeUnit.SECONDS).join();
    }
}
