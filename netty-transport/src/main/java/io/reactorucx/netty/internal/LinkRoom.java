package io.reactorucx.netty.internal;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpActiveMessages;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The operations that one link has under way, and its streams that wait until it may have more. A link may have as many
 * operations under way as the engine has slots left: however many peers take nothing, there are slots for the next
 * link. Fetches count apart from sends: a send of the peer ends when it is fetched, and so must not wait for one of
 * this side.
 *
 * <p>Thread: loop.
 */
final class LinkRoom {

    /** So many operations are under way in any case: the slots of the engine suffice for them on 1024 links. */
    static final int MIN_OPERATIONS = 8;
    /** The data of sends that are under way, which takes memory until the peer has it. */
    static final int MAX_BYTES = 16 << 20;

    private final UcpActiveMessages messages;
    private final LoopRounds rounds;
    private final Set<LoopRounds.Turn> waiting = new LinkedHashSet<>();
    private int operations;
    private int fetches;
    private int bytes;

    LinkRoom(UcpActiveMessages messages, LoopRounds rounds) {
        this.messages = messages;
        this.rounds = rounds;
    }

    /** Returns whether one more send may begin. */
    boolean isFree() {
        return operations < MIN_OPERATIONS || bytes < MAX_BYTES && operations < messages.room(AmProtocol.EAGER);
    }

    /** Returns whether one more fetch may begin. */
    boolean isFreeForFetch() {
        return fetches < MIN_OPERATIONS || fetches < messages.fetchRoom();
    }

    /** A fetch has begun that is not done yet. */
    void fetchStarted() {
        fetches++;
    }

    /** Such a fetch is done, or has failed. */
    void fetchEnded() {
        fetches--;
        resumeWaiting(fetches == 0);
    }

    /** A send has begun that is not done yet. */
    void started(int itsBytes) {
        operations++;
        bytes += itsBytes;
    }

    /** Such a send is done, or has failed. */
    void ended(int itsBytes) {
        operations--;
        bytes -= itsBytes;
        if (isFree()) {
            resumeWaiting(operations == 0);
        }
    }

    /** Has streams go on, not all of them for each operation: that costs too much where many wait for a slow peer. */
    private void resumeWaiting(boolean all) {
        if (!waiting.isEmpty()) {
            resume(all ? waiting.size() : MIN_OPERATIONS);
        }
    }

    private void resume(int most) {
        Iterator<LoopRounds.Turn> first = waiting.iterator();
        for (int i = 0; i < most && first.hasNext(); i++) {
            rounds.resumeLater(first.next());
            first.remove();
        }
    }

    /** Has a stream go on as soon as an operation of this link has ended, or in the next round if none is under way. */
    void await(LoopRounds.Turn turn) {
        if (operations == 0 && fetches == 0) {
            rounds.resumeLater(turn);
        } else {
            waiting.add(turn);
        }
    }

    /** A stream has gone. */
    void forget(LoopRounds.Turn turn) {
        waiting.remove(turn);
    }

    int operations() {
        return operations;
    }
}
