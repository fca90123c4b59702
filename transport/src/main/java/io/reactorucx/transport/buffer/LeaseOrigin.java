package io.reactorucx.transport.buffer;

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

    /** Returns the text with the place where the application asked for it, the other one where this has none. */
    String text(@Nullable LeakRecord otherwise) {
        LeakRecord asked = place == null ? otherwise : place;
        return asked == null ? text : text + ", asked for at " + asked.firstOutside();
    }
}
