package io.reactorucx.examples.guide;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The code of one page of the guide, which shows the lines between the markers {@code // snippet: NAME} and
 * {@code // end}. Each test runs what the page shows, against a server in this process.
 */
@ExtendWith(NoLeaks.class)
abstract class Page {

    static final Duration TIMEOUT = TestTime.seconds(30);

    UcxResources resources;

    @BeforeEach
    void create() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        resources = newResources();
    }

    UcxResources newResources() {
        return UcxResources.create();
    }

    @AfterEach
    void dispose() {
        if (resources != null) {
            resources.disposeNow();
        }
    }

    UcxConnection connect(UcxBoundServer server) {
        return UcxClient.create(resources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }
}
