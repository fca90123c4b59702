package io.reactorucx.uct;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory domains of this machine as UCX's own tool prints them ({@code ucx_info -d}), which shares no code with
 * this library.
 */
final class UcxInfo {

    private static final Pattern LINE = Pattern.compile("#\\s*(Memory domain|Component|Transport|Device|Type|remote"
            + " key|allocate|register|rkey_ptr is supported)(?:: (.*))?");

    /** A memory domain. */
    static final class Domain {
        String component = "";
        String remoteKey = "";
        Optional<String> allocate = Optional.empty();
        Optional<String> register = Optional.empty();
        boolean remotePointer;
        /** As {@code transport/device/type}. */
        final List<String> resources = new ArrayList<>();
    }

    private UcxInfo() {
    }

    /** The memory domains by name, nothing where the tool is not installed. */
    static Optional<Map<String, Domain>> domains() {
        try {
            Process process = new ProcessBuilder("ucx_info", "-d").redirectErrorStream(true).start();
            try (var lines = process.inputReader()) {
                return Optional.of(parse(lines.lines().toList()));
            }
        } catch (UncheckedIOException e) {
            throw e;
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Map<String, Domain> parse(List<String> lines) {
        Map<String, Domain> domains = new TreeMap<>();
        Domain domain = new Domain();
        String transport = "";
        String device = "";
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                continue;
            }
            String value = matcher.group(2) == null ? "" : matcher.group(2).strip();
            switch (matcher.group(1)) {
                case "Memory domain" -> {
                    domain = new Domain();
                    domains.put(value, domain);
                }
                case "Component" -> domain.component = value;
                case "Transport" -> transport = value;
                case "Device" -> device = value;
                case "Type" -> domain.resources.add(transport + "/" + device + "/" + value);
                case "remote key" -> domain.remoteKey = value;
                case "allocate" -> domain.allocate = Optional.of(value);
                case "register" -> domain.register = Optional.of(value);
                default -> domain.remotePointer = true;
            }
        }
        return domains;
    }
}
