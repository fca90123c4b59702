package io.reactorucx.examples.soak;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The tally of each kind of traffic, by its name. */
record Tallies(Map<String, Tally> byKind) {

    Tallies() {
        this(new ConcurrentSkipListMap<>());
    }

    Tally of(String kind) {
        return byKind.computeIfAbsent(kind, ignored -> new Tally());
    }
}
