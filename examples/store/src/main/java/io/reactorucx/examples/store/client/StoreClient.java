package io.reactorucx.examples.store.client;

import io.reactorucx.examples.store.replica.Placement;
import io.reactorucx.examples.store.replica.Replicas;
import io.reactorucx.examples.store.wire.KeyRequest;
import io.reactorucx.examples.store.wire.Pair;
import io.reactorucx.examples.store.wire.PutRequest;
import io.reactorucx.examples.store.wire.Reply;
import io.rsocket.exceptions.ApplicationErrorException;
import io.rsocket.exceptions.InvalidException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Reads and writes keys. A request goes to one replica of its key, and to the other when that one is gone, does not
 * know, or does not answer, until the deadline. A write is not repeated before the attempt that may have reached a
 * node has expired there, so that it cannot overtake a later one.
 *
 * <p><b>Threading:</b> any thread; nothing blocks. <b>Ownership:</b> that of the directory. <b>Errors:</b> {@link
 * StoreUnavailableException} when the deadline is over, {@link IllegalArgumentException} for a key or value that the
 * store refuses.
 */
public final class StoreClient {

    private static final Duration ATTEMPT = Duration.ofMillis(500);
    private static final long SHORTEST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 100;
    private static final int DOUBLINGS = 4;

    private final NodeDirectory directory;
    private final Placement placement;
    private final Duration deadline;
    private final Map<Pair, Integer> primaries = new ConcurrentHashMap<>();

    /**
     * A client.
     *
     * @param directory the nodes
     * @param nodes how many nodes there are, alive or not
     * @param deadline of each request, from 1 ms on
     */
    public StoreClient(NodeDirectory directory, int nodes, Duration deadline) {
        if (deadline.toMillis() < 1) {
            throw new IllegalArgumentException("deadline " + deadline + ": must be at least 1 ms");
        }
        this.directory = directory;
        this.placement = new Placement(nodes);
        this.deadline = deadline;
    }

    /** The call of a node that a request makes. */
    private interface Ask {
        Mono<Reply> of(NodeLink node, long expiresAt);
    }

    private record Request(Pair pair, int first, boolean write, long deadlineMillis, Ask ask) {

        int node(int attempt) {
            return attempt % 2 == 0 ? first : pair.other(first);
        }
    }

    /**
     * Reads.
     *
     * @param key the key
     * @return its value, empty if it has none
     */
    public Mono<Optional<StoreValue>> get(String key) {
        return Mono.defer(() -> {
            Pair pair = pair(key);
            int first = ThreadLocalRandom.current().nextBoolean() ? pair.low() : pair.high();
            return ask(pair, first, false, (node, expiresAt) -> node.get(key, expiresAt));
        }).map(reply -> {
            byte[] value = reply.value();
            return value == null ? Optional.empty() : Optional.of(new StoreValue(value, reply.version()));
        });
    }

    /**
     * Writes.
     *
     * @param key the key
     * @param value its new value, not to be changed until it is done
     * @return the version of the value, when each replica that lives has it
     */
    public Mono<Long> put(String key, byte[] value) {
        return write(key, (node, expiresAt) -> node.put(new PutRequest(key, value, expiresAt)));
    }

    /**
     * Deletes.
     *
     * @param key the key
     * @return the version of the deletion, when no replica has a value any more
     */
    public Mono<Long> delete(String key) {
        return write(key, (node, expiresAt) -> node.delete(new KeyRequest(key, expiresAt, false)));
    }

    private Mono<Long> write(String key, Ask ask) {
        return Mono.defer(() -> {
            Pair pair = pair(key);
            return ask(pair, primaries.getOrDefault(pair, pair.low()), true, ask);
        }).map(Reply::version);
    }

    private Pair pair(String key) {
        Replicas.checkKey(key);
        return placement.pair(key);
    }

    private Mono<Reply> ask(Pair pair, int first, boolean write, Ask ask) {
        Request request = new Request(pair, first, write, System.currentTimeMillis() + deadline.toMillis(), ask);
        return attempt(request, 0, "no replica was asked").timeout(deadline)
                .onErrorMap(TimeoutException.class, error -> late("no replica has answered"));
    }

    private StoreUnavailableException late(@Nullable String reason) {
        return new StoreUnavailableException("not within " + deadline.toMillis() + " ms: " + reason);
    }

    private Mono<Reply> attempt(Request request, int number, @Nullable String reason) {
        long now = System.currentTimeMillis();
        long expiresAt = Math.min(request.deadlineMillis(), now + ATTEMPT.toMillis());
        if (expiresAt <= now) {
            return Mono.error(late(reason));
        }
        int node = request.node(number);
        NodeLink link = directory.link(node);
        Mono<Reply> reply = link == null ? Mono.just(Reply.retry("node " + node + " is not in the registry"))
                : request.ask().of(link, expiresAt).timeout(Duration.ofMillis(expiresAt - now))
                        .switchIfEmpty(Mono.error(() -> new StoreUnavailableException("node " + node + " is closing")))
                        .onErrorResume(StoreClient::mayPass, error -> Mono.just(failed(request, node, error)));
        return reply.flatMap(each -> switch (each.outcome()) {
            case FOUND, NOT_FOUND -> Mono.just(each);
            case DONE -> {
                primaries.put(request.pair(), node);
                yield Mono.just(each);
            }
            case RETRY -> Mono.delay(pause(number)).then(Mono.defer(() -> attempt(request, number + 1, each.reason())));
            case UNKNOWN -> Mono.delay(Duration.ofMillis(Math.max(1, expiresAt - System.currentTimeMillis() + 1)))
                    .then(Mono.defer(() -> attempt(request, number + 1, each.reason())));
        });
    }

    private static Reply failed(Request request, int node, Throwable error) {
        String reason = "node " + node + ": " + error;
        return request.write() ? Reply.unknown(reason) : Reply.retry(reason);
    }

    /**
     * Returns whether an error may pass: a refusal by a node's own code stays, all other errors are of the connection.
     */
    private static boolean mayPass(Throwable error) {
        return !(error instanceof ApplicationErrorException || error instanceof InvalidException
                || error instanceof IllegalArgumentException);
    }

    /** The other replica is asked at once, then both after pauses that grow. */
    private static Duration pause(int number) {
        return number % 2 == 0 ? Duration.ZERO : Duration.ofMillis(Math.min(LONGEST_PAUSE_MILLIS,
                SHORTEST_PAUSE_MILLIS << Math.min(DOUBLINGS, number / 2)));
    }
}
