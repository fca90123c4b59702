package io.reactorucx.examples.store;

import io.reactorucx.examples.store.replica.Replicas;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.examples.store.wire.KeyRequest;
import io.reactorucx.examples.store.wire.PutRequest;
import io.reactorucx.examples.store.wire.Reply;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** RSocket for services and for the other nodes. */
@Controller
class StoreMessages {

    private final Replicas replicas;
    private final ObjectProvider<NodeServers> servers;

    StoreMessages(Replicas replicas, ObjectProvider<NodeServers> servers) {
        this.replicas = replicas;
        this.servers = servers;
    }

    // snippet: messages
    @MessageMapping("store.get")
    Mono<Reply> get(@Payload KeyRequest request) {
        return Mono.just(replicas.get(request));
    }

    @MessageMapping("store.put")
    Mono<Reply> put(@Payload PutRequest request) {
        return replicas.put(request);
    }

    @MessageMapping("store.delete")
    Mono<Reply> delete(@Payload KeyRequest request) {
        return replicas.delete(request);
    }
    // end

    @MessageMapping("store.replicate")
    Mono<Boolean> replicate(@Payload Batch batch) {
        return Mono.just(replicas.replicate(batch));
    }

    @MessageMapping("store.join")
    Flux<JoinPart> join(@Payload JoinRequest request) {
        return replicas.join(request);
    }

    @MessageMapping("store.memory-port")
    Mono<Integer> memoryPort() {
        return Mono.just(servers.getObject().memoryPort());
    }
}
