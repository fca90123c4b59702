package io.reactorucx.stress;

import io.reactorucx.PooledConnection;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxReconnectingConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.transport.OverflowPolicy;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/** Random calls that open and close: connections, servers, pools, reconnecting connections, resources. */
final class LifecycleCalls {

    static final List<Call.Kind> KINDS = List.of(LifecycleCalls::connect, LifecycleCalls::connect,
            LifecycleCalls::connectAndCancel, LifecycleCalls::close, LifecycleCalls::close, LifecycleCalls::closeHere,
            LifecycleCalls::pool, LifecycleCalls::reconnecting, LifecycleCalls::refusedSettings,
            LifecycleCalls::queries, LifecycleCalls::cancel, LifecycleCalls::cancel, LifecycleCalls::cancel);

    /** Made now and then, because they end everything that goes on. */
    static final List<Call.Kind> RARE = List.of(LifecycleCalls::stopServer, LifecycleCalls::disposeResources,
            LifecycleCalls::closeAll);

    private static final int MOST_CONNECTIONS = 8;

    private LifecycleCalls() {
    }

    private static void connect(Call call) {
        if (call.round().livePeers() < 2 * MOST_CONNECTIONS) {
            call.<UcxConnection>follow("connect", Rule.LEGAL, () -> call.round().client(call.random()).connect(),
                    connection -> { }, () -> { });
        }
    }

    private static void connectAndCancel(Call call) {
        int wait = call.random().nextInt(4000);
        call.<UcxConnection>follow("connect and cancel", Rule.LEGAL,
                () -> call.round().client(call.random(), true).connect()
                .takeUntilOther(Mono.delay(Duration.ofNanos(1000L * wait))),
                connection -> closeOf(call, connection, CloseMode.FORCE), () -> { });
    }

    private static void closeOf(Call call, UcxConnection connection, CloseMode mode) {
        call.round().closes(connection, mode == CloseMode.FORCE);
        call.follow("close " + mode, Rule.LEGAL, () -> connection.close(mode));
    }

    private static void close(Call call) {
        if (call.round().livePeers() < 3) {
            return;
        }
        CloseMode mode = call.oneIn(3) && call.round().canForce() ? CloseMode.FORCE : CloseMode.FLUSH;
        closeOf(call, call.connection(), mode);
        if (call.oneIn(3)) {
            closeOf(call, call.connection(), CloseMode.FLUSH);
        }
        if (call.oneIn(8) && call.round().canForce()) {
            closeOf(call, call.connection(), CloseMode.FORCE);
        }
        CheckedPeer other = call.peer().other();
        if (other != null && call.oneIn(5)) {
            closeOf(call, other.connection, mode);
        }
    }

    /** Closes on the engine's own thread, where nothing may block. */
    private static void closeHere(Call call) {
        if (call.round().livePeers() < 3) {
            return;
        }
        call.follow("disposeNow on the engine's thread", Rule.WRONG, () -> Mono.fromRunnable(
                () -> call.connection().disposeNow()).subscribeOn(call.connection().scheduler()));
    }

    private static void pool(Call call) {
        UcxConnectionPool pool = call.round().pool();
        switch (call.random().nextInt(5)) {
            case 0 -> call.<PooledConnection>follow("pool acquire", Rule.LEGAL, pool::acquire, lent -> {
                call.follow("pool release", Rule.LEGAL, lent::release);
                if (call.oneIn(2)) {
                    call.follow("pool release, twice", Rule.EITHER, lent::release);
                }
                if (call.oneIn(3)) {
                    call.follow("pool invalidate after release", Rule.EITHER, lent::invalidate);
                }
            }, () -> { });
            case 1 -> call.<PooledConnection>follow("pool acquire to invalidate", Rule.LEGAL, pool::acquire,
                    lent -> call.follow("pool invalidate", Rule.LEGAL, lent::invalidate), () -> { });
            case 2 -> call.follow("pool warmup", Rule.LEGAL, pool::warmup);
            case 3 -> {
                if (call.oneIn(5)) {
                    call.follow("pool disposeLater", Rule.LEGAL, pool::disposeLater);
                }
            }
            default -> call.follow("pool withConnection", Rule.LEGAL, () -> pool.withConnection(connection ->
                    connection.requester().requestResponse(new byte[RandomResponder.KINDS - 1])));
        }
    }

