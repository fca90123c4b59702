package io.reactorucx.stress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The TCP ports on which a process listens, by the kernel's tables. */
final class ListeningPorts {

    private static final String LISTEN = "0A";

    private ListeningPorts() {
    }

    static Set<Integer> of(long pid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        Set<String> sockets = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:[")) {
                        sockets.add(target.substring("socket:[".length(), target.length() - 1));
                    }
                } catch (IOException e) {
                    // It was closed meanwhile.
                    continue;
                }
            }
        }
        Set<Integer> ports = new TreeSet<>();
        for (String table : new String[] {"net/tcp", "net/tcp6"}) {
            Path file = process.resolve(table);
            if (Files.exists(file)) {
                Files.readAllLines(file).stream().map(line -> line.trim().split("\\s+"))
                        .filter(fields -> fields.length > 9 && fields[3].equals(LISTEN) && sockets.contains(fields[9]))
                        .forEach(fields -> ports.add(Integer.parseInt(fields[1].substring(
                        fields[1].lastIndexOf(':') + 1), 16)));
            }
        }
        return ports;
    }
}
