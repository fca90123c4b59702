package io.reactorucx;

import static org.awaitility.Awaitility.await;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A server that echoes the messages of one id, and can end in several ways and come back at the same port. */
final class RestartableServer implements AutoCloseable {

    static final int ID = 41;

    private final Route route;
    private final UnaryOperator<UcxServer> settings;
    private final Queue<UcxConnection> served = new ConcurrentLinkedQueue<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private @Nullable UcxResources resources;
    private @Nullable UcxBoundServer server;
    private int port;

    RestartableServer(Route route) {
        this(route, UnaryOperator.identity());
    }

    RestartableServer(Route route, UnaryOperator<UcxServer> settings) {
        this.route = route;
        this.settings = settings;
        start();
    }

    void start() {
        UcxResources made = route.resources().build();
        resources = made;
        // Time is virtual in some tests: a heartbeat would be late. The port is free again when the kernel says so.
        server = await().atMost(Waits.PATIENCE).ignoreException(UcxException.class)
                .until(() -> settings.apply(UcxServer.create(made)
                .bindAddress("127.0.0.1", port).heartbeatInterval(Duration.ZERO).handle(this::handle)).bindNow(),
                Objects::nonNull);
        port = server().port();
    }

    private Mono<Void> handle(UcxConnection connection) {
        served.add(connection);
        accepted.incrementAndGet();
        return connection.activeMessages().receive(ID).concatMap(message -> connection.activeMessages()
                .send(ID, Bytes.array(message.data())))
                .then().doFinally(end -> served.remove(connection));
    }

    UcxBoundServer server() {
        return Objects.requireNonNull(server);
    }

    int port() {
        return port;
    }

    /** Connections that were ever taken. */
    int accepted() {
        return accepted.get();
    }

    /** The connections that there are are lost for their clients; the server stays. */
    void loseAll() {
        await().atMost(Waits.PATIENCE).until(() -> !served.isEmpty());
        served.forEach(connection -> connection.close(CloseMode.FORCE).block(Waits.PATIENCE));
    }

    /** In good order, the threads too. */
    void stop() {
        if (resources != null) {
            resources.disposeNow();
            resources = null;
        }
    }

    @Override
    public void close() {
        stop();
    }
}
