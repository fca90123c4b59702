package io.reactorucx.examples.store.replica;

import io.reactorucx.examples.store.wire.Change;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinPart.Kind;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import reactor.core.publisher.Flux;

/** The entries of a pair for a node that joins, read when they are requested. */
final class EntryParts {

    private final Values values;
    private final List<String> keys;
    private final ReplicaLimits limits;
    private final String lease;

    EntryParts(Values values, List<String> keys, ReplicaLimits limits, String lease) {
        this.values = values;
        this.keys = keys;
        this.limits = limits;
        this.lease = lease;
    }

    Flux<JoinPart> parts() {
        return Flux.generate(keys::iterator, (rest, sink) -> {
            List<Change> entries = next(rest);
            if (entries.isEmpty()) {
                sink.complete();
            } else {
                sink.next(new JoinPart(Kind.ENTRIES, lease, null, 0, entries));
            }
            return rest;
        });
    }

    private List<Change> next(Iterator<String> rest) {
        List<Change> entries = new ArrayList<>();
        long bytes = 0;
        while (rest.hasNext() && entries.size() < limits.batchChanges() && bytes < limits.batchBytes()) {
            String key = rest.next();
            StoredValue value = values.get(key);
            byte[] copy = value == null ? null : value.copy();
            // One that has gone meanwhile was evicted, or a newer one went to the backup as a write.
            if (value != null && copy != null) {
                Change entry = new Change(value.version(), key, copy);
                entries.add(entry);
                bytes += entry.bytes();
            }
        }
        return entries;
    }
}
