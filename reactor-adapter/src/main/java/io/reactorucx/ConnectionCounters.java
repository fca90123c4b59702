package io.reactorucx;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import reactor.core.publisher.Mono;

/**
 * What the servers of some resources have done and hold.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class ConnectionCounters {

    private final Set<UcxBoundServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong rejected = new AtomicLong();

    ConnectionCounters() {
    }

    /** {@return clients that a server rejected because it had enough, or was stopping} */
    public long rejectedConnections() {
        return rejected.get();
    }

    /** {@return most connections that the servers take} */
    public int maxServerConnections() {
        return sum(servers, UcxBoundServer::maxConnections);
    }

    private static <T> int sum(Collection<T> all, ToIntFunction<T> number) {
        return all.stream().mapToInt(number).sum();
    }

    void rejected() {
        rejected.incrementAndGet();
    }

    /** Counts it until it is gone. */
    void add(UcxBoundServer server) {
        addUntil(servers, server, server.onDispose());
    }

    private static <T> void addUntil(Set<T> all, T one, Mono<Void> gone) {
        all.add(one);
        gone.subscribe(ignored -> { }, error -> { }, () -> all.remove(one));
    }
}
