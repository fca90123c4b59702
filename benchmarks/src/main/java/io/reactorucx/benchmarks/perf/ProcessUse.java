package io.reactorucx.benchmarks.perf;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The resources that a process has used so far.
 *
 * @param cpuNanos processor time of its threads
 * @param allocatedBytes bytes that its engines and the threads that drive them have allocated on the Java heap
 * @param compiledNanos time for which its JVM has compiled
 */
record ProcessUse(long cpuNanos, long allocatedBytes, long compiledNanos) {

    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    private static final com.sun.management.ThreadMXBean THREADS =
            ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);

    static ProcessUse now(Set<Long> threads) {
        long allocated = threads.stream().mapToLong(THREADS::getThreadAllocatedBytes).sum();
        return new ProcessUse(SYSTEM.getProcessCpuTime(), allocated, TimeUnit.MILLISECONDS.toNanos(
                ManagementFactory.getCompilationMXBean().getTotalCompilationTime()));
    }

    ProcessUse since(ProcessUse before) {
        return new ProcessUse(cpuNanos - before.cpuNanos, allocatedBytes - before.allocatedBytes,
                compiledNanos - before.compiledNanos);
    }

    String toLine() {
        return cpuNanos + " " + allocatedBytes + " " + compiledNanos;
    }

    static ProcessUse ofLine(String line) {
        String[] parts = line.split(" ");
        return new ProcessUse(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
    }
}
