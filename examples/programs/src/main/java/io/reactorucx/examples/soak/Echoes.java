package io.reactorucx.examples.soak;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.examples.soak.Tally.End;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The replies that are expected over one connection, by number; each must arrive once. */
final class Echoes {

    private final Tally tally;
    private final UcxConnection connection;
    private final Map<Long, Due> due = new ConcurrentHashMap<>();
    /** Exchanges that were cancelled before their reply, which may still arrive once. */
    private final Set<Long> givenUp = ConcurrentHashMap.newKeySet();

    private record Due(long bytes, Sinks.Empty<Void> answer) {
    }

    /** The end of the connection fails the exchanges that still expect a reply, whichever side closed it. */
    Echoes(Tally tally, UcxConnection connection) {
        this.tally = tally;
        connection.onDispose().subscribe(ignored -> { }, error -> { },
                () -> due.keySet().forEach(number -> failed(number, new UcxClosedException("receive", connection.peer(),
                "the connection ended before the answer came"))));
        this.connection = connection;
    }

    /** Sends a payload; completes when its reply has arrived. */
    Mono<Void> await(long number, long bytes, Mono<Void> send) {
        Sinks.Empty<Void> answer = Sinks.empty();
        due.put(number, new Due(bytes, answer));
        if (connection.isDisposed()) {
            due.remove(number);
            return Mono.error(new UcxClosedException("send", connection.peer(), "the connection has ended"));
        }
        return send.then(answer.asMono()).doFinally(signal -> {
            // In this order, so that a reply that arrives now finds the number in one of the two.
            givenUp.add(number);
            if (due.remove(number) == null) {
                givenUp.remove(number);
            }
        });
    }

    /** Called when the reply arrived but its data could not be fetched. */
    void failed(long number, Throwable error) {
        Due expected = due.remove(number);
        if (expected != null) {
            expected.answer.tryEmitError(error);
        }
    }

    /** Called for a reply, which must have the length and the content of the payload. */
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
