package io.reactorucx.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The RDMA devices of a host: adapters that send without the processor.
 *
 * @param folder where the kernel lists them
 */
record RdmaDevices(Path folder) {

    static final RdmaDevices OF_HOST = new RdmaDevices(Path.of("/sys/class/infiniband"));
    private static final String DRIVER = "mlx5_core";
    private static final String ETHERNET = "Ethernet";

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

    /**
     * Returns whether a device has a port on Ethernet and is none of mlx5's. What does not say its driver, as Soft-RoCE
     * does not, is none of them.
     */
    boolean hasEthernetBesidesMlx5() {
        return names(folder).stream().map(folder::resolve).filter(device -> !isOfMlx5(device))
                .anyMatch(device -> names(device.resolve("ports")).stream()
                .anyMatch(port -> text(device.resolve("ports").resolve(port).resolve("link_layer")).equals(ETHERNET)));
    }

    /** The driver of a function that shares its adapter is named {@code mlx5_core.sf}. */
    private static boolean isOfMlx5(Path device) {
        try {
            return Files.readSymbolicLink(device.resolve("device/driver")).getFileName().toString().startsWith(DRIVER);
        } catch (IOException e) {
            return false;
        }
    }

    private static List<String> names(Path folder) {
        List<String> names = new ArrayList<>();
        try (Stream<Path> entries = Files.list(folder)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException e) {
            // A device that is taken away meanwhile has no ports.
            return List.of();
        }
        return names;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
