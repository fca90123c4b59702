package io.reactorucx.buffer;

import java.util.Arrays;
import java.util.Locale;

/**
 * How closely resources look for leaks: leases that nobody can reach any more and that were not released, and offered
 * active messages that were neither fetched nor discarded.
 *
 * <p>What is found is counted, told in the log (at most ten times a minute) and undone: the memory goes back to its
 * pool, the offer back to UCX. It is found by the garbage collector, so it may take a while. The level is that of the
 * builder, else of the system property {@value #PROPERTY}, else {@link #SIMPLE}.
 */
public enum LeakDetection {
    /** Nothing is looked at, and what leaks is lost until the resources close. */
    DISABLED,
    /**
     * One in {@value Leaks#SAMPLED_ONE_IN} leases, and every offered message: that something leaked, how much and how
     * often.
     */
    SIMPLE,
    /** Every lease and every offered message, with the place where it was asked for. Takes microseconds for each. */
    ADVANCED,
    /** As ADVANCED, and of leases the last places of retain, touch, slice and release as well. */
    PARANOID;

    /** The system property that sets the level where the builder does not. */
    public static final String PROPERTY = "reactorucx.leakDetection";

    public static LeakDetection byDefault() {
        String name = System.getProperty(PROPERTY, SIMPLE.name());
        try {
            return valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("system property " + PROPERTY + " " + name + ": must be one of "
                    + Arrays.toString(values()), e);
        }
    }

    public boolean showsPlaces() {
        return compareTo(ADVANCED) >= 0;
    }
}
