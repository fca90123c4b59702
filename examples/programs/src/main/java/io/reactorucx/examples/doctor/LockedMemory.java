package io.reactorucx.examples.doctor;

import io.reactorucx.examples.doctor.facts.ByteSize;
import io.reactorucx.examples.doctor.facts.Limits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks the limit of locked memory: RDMA devices lock the memory that they use.
 *
 * @param process the folder of the process in {@code /proc}
 * @param rdma whether there is such a device
 */
record LockedMemory(Path process, boolean rdma) implements Check {

    private static final String REMEDY =
            "ulimit -l unlimited; for good: '* - memlock unlimited' in /etc/security/limits.conf,"
            + " LimitMEMLOCK=infinity in a systemd unit, --ulimit memlock=-1 for docker run";
    private static final String CAPABILITIES = "CapEff:";
    private static final int CAP_IPC_LOCK = 14;
    private static final int HEXADECIMAL = 16;
    /**
     * The memory that a worker of ud locks for packets of 1 KiB, before memory of the application; rc has ud to
     * connect.
     */
    private static final long DATAGRAMS_BYTES = 16L << 20;
    /** The memory that a worker of rc locks on each device, with ud. */
    private static final long CONNECTIONS_BYTES = 73L << 20;

    @Override
    public String name() {
        return "locked-memory";
    }

    @Override
    public List<Finding> findings() {
        long limit = Limits.read(process.resolve("limits")).soft("Max locked memory");
        String measured = "RLIMIT_MEMLOCK is " + new ByteSize(limit);
        if (limit == Long.MAX_VALUE) {
            return List.of(Finding.ok(name(), measured, "Any amount of memory can be registered"));
        }
        if (isExempt()) {
            return List.of(Finding.ok(name(), measured + ", with CAP_IPC_LOCK", "The limit does not count for this"
                    + " process; it does for one without that capability"));
        }
        return List.of(rdma ? Finding.warning(name(), measured, meaning(limit), REMEDY)
                : Finding.note(name(), measured,
                "Enough for tcp and shared memory; an RDMA device could register no more than that", REMEDY));
    }

    private static String meaning(long limit) {
        if (limit < DATAGRAMS_BYTES) {
            return "Not enough for the queues of one worker (" + new ByteSize(DATAGRAMS_BYTES)
                    + " over ud): with an RDMA device among its transports it is refused";
        }
        return limit < CONNECTIONS_BYTES ? "Not enough for the queues of one worker over rc (" + new ByteSize(
                CONNECTIONS_BYTES) + " a device): it is refused"
                : "Registration of more than that with an RDMA device fails; each worker over rc takes "
                + new ByteSize(CONNECTIONS_BYTES) + " a device";
    }

    private boolean isExempt() {
        return Files.exists(process.resolve("status")) && (Long.parseUnsignedLong(Limits.read(process.resolve("status"))
                .lines().stream().filter(line -> line.startsWith(CAPABILITIES))
                .map(line -> line.substring(CAPABILITIES.length()).strip()).findFirst().orElse("0"), HEXADECIMAL)
                >>> CAP_IPC_LOCK & 1) != 0;
    }
}
