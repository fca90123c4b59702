package io.reactorucx.examples.soak;

import io.reactorucx.RemoteMemory;
import io.reactorucx.examples.soak.Tally.End;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** Writes a part of the server's memory, reads it back and compares, one exchange at a time for each part. */
final class MemoryTraffic implements Traffic {

    static final String NAME = "remote memory";
    static final int PART_BYTES = 1 << 20;

    private final RemoteMemory memory;
    private final Tally tally;
    private final MemorySegment source = Arena.ofAuto().allocate(PART_BYTES);
    private final MemorySegment target = Arena.ofAuto().allocate(PART_BYTES);

    MemoryTraffic(RemoteMemory memory, Tally tally) {
        this.memory = memory;
        this.tally = tally;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxBytes() {
        return PART_BYTES;
    }

    @Override
    public Mono<Void> exchange(long number, int bytes) {
        if (bytes == 0) {
            return memory.flush();
        }
        MemorySegment sent = source.asSlice(0, bytes);
        // Flushes first: an operation whose subscriber has cancelled may still use the memory.
        return memory.flush().then(Mono.fromRunnable(() -> Pattern.fill(sent, number))).then(memory.put(0, sent))
                .then(memory.flush()).then(memory.get(0, target.asSlice(0, bytes)))
                .doOnNext(read -> compare(sent, read)).then();
    }

    private void compare(MemorySegment sent, MemorySegment read) {
        if (sent.mismatch(read) >= 0) {
            tally.ended(End.CORRUPT);
        }
    }
}
