package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** A peer that gets no endpoint after its handshake hears why, and nothing of the other side's affairs. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RefusedEndpointTest implements NeedsUcx {

    private static final int WORKER_AT = 1;
    private static final String SECRET = "17 of 23 are for 10.1.2.3, in /dev/shm/key";

    private UcxResources ofServer;
    private UcxResources ofClient;
    private UcxBoundServer server;

    @BeforeEach
    void serve() {
        ofServer = UcxResources.builder().transports("posix").maxUnboundEndpoints(1).build();
        ofClient = UcxResources.builder().transports("posix").build();
        server = UcxServer.create(ofServer).closeTimeout(Duration.ofMillis(300)).handle((in, out) -> Mono.never())
                .bindNow();
    }

    @AfterEach
    void close() {
        if (ofClient != null) {
            ofClient.disposeNow();
            ofServer.disposeNow();
        }
    }

    /** Returns the handshakes that one side has rejected, by reason, of those that occurred. */
    private static Map<String, Long> rejected(UcxResources resources) {
        return resources.peerStatistics().stream().flatMap(each -> each.rejectedHandshakes().entrySet().stream())
                .filter(each -> each.getValue() > 0)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum));
    }

    @Test
    void bothSidesLearnThatALimitIsReached() {
        FairLimit unbound = ofServer.connecting().next().bindings().unbound();
        assertThat(unbound.tryAcquire(PeerOrigin.UNKNOWN)).isEqualTo(FairLimit.Outcome.ACQUIRED);

        assertThatExceptionOfType(UcxException.class).isThrownBy(() -> UcxClient.create(ofClient)
                .remoteAddress("127.0.0.1", server.port()).connectNow()).satisfies(error -> {
                    assertThat(error.status()).isEqualTo(UcxStatus.NO_RESOURCE);
                    assertThat(error.isRetryable()).isTrue();
                    assertThat(error).hasMessageContaining("the other side has no room for the endpoint");
                });
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(rejected(ofServer)).isEqualTo(Map.of("admission", 1L));
            assertThat(rejected(ofClient)).isEqualTo(Map.of("peer", 1L));
        });
        unbound.release(PeerOrigin.UNKNOWN);
        UcxClient.create(ofClient).remoteAddress("127.0.0.1", server.port()).connectNow().disposeNow();
    }

    @Test
    void anAddressThatIsNotTakenIsRefusedWithoutAWordOfWhatWasFound() {
        byte[] own = Objects.requireNonNull(ofClient.workerAddress(0).block(Waits.PATIENCE));
        try (Stranger stranger = Stranger.connect(server.port(), "127.0.0.1", own)) {
            byte[] ofServersWorker = stranger.serverAddress();
            ByteBuffer.wrap(ofServersWorker).order(ByteOrder.nativeOrder()).putLong(WORKER_AT, 1);
            try (Stranger liar = Stranger.connect(server.port(), "127.0.0.1", ofServersWorker)) {
                liar.send(ofServersWorker, 0);

                ControlFrame told = liar.socket().nextControl();
                assertThat(told.type()).isEqualTo(ControlFrame.Type.REJECT);
                assertThat(told.status()).as("another attempt would not help").isEqualTo(UcxStatus.REJECTED);
                assertThat(told.reason()).isEqualTo("the other side does not take the address of this worker:"
                        + " it cannot be read, or names what this side cannot have there");
                liar.socket().awaitEnd();
                assertThat(rejected(ofServer)).isEqualTo(Map.of("protocol", 1L));
            }
        }
    }

    /** A status that is no refusal leaves the end of the socket, after which a client may try again. */
    @ParameterizedTest
    @EnumSource
    void textsNameTheRuleAlone(UcxStatus status) {
        Rejection told = Rejection.ofRefusal(new UcxException(status, "connect", "10.1.2.3:4", SECRET));
        switch (status) {
            case NO_RESOURCE, NO_MEMORY, EXCEEDS_LIMIT -> assertThat(told).isNotNull()
                    .satisfies(each -> assertThat(each.status().isRetryable()).isTrue());
            case INVALID_ADDR, UNREACHABLE -> assertThat(told).isNotNull()
                    .satisfies(each -> assertThat(each.status()).isEqualTo(status));
            case REJECTED -> assertThat(told).isNotNull();
            default -> assertThat(told).isNull();
        }
        if (told != null && status != UcxStatus.REJECTED) {
            assertThat(told.reason()).isNotBlank().doesNotContain(SECRET, "10.1.2.3");
        }
    }
}
