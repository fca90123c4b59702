package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Idle endpoints whose peer's process has ended are closed, and what UCX has mapped for them goes. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class EndedPeerEndpointsTest implements NeedsUcx {

    private static final int MORE_THAN_ONE_LOOK = 6;

    @Parameter
    private String transports;
    private final List<EchoProcess> peers = new ArrayList<>();
    private UcxResources resources;

    @BeforeEach
    void open() {
        resources = UcxResources.builder().transports(transports.split(",")).remoteMemoryAccess(true).build();
    }

    @AfterEach
    void close() {
        peers.forEach(EchoProcess::close);
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    /** Starts a process, and leaves an idle endpoint to it. */
    private EchoProcess peer() {
        EchoProcess peer = new EchoProcess(transports.split(","));
        peers.add(peer);
        int before = resources.idleEndpoints();
        peer.client(resources).connectNow().close().block(Waits.PATIENCE);
        awaitIdle(before + 1);
        return peer;
    }

    private void awaitIdle(int endpoints) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(resources.idleEndpoints()).isEqualTo(endpoints));
    }

    /** The bytes that this process has mapped of shared memory that UCX made. */
    private static long mappedBytes() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.contains("ucx_shm_posix")).map(line -> line.split("[ -]"))
                    .mapToLong(each -> Long.parseUnsignedLong(each[1], 16) - Long.parseUnsignedLong(each[0], 16)).sum();
        }
    }

    private void closedOnce(Consumer<EchoProcess> end) throws IOException {
        EchoProcess living = peer();
        long before = mappedBytes();
        EchoProcess ended = peer();
        assertThat(mappedBytes() > before).isEqualTo(transports.contains("posix"));

        end.accept(ended);

        awaitIdle(1);
        // UCX may have the close of an endpoint under way that is idle no more.
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(mappedBytes()).isEqualTo(before));
        UcxConnection again = living.client(resources).connectNow();
        assertThat(resources.idleEndpoints()).isZero();
        again.close().block(Waits.PATIENCE);
        awaitIdle(1);
    }

    @Test
    void closedOnceTheProcessIsKilled() throws IOException {
        closedOnce(EchoProcess::kill);
    }

    @Test
    void closedOnceTheProcessHasEndedInGoodOrder() throws IOException {
        closedOnce(EchoProcess::end);
    }

    @Test
    void closedThoughManyOthersLive() {
        for (int i = 1; i < MORE_THAN_ONE_LOOK; i++) {
            peer();
        }
        EchoProcess last = peer();

        last.kill();

        awaitIdle(MORE_THAN_ONE_LOOK - 1);
    }
}
