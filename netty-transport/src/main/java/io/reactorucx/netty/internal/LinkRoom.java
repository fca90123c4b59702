package io.reactorucx.netty.internal;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What one link has under way, and its streams that wait until it may have more. A link may have as many operations
 * under way as the engine has slots left: however many peers take nothing, there are slots for the next link.
 *
 * <p>Thread: loop.
 */
final class LinkRoom {

    /** So many operations are under way in any case: the slots of the engine suffice for them on 1024 links. */
    static final int MIN_OPERATIONS = 8;
    /** The data of sends that are under way, which takes memory until the peer has it. */
    static final int MAX_BYTES = 16 << 20;

    private final LoopEngine loop;
    private final Set<ChannelStream> waiting = new LinkedHashSet<>();
    private int operations;
    private int bytes;

    LinkRoom(LoopEngine loop) {
        this.loop = loop;
    }

    /** Returns whether one more operation may begin. */
    boolean isFree() {
        return operations < MIN_OPERATIONS || bytes < MAX_BYTES && operations < loop.freeOperations();
    }

    /** An operation has begun that is not done yet. */
    void started(int itsBytes) {
        operations++;
        bytes += itsBytes;
    }

    /** Such an operation is done, or has failed. */
    void ended(int itsBytes) {
        operations--;
        bytes -= itsBytes;
        if (!waiting.isEmpty() && isFree()) {
            // Not all of them for each operation: that costs too much where many wait for a slow peer.
            resume(operations == 0 ? waiting.size() : MIN_OPERATIONS);
        }
    }

    private void resume(int most) {
        Iterator<ChannelStream> first = waiting.iterator();
        for (int i = 0; i < most && first.hasNext(); i++) {
            loop.resumeLater(first.next());
            first.remove();
        }
    }

    /** Has a stream go on as soon as an operation of this link has ended, or in the next round if none is under way. */
    void await(ChannelStream stream) {
        if (operations == 0) {
            loop.resumeLater(stream);
        } else {
            waiting.add(stream);
        }
    }

    /** A stream has gone. */
    void forget(ChannelStream stream) {
        waiting.remove(stream);
    }

    int operations() {
        return operations;
    }
}
