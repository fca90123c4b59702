package io.reactorucx.stress;

import io.reactorucx.ByteStream;
import io.reactorucx.Tags;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.TaggedBuffer;
import io.reactorucx.message.TaggedMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Random calls of {@code tags()} and {@code streams()}. */
final class WorkerCalls {

    static final List<Call.Kind> KINDS = List.of(WorkerCalls::sendTagged, WorkerCalls::receiveTagged,
            WorkerCalls::receiveAllTagged, WorkerCalls::refusedTags, WorkerCalls::stream, WorkerCalls::refusedStreams);

    private static final int TAGS = 4;
    /** A message that no receive takes waits in UCX, for ever, and in a rendezvous keeps its sender waiting. */
    private static final int EAGER = 2000;

    private WorkerCalls() {
    }

    private static long tag(Call call) {
        return call.random().nextInt(TAGS);
    }

    private static void sendTagged(Call call) {
        Tags tags = call.connection().tags();
        // In error mode NONE a send that nobody receives never ends, and keeps its connection open.
        boolean endless = call.round().canForce();
        int size = call.oneIn(20) && endless ? 100_000 : call.random().nextInt(EAGER);
        MemorySegment payload = Payload.of(call.peer().number, call.number(), Payload.PREFIX + size);
        long tag = tag(call);
        switch (call.random().nextInt(6)) {
            case 0 -> {
                if (endless) {
                    call.follow("tags sendSync", Rule.LEGAL, () -> tags.sendSync(tag, payload));
                }
            }
            case 1 -> call.follow("tags send of segments", Rule.LEGAL, () -> tags.send(tag,
                    List.of(payload.asSlice(0, 10), payload.asSlice(10))));
            default -> call.follow("tags send", Rule.LEGAL, () -> tags.send(tag, payload));
        }
    }

    private static void receiveTagged(Call call) {
        MemorySegment destination = Arena.ofAuto().allocate(call.oneIn(6) ? 100 : 200_000, 8);
        long tag = tag(call);
        call.<TaggedMessage>follow("tags receive", Rule.LEGAL, () -> call.connection().tags().receive(tag, destination),
                message -> {
                    if (!Payload.isIntact(message.data())) {
                        call.fault("a tagged message of " + message.data().byteSize() + " bytes is corrupt");
                    }
                }, () -> { });
    }

    private static void receiveAllTagged(Call call) {
        long tag = tag(call);
        if (call.oneIn(3)) {
            call.follow("tags probe", Rule.LEGAL, () -> call.connection().tags().probe(tag, -1));
            return;
        }
        int max = call.oneIn(6) ? 100 : 200_000;
        int take = 1 + call.random().nextInt(20);
        call.<TaggedBuffer>follow("tags receiveAll", Rule.LEGAL,
                () -> call.connection().tags().receiveAll(tag, -1, max).take(take), message -> {
                    boolean intact = Payload.isIntact(message.data().segment());
                    message.dispose();
                    if (!intact) {
                        call.fault("a tagged message in a lease is corrupt");
                    }
                }, () -> { });
    }

    private static void refusedTags(Call call) {
        Tags tags = call.connection().tags();
        switch (call.random().nextInt(5)) {
            case 0 -> call.follow("tags send of the heap", Rule.WRONG,
                    () -> tags.send(1, MemorySegment.ofArray(new byte[1000])));
            case 1 -> call.follow("tags send of no segments", Rule.WRONG, () -> tags.send(1, List.of()));
            case 2 -> call.follow("tags receive into read-only memory", Rule.WRONG,
                    () -> tags.receive(99, Arena.ofAuto().allocate(100).asReadOnly()));
            case 3 -> call.<TaggedBuffer>follow("tags receiveAll of less than nothing", Rule.WRONG,
                    () -> tags.receiveAll(1, -1, -1));
            default -> {
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment closeable = arena.allocate(100);
                    call.follow("tags receive into an arena that can be closed", Rule.WRONG,
                            () -> tags.receive(99, closeable));
                }
            }
        }
    }

    private static void stream(Call call) {
        ByteStream stream = call.connection().streams();
        if (!call.round().hasStreams()) {
            // After a graceful end of the connection it completes.
            call.<UcxBuffer>follow("streams receive without the feature", Rule.EITHER, stream::receive);
        } else if (call.oneIn(3)) {
            int take = call.oneIn(2) ? 1 + call.random().nextInt(5) : Integer.MAX_VALUE;
            call.<UcxBuffer>follow("streams receive", Rule.LEGAL,
                    () -> stream.receive(1 + call.random().nextInt(10_000)).take(take));
        } else if (call.oneIn(2)) {
            MemorySegment payload = Arena.ofAuto().allocate(1 + call.random().nextInt(EAGER));
            call.follow("streams send", Rule.LEGAL, () -> stream.send(payload));
        } else {
            UcxBuffer lease = call.connection().resources().buffers().acquire(1 + call.random().nextInt(EAGER));
            call.follow("streams send of a lease", Rule.LEGAL, () -> stream.send(lease));
            lease.release();
        }
    }

    private static void refusedStreams(Call call) {
        ByteStream stream = call.connection().streams();
        switch (call.random().nextInt(3)) {
            case 0 -> call.follow("streams send of nothing", Rule.WRONG, () -> stream.send(MemorySegment.NULL));
            case 1 -> call.<UcxBuffer>follow("streams receive of nothing", Rule.WRONG, () -> stream.receive(0));
            default -> call.follow("streams send of the heap", Rule.WRONG,
                    () -> stream.send(MemorySegment.ofArray(new byte[100])));
        }
    }
}
