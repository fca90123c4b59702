package io.reactorucx;

import io.reactorucx.security.Authenticator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;

/**
 * A server in a process of its own that strangers flood with handshakes. It tells its heap after a collection for each
 * line of its input.
 */
final class FloodedServer {

    static final String READY = "ready ";
    static final String HEAP = "heap ";

    private FloodedServer() {
    }

    static Authenticator secret() {
        return Authenticator.sharedSecret("of the flooded server, 32 bytes!".getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The process.
     *
     * @param args none
     */
    public static void main(String[] args) throws IOException {
        UcxResources resources = UcxResources.builder().transports("tcp").build();
        // Long timeouts: what a refused handshake leaves behind until then adds up, however slow the machine is.
        UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0).authenticator(secret())
                .handshakeTimeout(Duration.ofMinutes(5)).closeTimeout(Duration.ofMinutes(5))
                .handle(connection -> Mono.never()).bindNow();
        AtomicBoolean ended = new AtomicBoolean();
        server.onDispose().doFinally(end -> ended.set(true)).onErrorComplete().subscribe();
        System.out.println(READY + server.port());
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (in.readLine() != null) {
                System.gc();
                System.out.println(HEAP + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + " "
                        + resources.failedHandshakes() + " " + resources.pendingHandshakes() + " " + ended.get());
            }
        }
        resources.disposeNow();
    }
}
