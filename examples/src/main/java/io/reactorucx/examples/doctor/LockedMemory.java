package io.reactorucx.examples.doctor;

import java.nio.file.Path;
import java.util.List;

/** Checks the limit of locked memory: RDMA devices lock registered memory. */
record LockedMemory(Path limits, boolean rdma) implements Check {

    private static final String REMEDY =
            "ulimit -l unlimited; for good: '* - memlock unlimited' in /etc/security/limits.conf,"
            + " LimitMEMLOCK=infinity in a systemd unit, --ulimit memlock=-1 for docker run";

    @Override
    public String name() {
        return "locked-memory";
    }

    @Override
    public List<Finding> findings() {
        long limit = Limits.read(limits).soft("Max locked memory");
        String measured = "RLIMIT_MEMLOCK is " + new ByteSize(limit);
        if (limit == Long.MAX_VALUE) {
            return List.of(Finding.ok(name(), measured, "Any amount of memory can be registered"));
        }
        return List.of(rdma ? Finding.warning(name(), measured,
                "Registration of more than that with an RDMA device fails", REMEDY)
                : Finding.note(name(), measured,
                "Enough for tcp and shared memory; an RDMA device could register no more than that", REMEDY));
    }
}
