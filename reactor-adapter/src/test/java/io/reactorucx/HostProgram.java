package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpContext;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.HostCommands;
import io.reactorucx.testsupport.TestCertificates;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * A process with one object of resources, which binds servers and connects clients as the lines of its input say, and
 * prints for each line what came of it.
 */
final class HostProgram {

    static final String DEVICES = "host.devices";
    static final String TRANSPORTS = "host.transports";
    static final String ONE_SIDED = "host.onesided";
    /** A file with this side's certificate and the authority's, for TLS. */
    static final String KEYS = "host.keys";

    /** More than travels within one message of UCX's tcp, or inline. */
    private static final int LARGE_BYTES = 1 << 20;
    private static final int WINDOW_BYTES = 256 << 10;
    private static final Duration LIMIT = TestTime.seconds(10);

    private final UcxResources resources;
    private final @Nullable TlsConfig tls;

    private HostProgram() {
        String keys = System.getProperty(KEYS);
        tls = keys == null ? null : TlsConfig.of(TestCertificates.read(Path.of(keys)));
        // Each connection wires up endpoints of its own.
        UcxResourcesBuilder builder = UcxResources.builder().maxIdleEndpoints(0)
                .remoteMemoryAccess(Boolean.getBoolean(ONE_SIDED));
        String devices = System.getProperty(DEVICES);
        if (devices != null) {
            builder.networkDevices(devices.isEmpty() ? new String[0] : devices.split(","));
        }
        String transports = System.getProperty(TRANSPORTS);
        if (transports != null) {
            builder.transports(transports.split(","));
        }
        resources = builder.build();
    }

    public static void main(String[] arguments) throws IOException {
        HostProgram program = new HostProgram();
        HostCommands.run(program::done, end -> {
            program.resources.disposeNow();
            return "contexts=" + UcpContext.openContexts();
        });
    }

    private String done(String[] words) {
        return switch (words[0]) {
            case "bind" -> HostCommands.BOUND + bind(words[1]);
            case "connect" -> HostCommands.CONNECTED + connect(words[1], Integer.parseInt(words[2]));
            case "reconnect" -> HostCommands.CONNECTED + reconnect(words[1], Integer.parseInt(words[2]));
            case "listens" -> resources.listeningAddresses().toString();
            case "health" -> resources.health().size() + " " + resources.engines().size();
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    /** The server echoes requests, and sends each client the descriptor of a window of registered memory. */
    private int bind(String host) {
        UcxMemoryWindow window = resources.exportMemory(resources.allocateMemory(WINDOW_BYTES),
                EnumSet.allOf(MemoryRight.class));
        UcxServer server = UcxServer.create(resources);
        return (tls == null ? server : server.secure(tls)).bindAddress(host, 0).respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        }).handle(connection -> connection.outbound()
                .sendByteArrays(Mono.just(window.descriptor().toBytes())).then(Mono.never())).bindNow().port();
    }

    private String connect(String host, int port) {
        long start = System.nanoTime();
        UcxClient client = UcxClient.create(resources).remoteAddress(host, port).connectTimeout(LIMIT);
        UcxConnection connection = (tls == null ? client : client.secure(tls)).connectNow();
        long millis = (System.nanoTime() - start) / 1_000_000;
        use(connection);
        String transports = String.join(",", connection.transports());
        connection.disposeNow();
        return millis + " ms " + transports;
    }

    private String reconnect(String host, int port) {
        UcxClient.create(resources).remoteAddress(host, port)
                .reconnect(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(100))).connectNow(LIMIT).close()
                .block(LIMIT);
        return host;
    }

    /** Sends small and large leases of the pool and gets them back, and writes and reads the server's memory. */
    private void use(UcxConnection connection) {
        for (int bytes : new int[] {100, LARGE_BYTES}) {
            UcxBuffer answer = connection.requester().requestResponse(lease(bytes)).block(LIMIT);
            if (answer == null || answer.segment().mismatch(Bytes.pattern(bytes, bytes)) != -1) {
                throw new IllegalStateException(bytes + " bytes came back as others");
            }
            answer.release();
        }
        WindowDescriptor descriptor = WindowDescriptor.fromBytes(
                Objects.requireNonNull(connection.inbound().receiveByteArrays().blockFirst(LIMIT)));
        RemoteMemory memory = connection.memory(descriptor);
        UcxBuffer source = lease(WINDOW_BYTES);
        memory.put(0, source).then(memory.flush()).block(LIMIT);
        source.release();
        MemorySegment copy = memory.get(0, Bytes.zeroed(WINDOW_BYTES)).block(LIMIT);
        if (copy == null || copy.mismatch(Bytes.pattern(WINDOW_BYTES, WINDOW_BYTES)) != -1) {
            throw new IllegalStateException("the window has other bytes than were written");
        }
        memory.close();
    }

    private UcxBuffer lease(int bytes) {
        UcxBuffer lease = resources.buffers().acquire(bytes);
        Bytes.fill(lease.segment(), bytes);
        return lease;
    }
}
