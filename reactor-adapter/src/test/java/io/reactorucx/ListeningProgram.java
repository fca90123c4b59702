package io.reactorucx;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A process that binds a server, connects a client where a port is given, and prints the sockets on which it listens
 * then, as the kernel's table shows them.
 */
final class ListeningProgram {

    static final String LISTENS = "listens ";

    private static final String STATE_LISTEN = "0A";

    private ListeningProgram() {
    }

    /**
     * Arguments: the address to bind, with port 0, or the address and the port to connect to; then transports.
     */
    public static void main(String[] arguments) throws Exception {
        String[] address = arguments[0].split(" ");
        UcxResourcesBuilder builder = UcxResources.builder();
        if (arguments.length > 1) {
            builder.transports(arguments[1].split(","));
        }
        UcxResources resources = builder.build();
        int port = Integer.parseInt(address[1]);
        if (port == 0) {
            port = UcxServer.create(resources).bindAddress(address[0], 0)
                    .handle((in, out) -> out.send(in.receive())).bindNow().port();
        } else {
            UcxClient.create(resources).remoteAddress(address[0], port).connectNow();
        }
        System.out.println(LISTENS + port + " " + listening().stream().collect(Collectors.joining(" ")));
        System.in.read();
        resources.disposeNow();
    }

    /** Returns address and port in hexadecimal digits, as the kernel prints them. */
    private static Set<String> listening() throws IOException {
        Set<String> own = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors) {
                if (Files.isSymbolicLink(each)) {
                    own.add(target(each));
                }
            }
        }
        Set<String> sockets = new TreeSet<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] columns = line.trim().split("\\s+");
                if (columns[3].equals(STATE_LISTEN) && own.contains("socket:[" + columns[9] + "]")) {
                    sockets.add(columns[1]);
                }
            }
        }
        return sockets;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            // Closed meanwhile.
            return "";
        }
    }
}
