package io.reactorucx.benchmarks.peers;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * The resources that this process and its server have used so far.
 *
 * @param allocatedBytes bytes that all threads of this process have allocated on its Java heap
 * @param cpuNanos processor time of both processes; of this process alone without the property {@value #SERVER}
 */
record ResourceUse(long allocatedBytes, long cpuNanos) {

    /** The system property that has the server's process id. */
    static final String SERVER = "io.reactorucx.benchmarks.server";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    static ResourceUse now() {
        return new ResourceUse(THREADS.getTotalThreadAllocatedBytes(), SYSTEM.getProcessCpuTime() + serverCpuNanos());
    }

    private static long serverCpuNanos() {
        return ProcessHandle.of(Long.getLong(SERVER, -1)).flatMap(server -> server.info().totalCpuDuration())
                .map(Duration::toNanos).orElse(0L);
    }

    ResourceUse since(ResourceUse start) {
        return new ResourceUse(allocatedBytes - start.allocatedBytes, cpuNanos - start.cpuNanos);
    }
}
