package io.reactorucx.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether a context may use devices that send without the processor: RDMA adapters. */
final class RdmaDevices {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final String TRANSPORTS = "TLS";

    /** The transports, and aliases of them, that use no such device. */
    private static final List<String> WITHOUT_DEVICE = List.of("tcp", "self", "sm", "shm", "mm", "posix", "sysv", "cma",
            "knem", "xpmem");

    private RdmaDevices() {
    }

    /** Returns whether this host has such a device, and the transports of a configuration do not exclude it. */
    static boolean mayBeUsed(UcpConfig config) {
        String transports = Optional.ofNullable(config.settings().get(TRANSPORTS))
                .or(() -> ContextSettings.environment(TRANSPORTS, config)).orElse("all");
        return !isWithoutDevice(transports) && hasAny(DEVICES);
    }

    /** Returns whether a list of transports names none that uses a device. */
    static boolean isWithoutDevice(String transports) {
        UcxTransportList list = UcxTransportList.of(transports);
        return !list.excluding() && WITHOUT_DEVICE.containsAll(list.names());
    }

    /** Returns whether a folder has an entry; true when that cannot be seen. */
    static boolean hasAny(Path folder) {
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
