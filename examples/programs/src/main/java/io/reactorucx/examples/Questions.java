package io.reactorucx.examples;

import io.reactorucx.UcxConnection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Asks the demo's server and waits for the response, one request at a time. */
final class Questions {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final UcxConnection connection;

    Questions(UcxConnection connection) {
        this.connection = connection;
    }

    byte[] ask(int id, long... header) {
        Flux<byte[]> answers = connection.activeMessages().receive(DemoProtocol.ANSWER)
                .concatMap(answer -> answer.hasData() ? Mono.just(answer.data().toArray(ValueLayout.JAVA_BYTE))
                        : answer.fetch(connection.resources().buffers()).map(buffer -> {
                            byte[] bytes = buffer.segment().toArray(ValueLayout.JAVA_BYTE);
                            buffer.release();
                            return bytes;
                        }));
        Mono<byte[]> question = connection.activeMessages()
                .send(id, DemoProtocol.header(header), MemorySegment.NULL).then(Mono.never());
        return Objects.requireNonNull(answers.next().or(question).block(LIMIT));
    }
}
