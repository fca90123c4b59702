package io.reactorucx.internal.buffer;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.Scannable;

/**
 * What the library has received into a lease and for whom, for the report of a leak. It is made for leases that are
 * watched, and it is text alone: a reference to the receiver could keep the lease reachable.
 *
 * @param peer name of the peer
 * @param text what was received, from whom, and who got it
 * @param place where the application asked for it; null where places are not recorded
 */
public record LeaseOrigin(String peer, String text, @Nullable LeakRecord place) {

    private static final int MAX_CHARACTERS = 200;
    private static final String HIDDEN = "io.reactorucx.internal.";

    /**
     * Adds to the report of a lease's leak what was received. Does nothing for a lease that is not watched, and for
     * what is no lease.
     *
     * @param what what was received, with the word that leads to the peer: "a response from"
     * @param receiver the subscriber or the handler that gets the lease
     * @param place where the application asked for it; null where places are not recorded
     */
    public static void add(@Nullable Object received, String what, String peer, Object receiver,
            @Nullable LeakRecord place) {
        LeakTracker tracker = received instanceof LeasedBuffer lease ? lease.tracker() : null;
        if (tracker != null) {
            String name = nameOf(receiver);
            tracker.received(new LeaseOrigin(peer, what + " [" + peer + "]" + (name.isEmpty() ? "" : " for "
                    + name.substring(0, Math.min(name.length(), MAX_CHARACTERS))), place));
        }
    }

    /** Returns the text with the place where the application asked for it, the other one where this has none. */
    String text(@Nullable LeakRecord otherwise) {
        LeakRecord asked = place == null ? otherwise : place;
        return asked == null ? text : text + ", asked for at " + asked.firstOutside();
    }

    /** Returns the operators of a subscriber, else its class; nothing for a class of this library. */
    private static String nameOf(Object receiver) {
        boolean hidden = receiver.getClass().getName().startsWith(HIDDEN);
        Object behind = hidden && receiver instanceof Scannable own ? own.scanUnsafe(Scannable.Attr.ACTUAL) : null;
        if (hidden && behind == null) {
            return "";
        }
        Object named = behind == null ? receiver : behind;
        String name = named.getClass().getName();
        try {
            Scannable scannable = Scannable.from(named);
            return scannable.isScanAvailable() ? scannable.steps().collect(Collectors.joining(" | ")) : name;
        } catch (RuntimeException e) {
            // A subscriber of the application may be scannable, and throw.
            return name;
        }
    }
}
