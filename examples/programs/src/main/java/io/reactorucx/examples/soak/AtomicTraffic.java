package io.reactorucx.examples.soak;

import io.reactorucx.RemoteAtomics;
import io.reactorucx.RemoteMemory;
import io.reactorucx.examples.soak.Tally.End;
import reactor.core.publisher.Mono;

/** Adds to a number in the server's memory, one exchange after the other, and compares what was there before. */
final class AtomicTraffic implements Traffic {

    static final String NAME = "atomic";
    /** Behind the part that {@link MemoryTraffic} writes. */
    static final long OFFSET = MemoryTraffic.PART_BYTES;

    private final RemoteAtomics atomics;
    private final Tally tally;
    private long sum;

    AtomicTraffic(RemoteMemory memory, Tally tally) {
        this.atomics = memory.atomics();
        this.tally = tally;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxBytes() {
        return Long.BYTES;
    }

    @Override
    public Mono<Void> exchange(long number, int bytes) {
        return atomics.fetchAdd(OFFSET, number).doOnNext(before -> {
            if (before != sum) {
                tally.ended(End.CORRUPT);
            }
            sum += number;
        }).then();
    }
}
