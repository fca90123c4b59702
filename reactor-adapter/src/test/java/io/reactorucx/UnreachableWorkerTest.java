package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connecting to a worker that is gone leaves no socket, however often. */
@ExtendWith(NoLeaks.class)
class UnreachableWorkerTest implements NeedsUcx {

    private static final int ATTEMPTS = 100;
    private static final int MAX_MORE = 20;

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static void fail(UcxResources resources, byte[] address) {
        assertThatThrownBy(() -> UcxClient.create(resources).remoteWorkerAddress(address).connectNow())
                .isInstanceOfSatisfying(UcxException.class, error -> assertThat(error.status()).isEqualTo(
                        UcxStatus.UNREACHABLE)).hasMessageContaining("does not answer at the tcp ports");
    }

    @Test
    void failedAttemptsLeaveNoSocket() throws IOException {
        UcxResources gone = UcxResources.builder().transports("tcp").build();
        byte[] address = Objects.requireNonNull(gone.workerAddress(0).block(Waits.PATIENCE));
        gone.disposeNow();
        UcxResources resources = UcxResources.builder().transports("tcp").build();
        try {
            fail(resources, address);
            long before = descriptors();

            for (int i = 0; i < ATTEMPTS; i++) {
                fail(resources, address);
            }

            assertThat(descriptors()).isLessThanOrEqualTo(before + MAX_MORE);
        } finally {
            resources.disposeNow();
        }
    }
}
