package io.reactorucx.rdma;

import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxConnection;
import io.reactorucx.core.AmProtocol;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Operations of every kind that go on until their connection ends, with 8 MiB on their way in both directions. */
final class Load {

    private static final int LARGE = 8 << 20;

    private final Map<String, CompletableFuture<?>> operations = new LinkedHashMap<>();
    private final CompletableFuture<Void> running = new CompletableFuture<>();

    private Load() {
    }

    static Load on(Client client) {
        Load load = new Load();
        UcxConnection connection = client.connection();
        load.begin("receive of a tagged message", connection.tags().receive(5, Contents.empty(8)));
        load.begin("synchronous send of a tagged message", connection.tags().sendSync(6, Contents.of(1, 8)));
        load.begin("offer that is not fetched", connection.activeMessages().send(EchoServer.HELD_ID,
                MemorySegment.NULL, Contents.of(1, 1 << 20), AmProtocol.RENDEZVOUS));
        load.begin("receive of active messages", connection.activeMessages().receive(20).then());
        byte[] large = new byte[LARGE];
        load.begin("requests of 8 MiB", Flux.range(0, Integer.MAX_VALUE)
                .concatMap(number -> connection.requester().requestResponse(large))
                .doOnNext(answer -> load.running.complete(null)).then());
        load.begin("requests of 100 bytes", Flux.range(0, Integer.MAX_VALUE)
                .concatMap(number -> connection.requester().requestResponse(new byte[100])).then());
        RemoteMemory memory = connection.memory(client.window(true));
        MemorySegment into = Contents.empty(1 << 20);
        load.begin("reads of remote memory",
                Flux.range(0, Integer.MAX_VALUE).concatMap(number -> memory.get(0, into)).then());
        return load;
    }

    private void begin(String name, Mono<?> operation) {
        operations.put(name, operation.toFuture());
    }

    /** Waits until a large request was answered. */
    Load awaitProgress() {
        try {
            running.get(Client.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("no request of 8 MiB was answered", e);
        }
        return this;
    }

    /** Fails unless each operation ends, and with an error. */
    void requireErrors() {
        operations.forEach((name, operation) -> {
            try {
                operation.get(Client.LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } catch (TimeoutException e) {
                throw new AssertionError(name + " does not end", e);
            } catch (ExecutionException e) {
                return;
            }
            throw new AssertionError(name + " has ended well");
        });
    }
}
