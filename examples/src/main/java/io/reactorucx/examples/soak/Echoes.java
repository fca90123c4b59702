package io.reactorucx.examples.soak;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.examples.soak.Tally.End;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The answers that are due over one connection, by number; each comes once. */
final class Echoes {

    private final Tally tally;
    private final UcxConnection connection;
    private final Map<Long, Due> due = new ConcurrentHashMap<>();
    /** Given up before their answer came, which may still come, once. */
    private final Set<Long> givenUp = ConcurrentHashMap.newKeySet();

    private record Due(long bytes, Sinks.Empty<Void> answer) {
    }

    /** Answers that are due when the connection ends will not come: an error, whichever side ended it. */
    Echoes(Tally tally, UcxConnection connection) {
        this.tally = tally;
        connection.onDispose().subscribe(ignored -> { }, error -> { },
                () -> due.keySet().forEach(number -> failed(number, new UcxClosedException("receive", connection.peer(),
                "the connection ended before the answer came"))));
        this.connection = connection;
    }

    /** Sends, and completes when the answer to that has come. */
    Mono<Void> await(long number, long bytes, Mono<Void> send) {
        Sinks.Empty<Void> answer = Sinks.empty();
        due.put(number, new Due(bytes, answer));
        if (connection.isDisposed()) {
            due.remove(number);
            return Mono.error(new UcxClosedException("send", connection.peer(), "the connection has ended"));
        }
        return send.then(answer.asMono()).doFinally(signal -> {
            // In this order: an answer that comes just now finds one of the two.
            givenUp.add(number);
            if (due.remove(number) == null) {
                givenUp.remove(number);
            }
        });
    }

    /** The answer was there and could not be fetched. */
    void failed(long number, Throwable error) {
        Due expected = due.remove(number);
        if (expected != null) {
            expected.answer.tryEmitError(error);
        }
    }

    /** An answer has come; it has to be as long as what was sent, and to hold the same. */
    void arrived(long number, MemorySegment payload) {
        Due expected = due.remove(number);
        if (expected != null) {
            if (expected.bytes != payload.byteSize() || !Pattern.isIn(payload, number)) {
                tally.ended(End.CORRUPT);
            }
            expected.answer.tryEmitEmpty();
        } else if (!givenUp.remove(number)) {
            tally.ended(End.DUPLICATED);
        }
    }
}
