package io.reactorucx.examples.store;

import io.reactorucx.examples.store.client.StoreClient;
import io.reactorucx.examples.store.client.StoreUnavailableException;
import io.reactorucx.examples.store.replica.Replicas;
import io.rsocket.exceptions.ApplicationErrorException;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** HTTP for people. Each node takes each key, and asks the nodes that hold it. */
@RestController
class KeyController {

    private final StoreClient client;
    private final Replicas replicas;

    KeyController(StoreClient client, Replicas replicas) {
        this.client = client;
        this.replicas = replicas;
    }

    /**
     * The status of a node.
     *
     * @param roles by pair of nodes
     * @param entries how many values it holds, about
     */
    record Status(Map<String, String> roles, long entries) {
    }

    @GetMapping("/keys/{key}")
    Mono<ResponseEntity<byte[]>> get(@PathVariable String key) {
        return client.get(key).map(found -> found.map(value -> ResponseEntity.ok().eTag(Long.toString(value.version()))
                .contentType(MediaType.APPLICATION_OCTET_STREAM).body(value.bytes()))
                .orElseGet(() -> ResponseEntity.notFound().build()));
    }

    @PutMapping("/keys/{key}")
    Mono<ResponseEntity<Void>> put(@PathVariable String key, @RequestBody(required = false) byte[] value) {
        return client.put(key, value == null ? new byte[0] : value).map(KeyController::written);
    }

    @DeleteMapping("/keys/{key}")
    Mono<ResponseEntity<Void>> delete(@PathVariable String key) {
        return client.delete(key).map(KeyController::written);
    }

    private static ResponseEntity<Void> written(long version) {
        return ResponseEntity.noContent().eTag(Long.toString(version)).build();
    }

    @GetMapping("/status")
    Mono<Status> status() {
        return Mono.just(new Status(replicas.roles(), replicas.entries()));
    }

    @ExceptionHandler
    ResponseEntity<String> unavailable(StoreUnavailableException error) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).header(HttpHeaders.RETRY_AFTER, "1")
                .body(error.getMessage());
    }

    @ExceptionHandler({IllegalArgumentException.class, ApplicationErrorException.class})
    ResponseEntity<String> refused(Exception error) {
        return ResponseEntity.badRequest().body(error.getMessage());
    }
}
