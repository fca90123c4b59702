package io.reactorucx;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import org.junit.jupiter.api.BeforeEach;

/** A test that needs the library; without it each of its cases is reported as skipped, with the reason. */
interface NeedsUcx {

    /** Skips where there is no library. */
    @BeforeEach
    default void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), () -> Ucx.unavailabilityCause().map(Throwable::getMessage)
                .orElse("UCX is not available"));
    }
}
