package io.reactorucx.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The RDMA devices of a host: adapters that send without the processor.
 *
 * @param folder where the kernel lists them
 */
record RdmaDevices(Path folder) {

    static final RdmaDevices OF_HOST = new RdmaDevices(Path.of("/sys/class/infiniband"));

    /** Returns whether this host has such a device, and the transports of a configuration do not exclude it. */
    boolean mayBeUsed(UcpConfig config) {
        return TransportChoice.of(config).mayUseRdma() && hasAny();
    }

    /** Returns whether there is a device; true when that cannot be seen. */
    boolean hasAny() {
        if (!Files.exists(folder)) {
            return false;
        }
        try (Stream<Path> devices = Files.list(folder)) {
            return devices.findAny().isPresent();
        } catch (IOException e) {
            return true;
        }
    }
}
