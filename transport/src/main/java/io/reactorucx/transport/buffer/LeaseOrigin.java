package io.reactorucx.transport.buffer;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The description of what the library has received into a lease and for whom, for the report of a leak. It is made for
 * leases that are watched, and it is text alone: a reference to the receiver could keep the lease reachable.
 *
 * @param peer name of the peer
 * @param text what was received, from whom, and who got it
 * @param place where the application asked for it; null where places are not recorded
 */
public record LeaseOrigin(String peer, String text, @Nullable LeakRecord place) {

    private static final int MAX_CHARACTERS = 200;

    /**
     * Adds to the report of a lease's leak what was received. Does nothing for a lease that is not watched, and for
     * what is no lease.
     *
     * @param what what was received, with the word that leads to the peer: "a response from"
     * @param receiver the subscriber or the handler that gets the lease
     * @param nameOf returns the name of a receiver, empty for none
     * @param place where the application asked for it; null where places are not recorded
     */
    public static void add(@Nullable Object received, String what, String peer, Object receiver,
            Function<Object, String> nameOf, @Nullable LeakRecord place) {
        LeakTracker tracker = received instanceof Lease lease ? lease.tracker() : null;
        if (tracker != null) {
            String name = nameOf.apply(receiver);
            tracker.received(new LeaseOrigin(peer, what + " [" + peer + "]" + (name.isEmpty() ? "" : " for "
                    + name.substring(0, Math.min(name.length(), MAX_CHARACTERS))), place));
        }
    }

    /** Returns the text with the place where the application asked for it, the other one where this has none. */
    String text(@Nullable LeakRecord otherwise) {
        LeakRecord asked = place == null ? otherwise : place;
        return asked == null ? text : text + ", asked for at " + asked.firstOutside();
    }
}
