package io.reactorucx.transport.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ports of this host's RDMA devices, as the kernel shows them.
 *
 * @param states the state of each port, such as {@code ACTIVE} or {@code DOWN}, by {@code device:port}
 */
record RdmaPorts(Map<String, String> states) {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final String ACTIVE = "ACTIVE";
    private static final int MAX_SHOWN = 8;
    private static final long READ_AGAIN_NANOS = 1_000_000_000;

    private static volatile @Nullable Reading last;

    private record Reading(RdmaPorts ports, long nanos) {
    }

    /** Returns those of this host, as they were within the last second: a driver may take long to tell them. */
    static RdmaPorts here() {
        long now = System.nanoTime();
        Reading known = last;
        if (known == null || now - known.nanos > READ_AGAIN_NANOS) {
            known = new Reading(read(DEVICES), now);
            last = known;
        }
        return known.ports;
    }

    /** Returns those in a folder with a folder for each device; none where that cannot be read. */
    static RdmaPorts read(Path devices) {
        Map<String, String> states = new TreeMap<>();
        if (Files.isDirectory(devices)) {
            try (Stream<Path> all = Files.list(devices)) {
                all.forEach(device -> readDevice(device, states));
            } catch (IOException e) {
                return new RdmaPorts(Map.of());
            }
        }
        return new RdmaPorts(states);
    }

    private static void readDevice(Path device, Map<String, String> states) {
        try (Stream<Path> ports = Files.list(device.resolve("ports"))) {
            ports.forEach(port -> states.put(device.getFileName() + ":" + port.getFileName(), state(port)));
        } catch (IOException e) {
            states.put(device.getFileName() + ":?", "unreadable");
        }
    }

    /** The file says for example {@code 4: ACTIVE}. */
    private static String state(Path port) {
        try {
            String line = Files.readString(port.resolve("state")).strip();
            return line.substring(line.indexOf(':') + 1).strip();
        } catch (IOException e) {
            return "unreadable";
        }
    }

    boolean isEmpty() {
        return states.isEmpty();
    }

    /**
     * Returns why UCX has no transport of RDMA.
     *
     * @param allowed the setting of its transports, null for all
     */
    String whyUnused(@Nullable String allowed) {
        if (isEmpty()) {
            return "no RDMA device there";
        }
        if (!states.containsValue(ACTIVE)) {
            return "no port of its RDMA devices is active: " + states.entrySet().stream().limit(MAX_SHOWN)
                    .map(each -> each.getKey() + " is " + each.getValue()).collect(Collectors.joining(", "));
        }
        String active = states.entrySet().stream().filter(each -> each.getValue().equals(ACTIVE)).limit(MAX_SHOWN)
                .map(Map.Entry::getKey).collect(Collectors.joining(", "));
        return "UCX does not use the active " + active + (allowed == null
                ? ": it is built without verbs, or cannot open /dev/infiniband"
                : ", and its list of transports is " + allowed);
    }
}
