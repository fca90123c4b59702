package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpContext;
import io.reactorucx.memory.WindowDescriptor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;

/** The resources of a test, and a connection to a server of the other host. */
final class Client implements AutoCloseable {

    /** More than anything takes on an emulated machine. */
    static final Duration LIMIT = Duration.ofSeconds(90);

    /** What earlier tests have left, which have failed for it. */
    private static int contextsLeft;

    private final UcxResources resources;
    private final UcxClient unconnected;
    private final UcxConnection connection;

    private Client(UcxResources resources, UcxClient unconnected) {
        this.resources = resources;
        this.unconnected = unconnected;
        connection = connect();
    }

    static Client connect(Verbs verbs, ErrorMode mode, int port) {
        return connect(verbs.resources().build(), mode, port, Duration.ofSeconds(60));
    }

    static Client connect(UcxResources resources, ErrorMode mode, int port, Duration heartbeat) {
        try {
            return new Client(resources, UcxClient.create(resources).remoteAddress(OtherHost.address(), port)
                    .connectTimeout(LIMIT)
                    .maxMessageBytes(2L * EchoServer.WINDOW_BYTES).heartbeatInterval(heartbeat)
                    .peerFailureDetection(mode == ErrorMode.PEER));
        } catch (RuntimeException | Error e) {
            resources.disposeNow();
            throw e;
        }
    }

    /** One more connection to the same server. */
    UcxConnection connect() {
        return unconnected.connectNow(LIMIT);
    }

    UcxConnection connection() {
        return connection;
    }

    UcxResources resources() {
        return resources;
    }

    /** What the server says of its memory: memory of UCX, and memory of Java. */
    WindowDescriptor window(boolean ofUcx) {
        return WindowDescriptor.fromBytes(HexFormat.of().parseHex(descriptors()[ofUcx ? 0 : 1]));
    }

    MemoryDescriptor registration() {
        return MemoryDescriptor.fromBytes(HexFormat.of().parseHex(descriptors()[2]));
    }

    private String[] descriptors() {
        byte[] answer = Objects.requireNonNull(connection.requester()
                .requestResponse(EchoServer.DESCRIPTORS.getBytes(StandardCharsets.UTF_8)).block(LIMIT));
        return new String(answer, StandardCharsets.UTF_8).split(" ");
    }

    /** Fails when something is left. */
    @Override
    public void close() {
        connection.disposeNow(LIMIT);
        int leases = resources.buffers().leases();
        int before = contextsLeft;
        try {
            resources.disposeLater().block(LIMIT);
        } finally {
            contextsLeft = UcpContext.openContexts();
        }
        assertThat(leases).as("leases").isZero();
        assertThat(contextsLeft).as("contexts").isEqualTo(before);
    }
}
