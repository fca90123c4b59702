package io.reactorucx.benchmarks.peers;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.Objects;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;

/** Aeron over UDP. Each side runs its media driver in the loop that polls, so that a process needs one core. */
final class AeronUdp extends AeronPeer {

    private static final int BETWEEN_CLIENT_TURNS = 256;

    @Override
    @Nullable MediaDriver driver(PeerOptions options, boolean server, int port) {
        return MediaDriver.launch(patientDriver().aeronDirectoryName(directory(server, port))
                .threadingMode(ThreadingMode.INVOKER).dirDeleteOnStart(true).dirDeleteOnShutdown(true));
    }

    @Override
    String directory(boolean server, int port) {
        return "/dev/shm/reactor-ucx-bench-aeron-" + port + (server ? "-server" : "-client");
    }

    @Override
    Channels channels(int port) {
        return new Channels("aeron:udp?endpoint=127.0.0.1:" + port, "aeron:udp?endpoint=127.0.0.1:" + (port + 1));
    }

    @Override
    Aeron.Context context(@Nullable MediaDriver driver, String directory) {
        return super.context(driver, directory).useConductorAgentInvoker(true).driverAgentInvoker(invoker(driver));
    }

    private static AgentInvoker invoker(@Nullable MediaDriver driver) {
        return Objects.requireNonNull(driver, "driver").sharedAgentInvoker();
    }

    @Override
    Runnable turn(Aeron aeron, @Nullable MediaDriver driver) {
        AgentInvoker ofDriver = invoker(driver);
        AgentInvoker ofClient = aeron.conductorAgentInvoker();
        int[] turns = {0};
        return () -> {
            ofDriver.invoke();
            if (turns[0]++ % BETWEEN_CLIENT_TURNS == 0) {
                ofClient.invoke();
            }
        };
    }
}
