package io.reactorucx.benchmarks.peers;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Aeron over shared memory. The media driver runs in the server's process; no message passes through it, so it may
 * sleep.
 */
final class AeronIpc extends AeronPeer {

    @Override
    @Nullable MediaDriver driver(PeerOptions options, boolean server, int port) {
        return server ? MediaDriver.launch(patientDriver().aeronDirectoryName(directory(true, port))
                .threadingMode(ThreadingMode.SHARED).sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
                .dirDeleteOnStart(true).dirDeleteOnShutdown(true)) : null;
    }

    @Override
    String directory(boolean server, int port) {
        return "/dev/shm/reactor-ucx-bench-aeron-" + port;
    }

    @Override
    Channels channels(int port) {
        return new Channels("aeron:ipc", "aeron:ipc");
    }

    @Override
    Runnable turn(Aeron aeron, @Nullable MediaDriver driver) {
        return () -> { };
    }
}