    private static void reconnecting(Call call) {
        UcxReconnectingConnection connection = call.round().reconnecting();
        if (call.oneIn(20)) {
            call.follow("reconnecting close", Rule.LEGAL, connection::close);
        } else if (call.oneIn(10)) {
            call.follow("reconnecting failing use", Rule.WRONG,
                    () -> connection.withConnection(lent -> Mono.error(new CallJournal.Intended())));
        } else {
            call.follow("reconnecting withConnection", Rule.LEGAL, () -> connection.withConnection(lent ->
                    lent.requester().requestResponse(new byte[RandomResponder.KINDS - 1])));
        }
    }

    private static void refusedSettings(Call call) {
        UcxClient client = UcxClient.create(call.connection().resources());
        UcxServer server = UcxServer.create(call.connection().resources());
        switch (call.random().nextInt(10)) {
            case 0 -> call.plain("messageWindow of 0", Rule.WRONG, () -> client.messageWindow(0, 0));
            case 1 -> call.plain("maxMessageBytes below 0", Rule.WRONG, () -> client.maxMessageBytes(-1));
            case 2 -> call.plain("receiveQueue of 0", Rule.WRONG,
                    () -> client.receiveQueue(0, 0, OverflowPolicy.ERROR));
            case 3 -> call.plain("remoteAddress with port 70000", Rule.WRONG,
                    () -> client.remoteAddress("127.0.0.1", 70_000));
            case 4 -> call.plain("connectTimeout of 0", Rule.WRONG, () -> client.connectTimeout(Duration.ZERO));
            case 5 -> call.plain("maxConnections of 0", Rule.WRONG, () -> server.maxConnections(0));
            case 6 -> call.plain("engines of 0", Rule.WRONG, () -> UcxResources.builder().engines(0));
            case 7 -> call.follow("connect without an address", Rule.WRONG, client::connect);
            case 8 -> call.plain("engine that does not exist", Rule.WRONG, () -> client.engine(99));
            default -> call.follow("connect where nothing listens", Rule.WRONG,
                    () -> client.remoteAddress("127.0.0.1", 1).connect());
        }
    }

    private static void queries(Call call) {
        call.plain("queries", Rule.LEGAL, () -> {
            UcxConnection connection = call.connection();
            String all = connection + connection.peer() + connection.state() + connection.transports()
                    + connection.maxHeaderBytes() + connection.errorMode() + connection.peerVersion();
            UcxResources resources = connection.resources();
            all += resources.toString() + resources.openConnections() + resources.droppedMessages()
                    + resources.peerStatistics() + resources.connectionStatistics() + resources.messageStatistics()
                    + resources.servedMemory() + resources.idleEndpoints() + resources.pendingHandshakes();
            if (all.isEmpty()) {
                call.fault("nothing is said");
            }
        });
    }

    private static void cancel(Call call) {
        call.round().journal.cancel(call.number() + "", call.random().nextInt(1 << 20));
    }

    private static void stopServer(Call call) {
        UcxBoundServer server = call.round().server();
        call.round().closesServer(call.oneIn(2));
        switch (call.random().nextInt(3)) {
            case 0 -> call.follow("server close", Rule.LEGAL, server::close);
            case 1 -> call.follow("server disposeLater", Rule.LEGAL,
                    () -> server.disposeLater(Duration.ofMillis(50), Duration.ofSeconds(1)));
            default -> call.plain("server dispose", Rule.LEGAL, server::dispose);
        }
        if (call.oneIn(2)) {
            call.follow("server close, twice", Rule.LEGAL, server::close);
        }
        call.round().bind();
    }

    private static void disposeResources(Call call) {
        call.round().replaceResources(call);
    }

    private static void closeAll(Call call) {
        call.round().peers().forEach(peer -> {
            if (!peer.hasEnded()) {
                CloseMode mode = call.oneIn(3) && call.round().canForce() ? CloseMode.FORCE : CloseMode.FLUSH;
                closeOf(call, peer.connection, mode);
            }
        });
    }
}
