package io.reactorucx.core;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Recurses until the stack overflows, and cancels a receive at each of the first steps back: near the end of the stack,
 * where UCX could call Java for the last time.
 */
final class StackEndProgram {

    private static final int RECEIVES = 400;
    private static final long TAG = 7;

    private final Pair pair = Pair.of(Link.TCP_PEER);
    private final List<Outcome> outcomes = new ArrayList<>();
    private final long[] receives = new long[RECEIVES];
    private int next;
    private int refused;

    private StackEndProgram() {
        MemorySegment memory = Arena.global().allocate(8);
        for (int i = 0; i < RECEIVES; i++) {
            Outcome outcome = new Outcome();
            outcomes.add(outcome);
            receives[i] = pair.server.tags().receive(memory, null, TAG, -1, outcome);
        }
    }

    public static void main(String[] arguments) {
        StackEndProgram program = new StackEndProgram();
        // The classes that a cancel needs are loaded.
        program.cancelNext();
        program.recurse();
        program.end();
    }

    private void cancelNext() {
        if (next < RECEIVES) {
            pair.server.tags().cancel(receives[next++]);
        }
    }

    private void recurse() {
        try {
            recurse();
        } catch (StackOverflowError e) {
            refused++;
        }
        try {
            cancelNext();
        } catch (StackOverflowError e) {
            refused++;
        }
    }

    private void end() {
        pair.server.tags().cancelAll();
        outcomes.forEach(outcome -> {
            if (pair.await(outcome) != UcxStatus.CANCELED) {
                throw new IllegalStateException("a receive ended with " + outcome.status());
            }
        });
        pair.assertStillWorks();
        pair.close();
        System.out.println((refused > 0 ? "overflowed" : "did not overflow") + " and ended in order");
    }
}
