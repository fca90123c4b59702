package io.reactorucx.transport;

/**
 * The level of leak detection of some resources. A leak is a lease that has become unreachable without a release, or an
 * offered active message that was neither fetched nor discarded.
 *
 * <p>A leak is counted, logged (at most ten times a minute) and reclaimed: the memory goes back to its pool, the offer
 * back to UCX. The garbage collector detects it, so it may take a while. The level is that of the builder, else of the
 * system property {@value #PROPERTY}, else {@link #SIMPLE}.
 */
public enum LeakDetection {
    /** Nothing is watched, and leaked memory is lost until the resources close. */
    DISABLED,
    /**
     * One lease in 128 and every offered message are watched: shows that something leaks, how much and how often, and
     * of a lease that the library has filled what it held, from which peer and for whom.
     */
    SIMPLE,
    /**
     * Every lease and every offered message, with the place where the application allocated it or asked for it. Takes
     * microseconds for each.
     */
    ADVANCED,
    /** As ADVANCED, with the last places of retain, touch, slice and release of leases. */
    PARANOID;

    /** The system property that sets the level where the builder does not. */
    public static final String PROPERTY = "reactorucx.leakDetection";
}
