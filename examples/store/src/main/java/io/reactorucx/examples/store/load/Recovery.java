package io.reactorucx.examples.store.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.examples.store.client.StoreClient;
import io.reactorucx.examples.store.client.StoreValue;
import io.reactorucx.examples.store.replica.Placement;
import io.reactorucx.examples.store.wire.Pair;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Finds out when the store takes each key again, and when each node has its data. */
final class Recovery {

    /** How long a store may take to serve each key again after a kill. */
    static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Duration GIVE_UP = Duration.ofSeconds(240);
    private static final Duration POLL = Duration.ofMillis(100);

    private final StoreClient store;
    private final WebClient http = WebClient.create();
    private final Map<Pair, String> keys = new LinkedHashMap<>();
    private final AtomicLong written = new AtomicLong();

    Recovery(StoreClient store, int nodes) {
        this.store = store;
        Placement placement = new Placement(nodes);
        IntStream.range(0, nodes).boxed().flatMap(node -> placement.pairsOf(node).stream()).distinct()
                .forEach(pair -> keys.put(pair, IntStream.iterate(0, i -> i + 1).mapToObj(i -> "probe-" + i)
                        .filter(key -> placement.pair(key).equals(pair)).findFirst().orElseThrow()));
    }

    /** Writes and reads a key of each pair, until all have succeeded. Returns when the last did, as nano time. */
    long await() {
        return Objects.requireNonNull(Flux.fromIterable(keys.values()).flatMap(this::probe, Integer.MAX_VALUE)
                .then(Mono.fromSupplier(System::nanoTime)).block(GIVE_UP));
    }

    private Mono<Void> probe(String key) {
        return Mono.defer(() -> {
            byte[] value = Long.toString(written.incrementAndGet()).getBytes(UTF_8);
            return store.put(key, value).then(store.get(key)).doOnNext(read -> {
                if (!Arrays.equals(read.map(StoreValue::bytes).orElse(null), value)) {
                    throw new LoadFailure("probe " + key + " was answered with another value than " + written);
                }
            }).then();
        }).retryWhen(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(1)).filter(LoadMaker::isRetryable));
    }

    /** Waits until each node answers for each of its pairs. */
    void awaitComplete(Iterable<Integer> ports) {
        Flux.fromIterable(ports).flatMap(port -> http.get().uri("http://127.0.0.1:" + port + "/status").retrieve()
                        .bodyToMono(new ParameterizedTypeReference<Map<String, Object>>() { })
                        .map(status -> String.valueOf(status.get("roles"))).onErrorReturn("JOINING"))
                .any(roles -> roles.contains("JOINING")).repeatWhen(ended -> ended.delayElements(POLL))
                .takeUntil(joining -> !joining).then().block(GIVE_UP);
    }
}
