package io.reactorucx.examples.soak;

import io.reactorucx.examples.soak.Tally.End;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.message.TrafficStatistics.Api;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.ArrayList;
import java.util.List;

/**
 * The bounds of the meters for traffic that was cancelled, timed out and cut off. An application cannot know whether
 * the message of such an exchange went out, or whether the peer answered it. It knows that all of a delivered exchange
 * went both ways, and that an exchange that did not begin sent nothing.
 */
final class MeterBounds {

    /** The questions for the sums themselves, which are counted on one side before and on the other after. */
    private static final long SLACK = 2;
    private static final UcxMeters[][] MESSAGES_AND_BYTES = {{UcxMeters.SENT_MESSAGES, UcxMeters.SENT_BYTES},
        {UcxMeters.RECEIVED_MESSAGES, UcxMeters.RECEIVED_BYTES}};

    private final Levels[] before;
    private final Levels[] after;
    private final List<String> outside = new ArrayList<>();

    private MeterBounds(Levels[] before, Levels[] after) {
        this.before = before;
        this.after = after;
    }

    /**
     * Returns the sums that are outside of their bounds.
     *
     * @param questions how many active messages were sent besides the traffic, each with one answer
     * @param before the sums of this process and of the server at the start
     * @param after those at the end
     */
    static List<String> outside(Tallies tallies, long questions, Levels[] before, Levels[] after) {
        MeterBounds bounds = new MeterBounds(before, after);
        bounds.activeMessages(tallies.of(ActiveMessageTraffic.NAME), questions + SLACK);
        bounds.messages(tallies.of(MessageTraffic.NAME));
        bounds.requests(tallies.of(RequestTraffic.NAME));
        bounds.memory(tallies.of(MemoryTraffic.NAME));
        for (Api unused : List.of(Api.TAGS, Api.STREAMS)) {
            bounds.check(0, UcxMeters.SENT_MESSAGES, unused, 0, 0);
            bounds.check(1, UcxMeters.SENT_MESSAGES, unused, 0, 0);
        }
        return bounds.outside;
    }

    /**
     * Each exchange is a message there and the same back. The server counts a message as sent when UCX has completed
     * it, which it does not where a connection is cut off after the client had the data.
     */
    private void activeMessages(Tally tally, long questions) {
        for (int side = 0; side < after.length; side++) {
            for (UcxMeters[] sums : MESSAGES_AND_BYTES) {
                boolean certain = side == 0 || sums[0] == UcxMeters.RECEIVED_MESSAGES;
                check(side, sums[0], Api.ACTIVE_MESSAGES, certain ? tally.count(End.DELIVERED) : 0,
                        tally.begunCount() + questions);
                check(side, sums[1], Api.ACTIVE_MESSAGES, certain ? tally.bytes() : 0, Long.MAX_VALUE);
            }
        }
    }

    /** Each exchange is a number with the payload there and the same back. */
    private void messages(Tally tally) {
        long delivered = tally.count(End.DELIVERED);
        for (int side = 0; side < after.length; side++) {
            for (UcxMeters[] sums : MESSAGES_AND_BYTES) {
                check(side, sums[0], Api.MESSAGES, delivered, tally.begunCount());
                check(side, sums[1], Api.MESSAGES, tally.bytes() + Long.BYTES * delivered, Long.MAX_VALUE);
            }
        }
    }

    /** How many responses there are depends on the exchange. */
    private void requests(Tally tally) {
        long delivered = tally.count(End.DELIVERED);
        check(0, UcxMeters.SENT_MESSAGES, Api.REQUESTS, delivered, tally.begunCount());
        check(1, UcxMeters.RECEIVED_MESSAGES, Api.REQUESTS, delivered, tally.begunCount());
        check(0, UcxMeters.SENT_BYTES, Api.REQUESTS, tally.bytes(), Long.MAX_VALUE);
        check(1, UcxMeters.RECEIVED_BYTES, Api.REQUESTS, tally.bytes(), Long.MAX_VALUE);
        check(0, UcxMeters.REQUESTS, MeterSums.Ended.SUCCESS, delivered, tally.begunCount());
        for (int side = 0; side < after.length; side++) {
            long ended = 0;
            for (MeterSums.Ended each : MeterSums.Ended.values()) {
                ended += grown(side, MeterSums.name(UcxMeters.REQUESTS, each));
            }
            check(side, UcxMeters.REQUESTS.getName() + " of all outcomes", ended, 0, tally.begunCount());
        }
    }

    /** An exchange without bytes accesses nothing, so that there is no least number. */
    private void memory(Tally tally) {
        for (Access access : List.of(Access.PUT, Access.GET)) {
            check(0, UcxMeters.MEMORY_ACCESSES, access, 0, tally.begunCount());
            check(0, UcxMeters.MEMORY_ACCESSED, access, tally.bytes(), Long.MAX_VALUE);
            check(1, UcxMeters.SERVED_REQUESTS, access, 0, tally.begunCount());
            check(1, UcxMeters.SERVED_BYTES, access, tally.bytes(), Long.MAX_VALUE);
        }
    }

    private void check(int side, UcxMeters meter, Enum<?> tag, long least, long most) {
        String name = MeterSums.name(meter, tag);
        check(side, name, grown(side, name), least, most);
    }

    private void check(int side, String name, long metered, long least, long most) {
        if (metered < least || metered > most) {
            outside.add((side == 0 ? "this process: " : "the server: ") + name + ": " + metered
                    + " by the meter, at least " + least + (most == Long.MAX_VALUE ? "" : " and at most " + most)
                    + " counted");
        }
    }

    private long grown(int side, String name) {
        return after[side].of(name) - before[side].of(name);
    }
}
