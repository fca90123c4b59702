package io.reactorucx.core;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fills the Java heap to the last word when UCX is about to call back, and lets UCX progress then. Afterwards it frees
 * the memory, and everything that was not lost has to end.
 *
 * <p>Arguments: what arrives, and how much of it arrives before the heap is full.
 */
final class FullHeapProgram {

    static final String SURVIVED = "survived ";

    private static final int FIRST_CHUNK = 1 << 20;
    private static final int ROUNDS = 4;
    private static final int REPORTS = 10;
    private static final int OPERATIONS = 16;
    private static final long TAG = 7;
    private static final int LARGE = 1 << 20;
    private static final int GENERIC = 64 << 10;

    private final Pair pair = Pair.of(Link.POSIX_PEER);
    private final List<Outcome> outcomes = new ArrayList<>();
    private final MemorySegment small = Pair.pattern(32);
    private final MemorySegment large = Pair.pattern(LARGE);
    private final MemorySegment target = Pair.pattern(LARGE);
    private final MemorySegment genericSource = Pair.pattern(GENERIC);
    private final MemorySegment genericTarget = Pair.pattern(GENERIC);
    private @Nullable Object @Nullable [] ballast;
    private int lacked;
    private int round;

    private FullHeapProgram() {
    }

    public static void main(String[] arguments) {
        FullHeapProgram program = new FullHeapProgram();
        // Loads what this program catches.
        program.progress(() -> {
            throw new OutOfMemoryError("of a test");
        });
        String what = arguments[0];
        boolean once = what.equals("error");
        for (int i = 0; i < Integer.parseInt(arguments[1]) && !once; i++) {
            program.post(what);
            program.end();
        }
        for (int i = 0; i < (once ? 1 : OPERATIONS); i++) {
            program.post(what);
        }
        Runnable rounds = program::progressWithoutMemory;
        while (program.round < ROUNDS) {
            try {
                program.progressUntilLast(rounds);
            } catch (OutOfMemoryError e) {
                // It came even behind the place where it is caught.
                program.ballast = null;
            }
        }
        for (int i = 0; i < REPORTS; i++) {
            try {
                System.out.println(SURVIVED + what + ", lacked memory " + program.lacked + " times");
                break;
            } catch (OutOfMemoryError e) {
                // With G1 it comes late at times, when most of the heap is free again.
            }
        }
        // The exit of the process is tested, not the close of a worker that has lost events.
        System.exit(0);
    }

    private void progressUntilLast(Runnable rounds) {
        while (round < ROUNDS) {
            try {
                progress(rounds);
            } catch (OutOfMemoryError e) {
                // It came where compiled code was left, on the way here.
                lacked++;
            }
            ballast = null;
        }
    }

    private void post(String what) {
        switch (what) {
            case "am" -> outcomes.add(pair.send(small.asSlice(0, 16), small, AmProtocol.EAGER));
            case "tag" -> {
                receive();
                outcomes.add(Outcome.of(done -> pair.toServer.tagSend(small, null, TAG, done)));
            }
            case "fetch" -> {
                outcomes.add(pair.send(Pair.EMPTY, large, AmProtocol.RENDEZVOUS));
                UcpActiveMessage offer = pair.awaitMessage();
                outcomes.add(Outcome.of(done -> pair.server.activeMessages().fetch(offer, target, null, done)));
            }
            case "generic" -> {
                Outcome received = new Outcome();
                outcomes.add(received);
                pair.server.tags().receive(UcpData.generic(new Reversed(genericTarget)), TAG, -1, Set.of(), received);
                Outcome sent = new Outcome();
                UcpRequest send = pair.toServer.dataOperations().tagSend(UcpData.generic(new Reversed(genericSource)),
                        TAG, Set.of(), sent);
                if (!send.isImmediate()) {
                    outcomes.add(sent);
                }
            }
            case "error" -> pair.toServer.close(CloseMode.FORCE, new Outcome());
            case "connect" -> pair.client.connect(pair.server.listeners().getFirst().address(),
                    pair.options(ErrorMode.PEER, "again"));
            default -> throw new IllegalArgumentException(what);
        }
    }

    private void receive() {
        Outcome received = new Outcome();
        outcomes.add(received);
        pair.server.tags().receive(Pair.pattern(32), null, TAG, -1, received);
    }

    private void end() {
        pair.until(() -> outcomes.stream().allMatch(Outcome::isDone), "the end of the operations");
        pair.received.clear();
        outcomes.clear();
    }

    private void progressWithoutMemory() {
        Runnable server = pair.server::progress;
        Runnable client = pair.client::progress;
        // The JVM may throw the error anywhere: also where it has to allocate what compiled code had not.
        Runnable both = () -> {
            fill();
            progress(server);
            progress(client);
        };
        while (round < ROUNDS) {
            // First: the error may come here as well, where compiled code is left.
            round++;
            progress(both);
        }
    }

    private void progress(Runnable step) {
        try {
            step.run();
        } catch (OutOfMemoryError e) {
            lacked++;
        }
    }

    /** Takes all memory, in ever smaller pieces. */
    private void fill() {
        for (int bytes = FIRST_CHUNK; bytes >= 1; bytes /= 32) {
            try {
                for (;;) {
                    Object[] next = new Object[] {ballast, null};
                    next[1] = bytes == 1 ? null : new byte[bytes];
                    ballast = next;
                }
            } catch (OutOfMemoryError e) {
                // A smaller piece may fit.
            }
        }
    }
}
