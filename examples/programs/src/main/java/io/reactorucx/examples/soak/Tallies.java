package io.reactorucx.examples.soak;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The tally of each kind of traffic.
 *
 * @param byKind the tallies by the kind's name
 */
public record Tallies(Map<String, Tally> byKind) {

    /** No kind. */
    public Tallies() {
        this(new ConcurrentSkipListMap<>());
    }

    /**
     * {@return the tally of a kind, which this call adds if need be}
     *
     * @param kind the kind's name
     */
    public Tally of(String kind) {
        return byKind.computeIfAbsent(kind, ignored -> new Tally());
    }
}
