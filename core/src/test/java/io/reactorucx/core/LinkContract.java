package io.reactorucx.core;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests over one link, with a new pair of connected workers for each. */
abstract class LinkContract {

    final Link link;
    Pair pair;

    LinkContract(Link link) {
        this.link = link;
    }

    @BeforeEach
    void connect() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        pair = Pair.of(link);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }
}
