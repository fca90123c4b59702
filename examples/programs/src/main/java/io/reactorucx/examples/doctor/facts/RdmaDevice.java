package io.reactorucx.examples.doctor.facts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * An RDMA device, as the kernel describes it in a folder of {@code /sys/class/infiniband}.
 *
 * @param name its name, which may have been changed
 * @param description what its driver says of it; empty if nothing
 * @param driver the driver of its bus; empty for a device in software, such as Soft-RoCE
 * @param firmware version of its firmware; empty if it says none
 * @param verbs name of its file in {@code /dev/infiniband}; empty without the kernel's module ib_uverbs
 * @param ports its ports
 */
public record RdmaDevice(String name, String description, String driver, String firmware, String verbs,
        List<RdmaPort> ports) {

    private static final String DEVICES = "class/infiniband";
    private static final String VERBS = "class/infiniband_verbs";

    /** Returns the devices, none where there is no such folder. */
    public static List<RdmaDevice> of(Path sys) {
        return names(sys.resolve(DEVICES)).stream().map(name -> of(sys, name)).toList();
    }

    private static RdmaDevice of(Path sys, String name) {
        Path folder = sys.resolve(DEVICES).resolve(name);
        List<RdmaPort> ports = new ArrayList<>();
        names(folder.resolve("ports")).forEach(port -> ports.add(RdmaPort.of(sys, folder, name, port)));
        String verbs = names(sys.resolve(VERBS)).stream()
                .filter(each -> text(sys.resolve(VERBS).resolve(each).resolve("ibdev")).equals(name)).findFirst()
                .orElse("");
        return new RdmaDevice(name, text(folder.resolve("node_desc")), driver(folder), text(folder.resolve("fw_ver")),
                verbs, ports);
    }

    private static String driver(Path folder) {
        try {
            return Files.readSymbolicLink(folder.resolve("device/driver")).getFileName().toString();
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the names in a folder in order, none where it is missing. */
    public static List<String> names(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .sorted(Comparator.comparing(String::length).thenComparing(Comparator.naturalOrder())).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns what a file says, nothing where it is missing or the kernel refuses it. */
    public static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return name + " (" + (driver.isEmpty() ? "in software" : "driver " + driver)
                + (description.isEmpty() ? "" : ", " + description)
                + (firmware.isEmpty() ? "" : ", firmware " + firmware) + ")";
    }
}
