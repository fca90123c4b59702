package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A contract that is checked over each route that encrypts nothing, all of it over one connection; each test has to
 * leave that as it was.
 */
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "ENCRYPTED_.*")
abstract class SharedPeers implements NeedsUcx {

    static Peers peers;

    @Parameter
    Route route;

    @BeforeParameterizedClassInvocation
    static void connect(Route over) {
        peers = Ucx.isAvailable() ? Peers.connect(over) : null;
    }

    @AfterParameterizedClassInvocation
    static void close() {
        if (peers != null) {
            peers.close();
        }
    }

    @BeforeEach
    void assumeConnected() {
        assumeTrue(peers != null, "nothing is connected");
        assertThat(peers.client().isDisposed()).isFalse();
    }

    /** Nothing is under way or held, so that the next test starts afresh. */
    @AfterEach
    void nothingIsLeftOver() {
        if (peers == null) {
            return;
        }
        for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
            Waits.soon().untilAsserted(() -> {
                assertThat(resources.buffers().leases()).as("leases").isZero();
                for (ProgressEngine engine : resources.engines()) {
                    assertThat(engine.counters().inFlight()).as("operations in flight").isZero();
                    assertThat(engine.counters().heldMessages()).as("held messages").isZero();
                }
            });
        }
    }
}
