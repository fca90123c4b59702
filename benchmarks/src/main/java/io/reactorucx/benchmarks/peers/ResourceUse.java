package io.reactorucx.benchmarks.peers;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * What this process and its server have taken so far.
 *
 * @param allocatedBytes on this process's Java heap, by all of its threads
 * @param cpuNanos of both processes; of this one alone when nobody said which the server is
 */
record ResourceUse(long allocatedBytes, long cpuNanos) {

    /** The property with the server's process id. */
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
