package io.reactorucx.rdma;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that is killed while 8 MiB are on their way in both directions, and started again. */
class KillTest {

    @ParameterizedTest
    @EnumSource
    void peerIsKilled(Verbs verbs) {
        try (ServerProcess server = FaultsTest.serve(verbs); Client client = FaultsTest.connect(verbs, server)) {
            Load load = Load.on(client).awaitProgress();
            server.signal("KILL");
            load.requireErrors();
            FaultsTest.requireEnded(client);
            FaultsTest.requireRestart(client, server, verbs);
        }
    }
}
