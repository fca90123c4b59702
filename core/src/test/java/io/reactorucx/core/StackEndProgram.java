package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Recurses until the stack overflows, and cancels a receive at each of the first steps back, or receives a message that
 * has arrived: near the end of the stack, where UCX could call Java for the last time.
 */
final class StackEndProgram {

    private static final int RECEIVES = 400;
    private static final long TAG = 7;

    private final Pair pair = Pair.of(Link.TCP_PEER);
    private final List<Outcome> outcomes = new ArrayList<>();
    private final long[] receives = new long[RECEIVES];
    private final MemorySegment memory = Arena.global().allocate(8);
    private final boolean cancels;
    private int next;
    private int refused;

    private StackEndProgram(boolean cancels) {
        this.cancels = cancels;
        for (int i = 0; i < RECEIVES && cancels; i++) {
            receives[i] = receive();
        }
        for (int i = 0; i < RECEIVES && !cancels; i++) {
            pair.run(done -> pair.toServer.tagSend(memory, null, TAG, done));
        }
        // After the others, so that they have arrived as well.
        pair.run(done -> pair.toServer.tagSend(memory, null, TAG + 1, done));
        pair.until(() -> pair.server.tags().probe(TAG + 1, -1).isPresent(), "a message");
    }

    private long receive() {
        Outcome outcome = new Outcome();
        long receive = pair.server.tags().receive(memory, null, TAG, -1, outcome);
        // Not before: a receive that was refused does not end.
        outcomes.add(outcome);
        return receive;
    }

    public static void main(String[] arguments) {
        StackEndProgram program = new StackEndProgram(arguments[0].equals("cancel"));
        // The classes that it needs are loaded.
        program.next();
        program.recurse();
        program.end();
    }

    private void next() {
        if (next >= RECEIVES) {
            return;
        }
        next++;
        if (cancels) {
            pair.server.tags().cancel(receives[next - 1]);
        } else {
            receive();
        }
    }

    private void recurse() {
        try {
            recurse();
        } catch (StackOverflowError e) {
            refused++;
        }
        try {
            next();
        } catch (StackOverflowError e) {
            refused++;
        }
    }

    private void end() {
        pair.server.tags().cancelAll();
        outcomes.forEach(outcome -> {
            if (pair.await(outcome) != UcxStatus.CANCELED && cancels) {
                throw new IllegalStateException("a receive ended with " + outcome.status());
            }
        });
        pair.assertStillWorks();
        pair.close();
        System.out.println((refused > 0 ? "overflowed" : "did not overflow") + " and ended in order");
    }
}
