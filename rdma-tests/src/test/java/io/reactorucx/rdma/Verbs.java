package io.reactorucx.rdma;

import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.engine.EngineConfig;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The transports of verbs that tests go over. */
enum Verbs {
    UD("ud_verbs"),
    RC("rc_verbs");

    /** Over rc UCX can take longer than 5 s, the default, to complete what a dead peer has left: docs/notes/rdma.md. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(40);

    private final String transport;

    Verbs(String transport) {
        this.transport = transport;
    }

    /** UCX's name of the transport. */
    String transport() {
        return transport;
    }

    UcxResourcesBuilder resources() {
        return resources(transport);
    }

    static UcxResourcesBuilder resources(String... transports) {
        return UcxResources.builder().transports(transports).remoteMemoryAccess(true).remoteAtomics(true).streams(true)
                .maxBufferBytes(256L << 20)
                .engineConfig(EngineConfig.of("reactor-ucx").withCloseTimeout(CLOSE_TIMEOUT));
    }

    /** Each with both error modes, or with the one that the run is restricted to. */
    static Stream<Arguments> withModes() {
        String only = System.getProperty("io.reactorucx.rdma.mode", "");
        return Stream.of(values()).flatMap(verbs -> Stream.of(ErrorMode.values())
                .filter(mode -> only.isEmpty() || mode.name().equals(only)).map(mode -> Arguments.of(verbs, mode)));
    }

    /** Whether a connection's data goes over this transport and no other. */
    boolean carries(UcxConnection connection) {
        List<String> lanes = connection.transports();
        return !lanes.isEmpty() && lanes.stream().allMatch(lane -> lane.startsWith(transport + "/"));
    }
}
