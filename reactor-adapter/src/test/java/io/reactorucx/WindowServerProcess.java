package io.reactorucx;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.memory.MemoryRight;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import reactor.core.publisher.Mono;

/**
 * The other process of a test: exports memory of the program, with UCX's own remote access off or on. Ends in good
 * order with its input.
 */
final class WindowServerProcess {

    /** Blocks the engine of the connection for ever. */
    static final int STALL = 7;

    static final String READY = "ready ";
    static final String STALLED = "stalled";
    static final String ENDED = "ended ";

    static final long WINDOW_BYTES = 64L * Bytes.MIB;

    private WindowServerProcess() {
    }

    /**
     * The process.
     *
     * @param args whether remote memory access is on, and the transports
     */
    public static void main(String[] args) throws IOException {
        UcxResources resources = UcxResources.builder().transports(args[1].split(","))
                .remoteMemoryAccess(Boolean.parseBoolean(args[0])).build();
        UcpMemory memory = resources.registerMemory(Bytes.zeroed(WINDOW_BYTES));
        MemorySegment own = Bytes.pattern(1, WINDOW_BYTES);
        Set<MemoryRight> all = EnumSet.allOf(MemoryRight.class);
        HexFormat hex = HexFormat.of();
        UcxBoundServer server = UcxServer.create(resources).handle(connection -> {
            connection.activeMessages().receive(STALL).subscribe(message -> stall(), error -> { });
            return Mono.never();
        }).bindNow();
        System.out.println(READY + server.port() + " " + hex.formatHex(resources.exportMemory(own, all).descriptor()
                .toBytes()) + " "
                + hex.formatHex(resources.exportMemory(memory, all).descriptor().toBytes()));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.readLine();
        }
        server.disposeNow();
        resources.disposeNow();
        System.out.println(ENDED + "windows=" + resources.servedMemory()
                .windows() + " contexts=" + UcpContext.openContexts());
    }

    private static void stall() {
        System.out.println(STALLED);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
