package io.reactorucx.examples.doctor;

import io.reactorucx.examples.doctor.facts.Component;
import io.reactorucx.examples.doctor.facts.RdmaDevice;
import io.reactorucx.examples.doctor.facts.RdmaPort;
import io.reactorucx.examples.doctor.facts.Transport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks whether UCX can use the RDMA devices that the kernel has.
 *
 * @param sys {@code /sys}
 * @param files {@code /dev/infiniband}
 * @param components names of the components of UCX; empty without UCX
 * @param transports the transports that UCX has found
 */
record RdmaDevices(Path sys, Path files, Set<String> components, List<Transport> transports) implements Check {

    private static final String CONNECTION_MANAGER = "rdma_cm";

    static RdmaDevices of(Path sys, Path files, List<Component> components) {
        return new RdmaDevices(sys, files, components.stream().map(Component::name).collect(Collectors.toSet()),
                components.stream().flatMap(Component::transports).toList());
    }

    @Override
    public String name() {
        return "rdma-devices";
    }

    @Override
    public List<Finding> findings() {
        List<RdmaDevice> devices = RdmaDevice.of(sys);
        if (devices.isEmpty()) {
            return List.of(Finding.ok(name(), "the kernel has none", "Between hosts messages go over tcp"));
        }
        List<Finding> findings = new ArrayList<>();
        boolean verbs = components.isEmpty() || components.contains("ib");
        if (!verbs) {
            findings.add(Finding.warning(name(), "UCX has no component ib", "This UCX was built without verbs, or its"
                    + " module libuct_ib or libibverbs is missing: it uses no RDMA device",
                    "Install a UCX with verbs (the libucx0 of Debian 12 and 13 has them), and libibverbs1"));
        }
        for (RdmaDevice device : devices) {
            boolean readable = judgeFile(device, findings);
            if (device.ports().isEmpty()) {
                findings.add(Finding.warning(name(), device + " has no port", "UCX does not use it", ""));
            }
            device.ports().forEach(port -> findings.add(judge(device, port, verbs && readable)));
        }
        if (!Files.exists(files.resolve(CONNECTION_MANAGER))) {
            findings.add(Finding.note(name(), "there is no " + files.resolve(CONNECTION_MANAGER),
                    "Raw peers cannot connect to a socket address by RDMA (rdmacm); peers of this project do not need"
                    + " it", "modprobe rdma_ucm; --device /dev/infiniband for docker run"));
        }
        return findings;
    }

    /** Returns whether UCX can open the file of a device. */
    private boolean judgeFile(RdmaDevice device, List<Finding> findings) {
        if (device.verbs().isEmpty()) {
            findings.add(Finding.warning(name(), device.name() + " has no uverbs", "The kernel's module ib_uverbs is"
                    + " not loaded: no program can use the device", "modprobe ib_uverbs"));
            return false;
        }
        Path file = files.resolve(device.verbs());
        if (!Files.exists(file)) {
            findings.add(Finding.warning(name(), "there is no " + file, "UCX cannot open " + device.name(),
                    "--device /dev/infiniband for docker run, a device plugin for Kubernetes; udevadm trigger on a"
                    + " host"));
            return false;
        }
        if (!Files.isReadable(file) || !Files.isWritable(file)) {
            findings.add(Finding.warning(name(), file + " may not be read and written by this user",
                    "UCX cannot open " + device.name(), "chmod 666 " + file + ", for good by a rule of udev (rdma-core"
                    + " has one)"));
            return false;
        }
        return true;
    }

    private Finding judge(RdmaDevice device, RdmaPort port, boolean usable) {
        String measured = device + ": " + port;
        if (!port.isActive()) {
            return Finding.warning(name(), measured, "UCX leaves the port out, and messages go over tcp",
                    port.isEthernet() ? "Bring its network device up (ip link set DEVICE up), check the cable (rdma"
                    + " link shows both)" : "Check the cable, and that a subnet manager runs (sminfo, ibstat)");
        }
        if (port.gids().isEmpty()) {
            return Finding.warning(name(), measured, "Without a GID no peer reaches the port",
                    "Give its network device an address (ip addr add)");
        }
        if (usable && !components.isEmpty() && transports.stream().noneMatch(each -> each.device().equals(port.name())
                && each.isRdma())) {
            return Finding.warning(name(), measured, "UCX has no transport for it",
                    "Install the user-space driver (ibverbs-providers; ibv_devices lists what it finds), and see"
                    + " locked-memory");
        }
        boolean first = port.isEthernet() && port.gids().stream().noneMatch(gid -> gid.endsWith("RoCE v2"));
        return first ? Finding.note(name(), measured, "RoCE v1 alone: routers do not forward it",
                "Give its network device an IP address") : Finding.ok(name(), measured, "UCX can use it");
    }
}
