package io.reactorucx.examples.doctor;

import io.reactorucx.examples.doctor.facts.Transport;
import io.reactorucx.uct.UctDeviceType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks whether UCX has the transports that this project uses. */
record Transports(List<Transport> transports) implements Check {

    private static final Set<String> FOR_MESSAGES = Set.of("posix", "sysv", "xpmem");

    @Override
    public String name() {
        return "transports";
    }

    @Override
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        List<Transport> rdma = transports.stream().filter(Transport::isRdma).toList();
        boolean tcp = transports.stream().anyMatch(transport -> transport.name().equals("tcp"));
        if (!tcp) {
            findings.add(rdma.isEmpty() ? Finding.error(name(), "neither tcp nor RDMA",
                    "No connection by a socket address can be made",
                    "Bring a network interface up (ip link set lo up), and see that UCX_TLS and UCX_NET_DEVICES allow"
                    + " it") : Finding.note(name(), "no tcp", "Connections by a socket address need rdmacm",
                    "ip link set lo up, or install UCX's module for rdmacm"));
        }
        if (transports.stream().noneMatch(transport -> FOR_MESSAGES.contains(transport.name()))) {
            findings.add(Finding.warning(name(), "no shared memory",
                    "Processes of one host talk over the network's transports",
                    "Check the room in /dev/shm and the namespaces below, and the limits of System V shared memory"
                    + " (ipcs -l)"));
        }
        if (rdma.isEmpty()) {
            findings.add(Finding.note(name(), "no RDMA device", "Between hosts messages go over tcp",
                    "Where there is a device: install its driver and UCX's module for it (ibv_devices lists what is"
                    + " seen)"));
        }
        if (transports.stream().anyMatch(transport -> transport.type() == UctDeviceType.ACC)) {
            findings.add(Finding.note(name(), "there is an accelerator",
                    "This project has not been tested with its memory", ""));
        }
        return findings.isEmpty() ? List.of(Finding.ok(name(), transports.stream().map(Transport::name).distinct()
                .collect(Collectors.joining(", ")), "Network, shared memory and RDMA are there")) : findings;
    }
}
