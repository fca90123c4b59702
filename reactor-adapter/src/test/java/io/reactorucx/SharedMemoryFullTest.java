package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A {@code /dev/shm} that is full, or fills up: in a mount namespace of the test's own, whose {@code /dev/shm} is
 * small.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class SharedMemoryFullTest implements NeedsUcx {

    private static ChildJvm.Result run(String size, String... transports) {
        return run(LimitedShmPeers.class, size, transports);
    }

    private static ChildJvm.Result run(Class<?> program, String size, String... transports) {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may make a mount namespace");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/unshare")), "unshare (package util-linux) is not installed");
        assumeTrue(canMount(), "a mount namespace with a file system of its own cannot be made here");
        return ChildJvm.of(program).arguments(transports)
                .within("unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=" + size
                + " tmpfs /dev/shm && exec \"$@\"", "sh").run();
    }

    private static boolean canMount() {
        ProcessBuilder probe = new ProcessBuilder("unshare", "--mount", "sh", "-c",
                "mount -t tmpfs -o size=4k tmpfs /dev/shm");
        try (ChildProcess child = ChildProcess.start(probe)) {
            return child.result().exitCode() == 0;
        }
    }

    private static void assertEnded(ChildJvm.Result result) {
        assertThat(result.output()).contains(LimitedShmPeers.ENDED);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"4k", "64k", "4m"})
    void enginesWithoutRoomDoWithoutItOrAreRefusedInWords(String size) {
        ChildJvm.Result result = run(size, "posix", "tcp");

        assertEnded(result);
        if (result.output().contains(LimitedShmPeers.CONNECTED)) {
            // As UCX 1.18, which does without a transport for which there is no room.
            assertThat(result.output()).contains(LimitedShmPeers.CONNECTED + "[tcp")
                    .contains(LimitedShmPeers.MOVED + "true");
            return;
        }
        assertThat(result.output()).contains(LimitedShmPeers.REFUSED + "worker_create")
                .contains("/dev/shm has room for").doesNotContain(
                LimitedShmPeers.CONNECTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9m", "12m"})
    void messagesThatFillItUpEndOneWayOrTheOther(String size) {
        ChildJvm.Result result = run(size, "posix", "tcp");

        assertEnded(result);
        assertThat(result.output()).contains(LimitedShmPeers.CONNECTED).contains(LimitedShmPeers.MOVED + "true")
                .contains(LimitedShmPeers.HELD);
    }

    @ParameterizedTest
    @ValueSource(strings = "4k")
    void otherTransportsDoWithoutIt(String size) {
        ChildJvm.Result result = run(size, "sysv", "tcp");

        assertEnded(result);
        assertThat(result.output()).contains(LimitedShmPeers.CONNECTED + "[sysv")
                .contains(LimitedShmPeers.MOVED + "true");
    }

    /** The slabs of the pools, through which they go, are not in that file system. */
    @Test
    void largeMessagesGoOnWhenItIsFull() {
        ChildJvm.Result result = run(FullShmPeers.class, "64m", "posix", "tcp");

        assertThat(result.output()).contains(FullShmPeers.FULL + "0 bytes")
                .contains(FullShmPeers.MOVED + FullShmPeers.MESSAGES + " of " + FullShmPeers.MESSAGES)
                .contains(FullShmPeers.OFFERED + FullShmPeers.MESSAGES);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }
}
