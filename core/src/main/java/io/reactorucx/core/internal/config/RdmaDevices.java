package io.reactorucx.core.internal.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The RDMA devices of a host: adapters that send without the processor.
 *
 * @param folder where the kernel lists them
 */
public record RdmaDevices(Path folder) {

    public static final RdmaDevices OF_HOST = new RdmaDevices(Path.of("/sys/class/infiniband"));
    private static final String DRIVER = "mlx5_core";
    private static final String ETHERNET = "Ethernet";
    private static final String ACTIVE = "ACTIVE";
    private static final int SMALLEST_FOR_2048 = 2048;
    private static final int SMALL_PACKET = 1024;
    private static final int LARGE_PACKET = 4096;

    /** Returns whether this host has such a device, and the transports of a context do not exclude it. */
    public boolean mayBeUsed(UcxSettings settings) {
        return TransportChoice.of(settings).mayUseRdma() && hasAny();
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

    /**
     * Returns the largest packet of a port, such as {@code mlx5_0:1}: 4096 bytes, or 1024 where its network device has
     * the usual frames of Ethernet, which leave no room for 2048.
     */
    int packetBytes(String port) {
        Path device = folder.resolve(port.replaceFirst(":.*", ""));
        Stream<String> networkDevices = Stream.concat(names(device.resolve("device/net")).stream(),
                Stream.of(text(device.resolve("parent"))).filter(name -> !name.isEmpty()));
        return networkDevices.map(name -> text(folder.resolveSibling("net").resolve(name).resolve("mtu")))
                .anyMatch(mtu -> mtu.matches("[0-9]{1,6}") && Integer.parseInt(mtu) < SMALLEST_FOR_2048)
                ? SMALL_PACKET : LARGE_PACKET;
    }

    /** Returns whether a device is Soft-RoCE: it alone names the network device below it. */
    boolean hasSoftRoce() {
        return names(folder).stream().anyMatch(device -> Files.exists(folder.resolve(device).resolve("parent")));
    }

    /**
     * Returns which ports UCX leaves out because they are not active, and which of some names no port has; empty when
     * there is nothing to say.
     *
     * @param wanted names of ports, such as {@code mlx5_0:1}; empty for all ports
     */
    String unusable(List<String> wanted) {
        Map<String, String> states = new TreeMap<>();
        names(folder).forEach(device -> names(folder.resolve(device).resolve("ports")).forEach(port ->
                states.put(device + ":" + port, text(folder.resolve(device).resolve("ports").resolve(port)
                .resolve("state")).replaceFirst("\\d+: *", ""))));
        if (states.isEmpty()) {
            return "this host has no RDMA device in " + folder;
        }
        List<String> found = new ArrayList<>();
        for (String name : wanted.isEmpty() ? states.keySet() : wanted) {
            String state = states.getOrDefault(name, "");
            if (!states.containsKey(name)) {
                found.add("no RDMA device has the port " + name + ", there is " + String.join(", ", states.keySet()));
            } else if (!state.equals(ACTIVE)) {
                found.add("the port " + name + " is " + state + " and not " + ACTIVE
                        + " (bring its network device up, or check the cable and the subnet manager)");
            }
        }
        return String.join("; ", found);
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
