package io.reactorucx.stress;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.ProgressEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/**
 * The server of the chaos: it responds to each message with the same bytes, checks them, and closes some connections
 * itself, by force.
 *
 * <p>It reads commands from its standard input: {@code levels} prints what it holds, {@code end} ends it in good order.
 */
public final class ChaosServer {

    static final String READY = "ready ";
    static final String LEVELS = "levels ";
    static final String ENDED = "ended ";
    static final String FAULT = "FAULT ";
    /** How long the server takes a client that does not answer for alive. */
    static final Duration HEARTBEAT = Duration.ofSeconds(2);
    static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private static final double CLOSED_BY_FORCE = 0.1;

    private final LongAdder messages = new LongAdder();
    private final UcxResources resources;

    private ChaosServer() {
        resources = resources();
    }

    /** Resources of the transports that the program was started with. */
    static UcxResources resources() {
        String transports = System.getProperty(RandomCalls.TRANSPORTS, "default");
        return transports.equals("default") ? UcxResources.create()
                : UcxResources.builder().transports(transports.split(",")).build();
    }

    /**
     * Serves until it is told to end.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) throws IOException {
        Hooks.onNextDropped(UcxBuffer::discard);
        new ChaosServer().serve();
    }

    private void serve() throws IOException {
        UcxBoundServer server = UcxServer.create(resources).heartbeatInterval(HEARTBEAT).closeTimeout(CLOSE_TIMEOUT)
                .handle(this::handle).bindNow();
        System.out.println(READY + server.port());
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                System.out.println(levels());
            }
        }
        server.disposeNow(Duration.ofSeconds(20));
        resources.disposeNow();
        System.out.println(ENDED + "contexts=" + io.reactorucx.core.UcpContext.openContexts());
    }

    private String levels() {
        System.gc();
        ProcessLevels levels = ProcessLevels.ofThis();
        return LEVELS + "connections=" + resources.openConnections() + " leases=" + resources.buffers().leases()
                + " inFlight=" + resources.engines().stream().map(ProgressEngine::counters)
                .mapToLong(each -> each.inFlight()).sum() + " held=" + resources.engines().stream()
                .map(ProgressEngine::counters).mapToLong(each -> each.heldMessages()).sum()
                + " handshakes=" + resources.pendingHandshakes() + " idle=" + resources.idleEndpoints()
                + " descriptors=" + levels.descriptors() + " threads=" + levels.threads() + " mappings="
                + levels.sharedMappings() + " messages=" + messages.sum();
    }

    private Mono<Void> handle(UcxConnection connection) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextDouble() < CLOSED_BY_FORCE) {
            Mono.delay(Duration.ofMillis(random.nextInt(500)))
                    .then(connection.close(io.reactorucx.core.CloseMode.FORCE)).subscribe();
        }
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        Flux<UcxBuffer> echoes = connection.inbound().receive().doOnDiscard(Object.class, UcxBuffer::discard)
                .map(message -> checked(seen, message));
        return connection.outbound().send(echoes).onErrorComplete();
    }

    private UcxBuffer checked(Set<Long> seen, UcxBuffer message) {
        MemorySegment segment = message.segment();
        messages.increment();
        if (!Payload.isIntact(segment)) {
            System.out.println(FAULT + "a message of " + segment.byteSize() + " bytes is corrupt");
        } else if (!seen.add(segment.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES))) {
            System.out.println(FAULT + "message " + Payload.number(segment) + " of " + Payload.sender(segment)
                    + " came twice");
        }
        return message;
    }
}
